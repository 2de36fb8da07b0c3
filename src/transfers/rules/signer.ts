/** Signs with one key and does nothing else. The private key stays in the room that created it. */
export interface Signer {
  readonly publicKey: Uint8Array;
  sign(digest: Uint8Array): Promise<RecoverableSignature>;
}

export interface RecoverableSignature {
  readonly r: bigint;
  readonly s: bigint;
  readonly recovery: 0 | 1;
}
