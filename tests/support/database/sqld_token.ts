interface TokenIssuer {
  /** The key that the server checks tokens with. */
  readonly publicKeyPem: string;
  issue(claims: Readonly<Record<string, unknown>>): Promise<string>;
}

/** Ed25519, as sqld wants it. */
export async function createTokenIssuer(): Promise<TokenIssuer> {
  const pair = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
  const { publicKey, privateKey } = pair as CryptoKeyPair;
  const spki = new Uint8Array(await crypto.subtle.exportKey("spki", publicKey));
  return {
    publicKeyPem: `-----BEGIN PUBLIC KEY-----\n${spki.toBase64()}\n-----END PUBLIC KEY-----\n`,
    issue: async (claims) => {
      const signed = `${part({ alg: "EdDSA", typ: "JWT" })}.${part(claims)}`;
      const bytes = new TextEncoder().encode(signed);
      const signature = await crypto.subtle.sign("Ed25519", privateKey, bytes);
      return `${signed}.${base64Url(new Uint8Array(signature))}`;
    },
  };
}

function part(value: unknown): string {
  return base64Url(new TextEncoder().encode(JSON.stringify(value)));
}

function base64Url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}
