const KEYED = /^([0-9a-f]{16}):(.*)$/s;

/** Names the key that opens a sealed text. Texts sealed with the first key have no mark. */
export function markSealed(keyId: string, sealed: string): string {
  return `${keyId}:${sealed}`;
}

export function readSealed(text: string): { keyId: string | undefined; sealed: string } {
  const [, keyId, sealed] = KEYED.exec(text) ?? [];
  return sealed === undefined ? { keyId: undefined, sealed: text } : { keyId, sealed };
}
