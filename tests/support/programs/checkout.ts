const ROOT = new URL("../../../", import.meta.url).pathname;
const PARTS = [
  ".ci",
  "README.md",
  "deno.json",
  "deno.lock",
  "docs",
  "main.ts",
  "migrations",
  "src",
];

export interface Checkout extends AsyncDisposable {
  readonly folder: string;
  /** Removes what was made in it. */
  clean(): Promise<void>;
}

/** A checkout of its own, as an operator has one, with nothing in ./data yet. */
export async function makeCheckout(): Promise<Checkout> {
  const folder = await Deno.makeTempDir({ prefix: "cpg-checkout-" });
  const { success } = await new Deno.Command("cp", {
    args: ["-R", ...PARTS, folder],
    cwd: ROOT,
  }).output();
  if (!success) throw new Error(`Cannot copy the checkout to ${folder}`);
  return {
    folder,
    clean: async () => {
      for await (const { name } of Deno.readDir(folder)) {
        if (!PARTS.includes(name)) await Deno.remove(`${folder}/${name}`, { recursive: true });
      }
    },
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}
