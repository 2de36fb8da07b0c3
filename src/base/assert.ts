/** A bug of ours. Checked in production too, because carrying on would cost money. */
export class InvariantError extends Error {
  override name = "InvariantError";
}

/** `message` is a function where building it costs more than the check. */
export function invariant(
  condition: unknown,
  message: string | (() => string),
): asserts condition {
  if (!condition) throw new InvariantError(typeof message === "string" ? message : message());
}

export function present<T>(value: T | null | undefined, message: string): T {
  invariant(value !== null && value !== undefined, message);
  return value;
}
