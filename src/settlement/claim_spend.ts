import { present } from "../base/assert.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { Addresses, type AddressRow } from "../wallets/tables/addresses.ts";
import type { Paying, SignedPaymentRow } from "../transfers/table.ts";
import { NetworkCursors } from "../following/table.ts";
import { Transactions } from "../deposits/tables/transactions.ts";
import { Withdrawals } from "../withdrawals/table.ts";
import { read, type View } from "../store/engine/workspace.ts";
import { alertRead, closeAlert } from "../books/alerts.ts";
import { type Claim, NOBODY } from "./book_spend.ts";
import type { FoundSpend } from "./found_spend.ts";
import { outgoingPosition } from "../books/move_transaction.ts";
import type { SentBatch } from "../chains/sent_bytes.ts";
import { insertOutgoing } from "../books/transaction_rows.ts";
import { takeBackOwnGas } from "../following/record_movements.ts";
import { followBid } from "../following/record_spends.ts";
import type { Deps } from "../deps/deps.ts";

/**
 * A payment that the books signed for the same claims: this one outbid it, or was signed again. What
 * is gathered from several addresses isn't one payment, and all of it goes to the same address.
 */
export function sameOrder(
  { sought, spend, sent: { sender, payment, batch } }: FoundSpend,
): SignedPaymentRow | undefined {
  if (payment === null || (batch?.orders.length ?? 1) > 1) return undefined;
  return sought.find((bid) =>
    bid.purpose !== "void" && bid.fromAddress === sender && bid.toAddress === payment.to &&
    bid.contractAddress === payment.contract &&
    (bid.purpose === "sweep"
      ? isAllOf(bid, { spend, batch })
      : BigInt(bid.amountRaw) === payment.amountRaw)
  );
}

/**
 * When emptying an address, a more expensive bid moves less. What is gathered says what it took before
 * the fee: if that was other outputs, other deposits were swept. It doesn't as long as the books lack
 * one of the outputs.
 */
function isAllOf(
  { amountRaw }: SignedPaymentRow,
  { spend, batch }: { spend: FoundSpend["spend"]; batch: SentBatch | undefined },
): boolean {
  if (!batch) return spend.uses === undefined;
  return batch.orders.every((order) => order.amountRaw === BigInt(amountRaw));
}

/**
 * Undefined unless the books signed all of its orders for the same claims. It may lack some that they
 * signed with them.
 */
export function sameBatch(found: FoundSpend): Claim[] | undefined {
  const { bids, sought, sent: { batch } } = found;
  if (!batch || batch.orders.length === 0) return undefined;
  for (const { payments } of bids) {
    const same = batch.orders.map(({ from, to, contract, amountRaw }) =>
      payments.find((one) =>
        one.purpose !== "void" && sought.includes(one) && one.fromAddress === from &&
        one.toAddress === to && one.contractAddress === contract &&
        BigInt(one.amountRaw) === amountRaw
      )
    ).filter((one) => one !== undefined);
    // The same one twice would be two orders of one.
    if (new Set(same).size !== batch.orders.length) continue;
    return same.map((payment) => bidClaim(found, payment));
  }
  return undefined;
}

/**
 * Of each of its orders, the payment that the books signed for the same claims, if there is one. No
 * withdrawal or sweep is two of them.
 */
export function sameOrders(
  { sought, sent: { batch } }: FoundSpend,
): (SignedPaymentRow | undefined)[] {
  const taken = new Set<string>();
  const ownerOf = ({ withdrawalId, sweepId }: SignedPaymentRow) => `${withdrawalId}/${sweepId}`;
  return (batch?.orders ?? []).map(({ from, to, contract, amountRaw }) => {
    const same = sought.find((one) =>
      one.purpose !== "void" && !taken.has(ownerOf(one)) && one.fromAddress === from &&
      one.toAddress === to && one.contractAddress === contract &&
      BigInt(one.amountRaw) === amountRaw
    );
    if (same) taken.add(ownerOf(same));
    return same;
  });
}

/** It has the bid's purpose and takes its place for the owner. */
export function bidClaim({ network, tx }: FoundSpend, bid: SignedPaymentRow): Claim {
  const { purpose, withdrawalId, sweepId, transactionId } = bid;
  const anchor = {
    blockNumber: tx.blockNumber,
    blockHash: present(tx.blockHash, "It is in a block"),
  };
  return {
    reads: [
      ...transactionId === null ? [] : [read(Transactions, [transactionId])],
      ...withdrawalId === null ? [] : [read(Withdrawals, [withdrawalId])],
    ],
    owner: () => ({ purpose, withdrawalId, sweepId, transactionId }),
    updateOwner: (view, { tx, payment }) => {
      moveRow(view, { tx, payment, bid });
      followBid(view, { network, tx, payment, anchor });
    },
  };
}

/** Others may have been signed with it, so that it has another position among them. */
function moveRow(
  view: View,
  { tx: { txHash }, payment, bid }: Paying & { bid: SignedPaymentRow },
): void {
  const { transactionId, toAddress, purpose } = payment;
  const row = transactionId === null ? undefined : view.find(Transactions, [transactionId]);
  if (row?.live !== 1 || purpose === "void") return;
  const position = outgoingPosition(payment);
  const isElsewhere = toAddress !== bid.toAddress;
  view.update(Transactions, row, { txHash, position, ...isElsewhere && { toAddress } });
}

/** It moved nothing: it failed, or was made to replace another one. */
export function isVoid({ spend, sent: { sender, payment } }: FoundSpend): boolean {
  if (!spend.succeeded) return true;
  return payment?.to === sender && payment.contract === null && payment.amountRaw === 0n;
}

export const VOID_CLAIM: Claim = {
  reads: [],
  owner: () => ({ ...NOBODY, purpose: "void" }),
  updateOwner: () => {},
};

/** Coins from the gas wallet to an account's address, where they might pass for a deposit. */
export async function topUpClaim(
  deps: Deps,
  { network, tx, sent, received: plan }: FoundSpend,
): Promise<Claim> {
  const { to = "nobody", contract = null, amountRaw = 0n } = sent.payment ?? {};
  const target = contract === null
    ? await deps.db.find(Addresses, [network.code, to], "address")
    : undefined;
  const accountId = accountOf(target);
  if (accountId === null) throw refuse("spend_not_gas", { txHash: tx.txHash, to });
  const asset = assetOf({ network: network.code, currency: network.nativeSymbol });
  const amount = Amount.fromRaw(amountRaw, { asset, decimals: network.nativeDecimals });
  return {
    reads: [alertRead("own_funds_moved", tx.txHash)],
    owner: () => ({ ...NOBODY, purpose: "gas_topup" }),
    updateOwner: (view, { payment, nowMs, ...booked }) => {
      const currency = network.nativeSymbol;
      const shown = { accountId, currency, toAddress: to, amount: amount.toString(), nowMs };
      insertOutgoing(view, { ...booked, payment, row: { ...shown, direction: "gas_topup" } });
      const { topHeight } = view.get(NetworkCursors, [network.code]);
      takeBackOwnGas(view, { plan, network, topHeight, nowMs });
      closeAlert(view, { kind: "own_funds_moved", subject: tx.txHash, nowMs });
    },
  };
}

function accountOf(target: AddressRow | undefined): number | null {
  return target === undefined || target.purpose === "gas" ? null : target.accountId;
}
