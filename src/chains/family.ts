/** The rules of a chain family that need no node. */
export interface Family {
  readonly name: "evm" | "tron";
  /** BIP-44 coin type: m/44'/<coinType>'/… */
  readonly coinType: number;
  /** Exactly the forms a payer may write; anything else is refused before money is held. */
  isAddress(text: string): boolean;
  /** The canonical form that is stored and shown. Only for text that `isAddress` accepts. */
  canonicalAddress(text: string): string;
  addressOf(publicKey: Uint8Array): string;
  /** Of a network that says nothing else. */
  readonly native: { readonly symbol: string; readonly decimals: number };
  /** In what its operators count the price of a unit of gas, and how many base units one is: 10^n. */
  readonly gasPriceUnit: { readonly name: string; readonly decimals: number };
  /** About what a plain payment uses, and a token's: in gas, or in energy. */
  readonly usualGas: { readonly coins: bigint; readonly tokens: bigint };
  /** Of what is called, on top of a plain payment, unless the operator says otherwise; null: nothing is. */
  readonly gasMax: { readonly coins: number | null; readonly tokens: number };
  /** What its networks wait for before they credit, unless the operator says otherwise. */
  readonly finality: "none" | "finalized";
  /**
   * How long signed bytes can be mined, by the chain's time. Where this is a number, the nonce of a
   * transfer is when it expires, in milliseconds, and no two of a sender are alike. Null: bytes can be
   * mined until another transaction with their nonce was.
   */
  readonly transferLifetimeMs: number | null;
  /**
   * Whether nodes tell what an address held at any block. Otherwise it is reckoned, from the newest block
   * that stays up, by what later blocks tell of themselves.
   */
  readonly tellsBalancesAtAnyBlock: boolean;
  /** The address of zeros: nobody has its key, and what is sent there is gone. */
  readonly nobody: string;
}
