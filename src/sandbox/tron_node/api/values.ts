/** int64 is a bigint, bytes are hex, an enum is its name. Zero values are left out. */
export type Value = bigint | number | boolean | string | Message | readonly Value[];
export type Message = { readonly [name: string]: Value | undefined };

export function textIn(value: Value | undefined): string {
  return value === undefined ? "" : String(value);
}

export function int64In(value: Value | undefined): bigint {
  return typeof value === "bigint" ? value : 0n;
}

export function isMessage(value: Value | undefined): value is Message {
  return typeof value === "object" && !Array.isArray(value);
}

export function messageIn(value: Value | undefined): Message {
  return isMessage(value) ? value : {};
}

export function listIn(value: Value | undefined): readonly Value[] {
  return Array.isArray(value) ? value : [];
}

export function messagesIn(value: Value | undefined): readonly Message[] {
  return listIn(value).filter(isMessage);
}

export function textsIn(value: Value | undefined): readonly string[] {
  return listIn(value).map(textIn);
}
