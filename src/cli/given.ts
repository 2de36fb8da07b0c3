type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Removes undefined fields: only what the operator named is changed. */
export function given<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Given<T>;
}
