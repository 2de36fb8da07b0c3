import { amountOf } from "../books/address_books.ts";
import type { WalletState } from "../chains/chain.ts";
import type { PreparedTransfer } from "../chains/transfer.ts";
import { CannotPay } from "../domain/cannot_pay.ts";
import type { CurrencyRow } from "../networks/table.ts";
import type { SigningCost } from "../transfers/reads/places.ts";
import type { AddressRow } from "./tables/addresses.ts";

/** A transaction the wallet has signed, or is about to sign, and no block has yet. */
export type Unmined = SigningCost;

/**
 * Everything that may still be spent, added up as it comes. Of the bids for one place the most
 * expensive counts.
 */
export class Commitments {
  readonly #places = new Set<number>();
  readonly #purses = new Map<string | null, { byPlace: Map<number, bigint>; sum: bigint }>();

  constructor(rows: readonly Unmined[]) {
    for (const row of rows) this.add(row);
  }

  add({ place, nativeCostMaxRaw, tokens }: Unmined): void {
    this.#places.add(place);
    this.#raise(null, { place, cost: BigInt(nativeCostMaxRaw) });
    const byContract = Map.groupBy(tokens, ({ contract }) => contract);
    for (const [contract, costs] of byContract) {
      const cost = costs.reduce((sum, { amountRaw }) => sum + BigInt(amountRaw), 0n);
      this.#raise(contract, { place, cost });
    }
  }

  get isEmpty(): boolean {
    return this.size === 0;
  }

  get size(): number {
    return this.#places.size;
  }

  has(place: number): boolean {
    return this.#places.has(place);
  }

  /** In one currency, null for the native coin; ignores bids for the place `without`. */
  of(contract: string | null, { without: place }: { without?: number | undefined } = {}): bigint {
    const purse = this.#purses.get(contract);
    if (!purse) return 0n;
    const own = place === undefined ? undefined : purse.byPlace.get(place);
    return purse.sum - (own ?? 0n);
  }

  #raise(contract: string | null, { place, cost }: { place: number; cost: bigint }): void {
    const purse = this.#purses.get(contract) ?? { byPlace: new Map<number, bigint>(), sum: 0n };
    this.#purses.set(contract, purse);
    const before = purse.byPlace.get(place) ?? 0n;
    if (cost <= before) return;
    purse.byPlace.set(place, cost);
    purse.sum += cost - before;
  }
}

interface Funds {
  readonly wallet: AddressRow;
  readonly state: WalletState;
  readonly commitments: Commitments;
}

/** What open transfers may still spend is taken. Both numbers are from the same block. */
export function checkFunds(
  { wallet, state, commitments, without, prepared, currencyOf }: Funds & {
    prepared: PreparedTransfer;
    /** The place it competes for, because only one of its bids can be mined. */
    without: number | undefined;
    currencyOf(contract: string | null): CurrencyRow;
  },
): void {
  const { contract, amountRaw } = prepared.request;
  const check = (
    contract: string | null,
    { needed, held }: { needed: bigint; held: bigint },
  ) => {
    const committed = commitments.of(contract, { without });
    if (held - committed >= needed) return;
    const currency = currencyOf(contract);
    const shown = (raw: bigint) => `${amountOf(raw, currency)} ${currency.symbol}`;
    const promised = committed === 0n
      ? ""
      : `, of which ${shown(committed)} is for payments already signed`;
    const text = `The ${wallet.purpose} wallet needs ${shown(needed)} and has ${
      shown(held)
    }${promised}`;
    const missing = shown(needed + committed - held);
    const lack = contract === null ? "coins" : "tokens";
    // Only operators read about their own wallet.
    if (wallet.purpose !== "gas") throw new CannotPay(text, lack, sendTo(wallet, missing));
    throw new CannotPay(`${text}: ${missing} more are needed at ${wallet.address}`, lack);
  };
  check(null, { needed: prepared.nativeCostMaxRaw, held: state.nativeRaw });
  if (contract === null) return;
  check(contract, { needed: amountRaw, held: state.tokensRaw.get(contract) ?? 0n });
}

export function sendTo({ address }: AddressRow, missing: string): string {
  return `send ${missing} to ${address}`;
}

/**
 * The gas that the operator supplies is for fees. Coin payouts may only use what is above that, or
 * they would be paid with the operator's coins, again after each filling.
 */
export function checkGasStays(
  { wallet, state, commitments, prepared, targetRaw, currencyOf }: Funds & {
    prepared: PreparedTransfer;
    targetRaw: bigint;
    currencyOf(contract: string | null): CurrencyRow;
  },
): void {
  const { contract, amountRaw } = prepared.request;
  if (contract !== null) return;
  const freeRaw = state.nativeRaw - commitments.of(null) - targetRaw;
  if (freeRaw >= amountRaw) return;
  const currency = currencyOf(null);
  const shown = (raw: bigint) => `${amountOf(raw, currency)} ${currency.symbol}`;
  throw new CannotPay(
    `The hot wallet can pay ${shown(freeRaw > 0n ? freeRaw : 0n)} besides what it keeps for gas, ` +
      `and ${shown(amountRaw)} are to be paid`,
    "coins",
    sendTo(wallet, shown(amountRaw - freeRaw)),
  );
}

/** Nodes accept one pending transaction of an account with code and would refuse a second. */
export function checkNotDelegated({ wallet, state, commitments }: Funds): void {
  if (!state.hasCode || commitments.isEmpty) return;
  throw new CannotPay(
    `Wallet ${wallet.address} is delegated to a contract (EIP-7702), so that nodes take one ` +
      "transaction of it at a time, and one is on its way",
  );
}
