/** A test that waits for ever fails by its name, instead of keeping all others from ending. */
const LIMIT_MS = 600_000;

const register = Deno.test as (...args: unknown[]) => void;

/** In each form in which a test can be written, its name or definition comes first, then options. */
function limited(...args: unknown[]): void {
  const fn = args.findLast((arg) => typeof arg === "function");
  const given = args.map((arg) => typeof arg === "string" ? { name: arg } : arg)
    .filter((arg) => typeof arg === "object");
  register(Object.assign({ timeout: LIMIT_MS }, ...given, fn && { fn }));
}

Object.assign(Deno, { test: Object.assign(limited, Deno.test) });
