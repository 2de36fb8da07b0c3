/** One key, able to sign and nothing else. The private key stays in the room that made it. */
export interface Signer {
  readonly publicKey: Uint8Array;
  sign(digest: Uint8Array): Promise<RecoverableSignature>;
}

export interface RecoverableSignature {
  readonly r: bigint;
  readonly s: bigint;
  readonly recovery: 0 | 1;
}
