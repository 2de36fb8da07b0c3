/** What a wallet's addresses are, by how it writes its key. */
export type KeyScript = "p2wpkh" | "p2sh_p2wpkh";

/** An account of a wallet that isn't ours, of which only addresses can be known. */
export interface ExtendedKey {
  readonly script: KeyScript;
  /** The same for each encoding of the same key. */
  readonly id: string;
  /** m/0/<index>, as wallets count the addresses that they give out. */
  addressAt(index: number): string;
  /** m/1/0: where wallets look for coins too, and that is given to no payer. */
  readonly changeAddress: string;
}

export type KeyProblem = "private" | "other_network" | "malformed";

/** Wallets that show all their addresses, and no key, by one text (BIP-32). */
export interface ExtendedKeys {
  /** What those that are read begin with, in a sentence. */
  readonly names: string;
  read(text: string): ExtendedKey | KeyProblem;
  /** One that was read before. */
  of(key: Pick<ExtendedKey, "id" | "script">): ExtendedKey;
}
