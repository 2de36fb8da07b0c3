/** A fault of ours: what cannot be, is. On in production, because going on would cost money. */
export class InvariantError extends Error {
  override name = "InvariantError";
}

/** `message`: a function where putting it together takes longer than the check. */
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
