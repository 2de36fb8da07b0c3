const KEYED = /^([0-9a-f]{16}):(.*)$/s;

/** A sealed text tells which key it opens with. Those of the first key carry no mark. */
export function markSealed(keyId: string, sealed: string): string {
  return `${keyId}:${sealed}`;
}

export function readSealed(text: string): { keyId: string | undefined; sealed: string } {
  const [, keyId, sealed] = KEYED.exec(text) ?? [];
  return sealed === undefined ? { keyId: undefined, sealed: text } : { keyId, sealed };
}
