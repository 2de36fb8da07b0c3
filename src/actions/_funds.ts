import type { PreparedTransfer, Refused, WalletState } from "../chains/chain.ts";
import type { AddressRow, CurrencyRow, SignedTransferRow } from "../store/rows.ts";
import { amountOf } from "./_address_books.ts";

/** What would help, where that is known: more of the native coin, more tokens, another limit. */
export type Lack = "coins" | "tokens" | "price";

/** The wallet cannot pay this now: nothing was signed. */
export class CannotPay extends Error {
  override name = "CannotPay";

  constructor(message: string, readonly lack?: Lack) {
    super(message);
  }

  get lacksCoins(): boolean {
    return this.lack === "coins";
  }
}

const LACKS = { unaffordable: "coins", too_expensive: "price", reverts: undefined } as const;

export function refusedBy({ cause, reason }: Refused): CannotPay {
  return new CannotPay(reason, LACKS[cause]);
}

/** What the wallet has signed and no block has yet, or is about to sign. */
export type Unmined = Pick<
  SignedTransferRow,
  "nonce" | "contractAddress" | "amountRaw" | "nativeCostMaxRaw"
>;

export interface Funds {
  readonly wallet: AddressRow;
  readonly state: WalletState;
  readonly unmined: readonly Unmined[];
}

/** What open transfers may still take is spoken for. Both numbers are of the same block. */
export function checkFunds(
  { wallet, state, unmined, prepared, currencyOf }: Funds & {
    prepared: PreparedTransfer;
    currencyOf(contract: string | null): CurrencyRow;
  },
): void {
  const { contract, amountRaw } = prepared.request;
  const short = (contract: string | null, sums: Record<"needed" | "held" | "spoken", bigint>) => {
    const currency = currencyOf(contract);
    const told = (raw: bigint) => `${amountOf(raw, currency)} ${currency.symbol}`;
    return new CannotPay(
      `The ${wallet.purpose} wallet needs ${told(sums.needed)} and has ${told(sums.held)}, ` +
        `of which ${told(sums.spoken)} are spoken for`,
      contract === null ? "coins" : "tokens",
    );
  };
  const nativeCommitted = committed(unmined, (row) => row.nativeCostMaxRaw);
  if (state.nativeRaw - nativeCommitted < prepared.nativeCostMaxRaw) {
    throw short(null, {
      needed: prepared.nativeCostMaxRaw,
      held: state.nativeRaw,
      spoken: nativeCommitted,
    });
  }
  if (contract === null) return;
  const held = state.tokensRaw.get(contract) ?? 0n;
  const spoken = committed(
    unmined.filter((row) => row.contractAddress === contract),
    (row) => row.amountRaw,
  );
  if (held - spoken < amountRaw) throw short(contract, { needed: amountRaw, held, spoken });
}

/** Nodes keep one transaction at a time of an account with code: a second one would be refused. */
export function checkNotDelegated({ wallet, state, unmined }: Funds): void {
  if (!state.hasCode || unmined.length === 0) return;
  throw new CannotPay(
    `Wallet ${wallet.address} is delegated to a contract (EIP-7702), so that nodes take one ` +
      "transaction of it at a time, and one is on its way",
  );
}

/** Of the bytes that bid for one nonce only one can be mined: the dearest of them counts. */
export function committed<Bid extends { readonly nonce: number }>(
  rows: readonly Bid[],
  costOf: (row: Bid) => string,
): bigint {
  const byNonce = new Map<number, bigint>();
  for (const row of rows) {
    const cost = BigInt(costOf(row));
    if (cost > (byNonce.get(row.nonce) ?? 0n)) byNonce.set(row.nonce, cost);
  }
  return byNonce.values().reduce((sum, cost) => sum + cost, 0n);
}
