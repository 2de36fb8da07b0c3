type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Removes undefined fields: only what the operator named is changed. */
export function given<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Given<T>;
}

type Camel<Name> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name;
type CamelCased<T> = { [Name in keyof T as Camel<Name>]: T[Name] };

/** Flags under the names that actions have for them: "rpc-url" is rpcUrl. */
export function camelCased<T extends object>(flags: T): CamelCased<T> {
  const camel = (name: string) => name.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
  return Object.fromEntries(
    Object.entries(flags).map(([name, value]) => [camel(name), value]),
  ) as CamelCased<T>;
}
