import type { ExtendedKeys } from "./extended_key.ts";
import type { KeyPath, KeyUse } from "../wallets/rules/key_path.ts";

/**
 * How addresses, keys and links to pay are written on a network, which needs no node. Networks that
 * write them alike share one object: a key has the same address on all of them.
 */
export interface ChainRules {
  /** Whose addresses these are, in a sentence. */
  readonly name: string;
  /** The default for its networks. */
  readonly native: { readonly symbol: string; readonly decimals: number };

  /** Exactly the forms a payer may write; anything else is refused before money is held. */
  isAddress(text: string): boolean;
  /** The form that is stored and shown. Only for text that `isAddress` accepts. */
  canonicalAddress(text: string): string;
  /** What an address looks like, without its checksum. Browsers check it while it is typed. */
  readonly addressForm: RegExp;
  /** What looks like a complete address, typos included. */
  readonly looksWhole: RegExp;
  /** How all addresses begin, in any case, so that people don't compare it. */
  readonly addressStart: RegExp;
  /** The address whose key nobody has: what is sent there is gone. Null: there is none. */
  readonly nobody: string | null;

  /** The standard of its key paths. */
  readonly bip: NonNullable<KeyPath["bip"]>;
  /** The second number of key paths. Networks that share it share keys. */
  readonly coinType: number;
  /** Where keys lie; those of one place are numbered from 0 on. */
  keysFor(use: KeyUse): Omit<KeyPath, "bip" | "index">;
  addressOf(publicKey: Uint8Array): string;
  /** Absent: deposits are always swept to one address. */
  readonly extendedKeys?: ExtendedKeys;

  /**
   * What must be paid to an address at least, in base units of the network's coin, or no node takes
   * it, nor can it be moved from there alone. Absent where any amount can.
   */
  dustRaw?(address: string): bigint;

  /** The link that a wallet opens to pay exactly this. */
  paymentUri(asked: PaymentAsked): string;
  /** An address or such a link as codes show it, where another spelling makes them smaller. */
  inCode(text: string): string;
}

export interface PaymentAsked {
  readonly chainId: string;
  /** Null: the chain's own coin. */
  readonly contract: string | null;
  readonly address: string;
  readonly raw: bigint;
  /** In human units. */
  readonly amount: string;
}
