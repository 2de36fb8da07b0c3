/** Lower-case addresses and hashes with 0x everywhere: nodes may write them in any case. */
export type Address = string;

/** What the code at an address does. Everything else is an account without code. */
export type Code =
  /** Moves and logs what it is asked to. */
  | { readonly kind: "token"; readonly decimals: number; readonly symbol: string }
  /** Logs transfers of anything to anybody, and moves nothing. */
  | { readonly kind: "false_token"; readonly decimals: number; readonly symbol: string }
  /** Passes the coins that it gets on to the address in its call data. */
  | { readonly kind: "forwarder" }
  /** Refuses coins. */
  | { readonly kind: "rejector" }
  /** Carries batches out for its owner. */
  | { readonly kind: "collector"; readonly owner: Address; readonly nonce: number };

/** An address's word that it runs the code at another one (EIP-7702). */
export interface Authorization {
  /** Who signed it. */
  readonly authority: Address;
  readonly chainId: number;
  readonly delegate: Address;
  readonly nonce: number;
  readonly signature: Signature;
}

export interface Signature {
  readonly r: string;
  readonly s: string;
  readonly yParity: number;
}

/** The code of an address that delegates, before the address that it names. */
export const DELEGATION = "0xef0100";
export const NOBODY: Address = `0x${"0".repeat(40)}`;

/** Who owns what after a block. Never changed: the next block's is a copy. */
export class State {
  readonly coins: Map<Address, bigint>;
  readonly nonces: Map<Address, number>;
  readonly tokens: Map<Address, Map<Address, bigint>>;
  /** What was deployed since the first block. */
  readonly deployed: Map<Address, Code>;
  /** At whose address which other one's code runs. */
  readonly delegates: Map<Address, Address>;

  constructor(from?: State) {
    this.coins = new Map(from?.coins);
    this.nonces = new Map(from?.nonces);
    this.tokens = new Map(
      [...from?.tokens ?? []].map(([token, holders]) => [token, new Map(holders)]),
    );
    this.deployed = new Map(from?.deployed);
    this.delegates = new Map(from?.delegates);
  }

  coinsOf(address: Address): bigint {
    return this.coins.get(address) ?? 0n;
  }

  nonceOf(address: Address): number {
    return this.nonces.get(address) ?? 0;
  }

  tokensOf(token: Address, holder: Address): bigint {
    return this.tokens.get(token)?.get(holder) ?? 0n;
  }

  give(address: Address, valueRaw: bigint): void {
    this.coins.set(address, this.coinsOf(address) + valueRaw);
  }

  giveTokens(token: Address, { to, valueRaw }: { to: Address; valueRaw: bigint }): void {
    const holders = this.tokens.get(token) ?? new Map<Address, bigint>();
    holders.set(to, (holders.get(to) ?? 0n) + valueRaw);
    this.tokens.set(token, holders);
  }

  /** All that the other one says. */
  take(other: State): void {
    for (const name of ["coins", "nonces", "deployed", "delegates"] as const) {
      const own = this[name] as Map<Address, unknown>;
      own.clear();
      for (const [address, value] of other[name]) own.set(address, value);
    }
    for (const [token, holders] of other.tokens) this.tokens.set(token, holders);
  }

  /**
   * In their order, before what the transaction does, and they stay when that fails. One that isn't
   * for this chain and the address's present nonce is passed over.
   */
  authorize(authorizations: readonly Authorization[], { chainId, code }: Authorizing): void {
    for (const { authority, chainId: own, delegate, nonce } of authorizations) {
      const isHere = own === 0 || own === chainId;
      const isContract = code.has(authority) || this.deployed.has(authority);
      if (!isHere || isContract || nonce !== this.nonceOf(authority)) continue;
      this.nonces.set(authority, nonce + 1);
      if (delegate === NOBODY) this.delegates.delete(authority);
      else this.delegates.set(authority, delegate);
    }
  }
}

interface Authorizing {
  readonly chainId: number;
  /** That was there from the beginning. */
  readonly code: ReadonlyMap<Address, Code>;
}
