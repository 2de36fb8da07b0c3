import type { PreparedTransfer, WalletState } from "../chains/chain.ts";
import type { AddressRow, SignedTransferRow } from "../store/rows.ts";

/** The wallet cannot pay this now: nothing was signed. */
export class CannotPay extends Error {
  override name = "CannotPay";

  /** `lacksCoins`: more of the native coin would help. */
  constructor(message: string, readonly lacksCoins = false) {
    super(message);
  }
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
  { wallet, state, unmined, prepared }: Funds & { prepared: PreparedTransfer },
): void {
  const { contract, amountRaw } = prepared.request;
  const who = `The ${wallet.purpose} wallet`;
  const nativeCommitted = committed(unmined, (row) => row.nativeCostMaxRaw);
  if (state.nativeRaw - nativeCommitted < prepared.nativeCostMaxRaw) {
    throw new CannotPay(
      `${who} needs ${prepared.nativeCostMaxRaw} base units of the native coin and has ` +
        `${state.nativeRaw}, of which ${nativeCommitted} are spoken for`,
      true,
    );
  }
  if (contract === null) return;
  const held = state.tokensRaw.get(contract) ?? 0n;
  const spoken = committed(
    unmined.filter((row) => row.contractAddress === contract),
    (row) => row.amountRaw,
  );
  if (held - spoken < amountRaw) {
    throw new CannotPay(
      `${who} needs ${amountRaw} base units of ${contract} and has ${held}, of which ` +
        `${spoken} are spoken for`,
    );
  }
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
