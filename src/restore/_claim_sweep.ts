import { receiverOf } from "../accounts/receiver.ts";
import { ReceivingWallets } from "../accounts/tables/accounts.ts";
import { present } from "../base/assert.ts";
import { amountOf, rawOf } from "../books/address_books.ts";
import { alertRead, closeAlert, insertAlert } from "../books/alerts.ts";
import { moveSweep, releaseDeposits, releaseUncredited } from "../books/move_sweep.ts";
import { moveDeposit } from "../books/move_transaction.ts";
import { insertOutgoing } from "../books/transaction_rows.ts";
import { type TransactionRow, Transactions } from "../deposits/tables/transactions.ts";
import type { Deps } from "../deps/deps.ts";
import type { Amount } from "../domain/money/amount.ts";
import { outpointOf } from "../domain/outpoint.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import type { CurrencyRow } from "../networks/table.ts";
import { type Claim, NOBODY } from "../settlement/book_spend.ts";
import { bidClaim } from "../settlement/claim_spend.ts";
import type { FoundSpend, PaidSpend } from "../settlement/found_spend.ts";
import { sweptElsewhere } from "../settlement/settle_unsettled.ts";
import { read, readAll, type View } from "../store/engine/workspace.ts";
import { insertSweep } from "../sweeps/assign.ts";
import { depositsOfSweep, unmovedDeposits } from "../sweeps/reads/sweeps.ts";
import { type SweepRow, Sweeps } from "../sweeps/table.ts";
import { type SignedPaymentRow, SignedPayments } from "../transfers/table.ts";
import type { AddressRow } from "../wallets/tables/addresses.ts";

interface MovedFrom extends PaidSpend {
  /** Whose coins moved. */
  readonly from: AddressRow;
  /** If it didn't go to its account's receiving wallet. In a batch, only its own order waits. */
  readonly ifElsewhere: "refuse" | "wait" | "ignore";
}

interface Moved extends MovedFrom {
  readonly accountId: number;
  readonly amount: Amount;
  /** Why it waits for a person: it went to a wallet that isn't its account's. */
  readonly elsewhere: string | undefined;
  /** Waiting or parked, or under way with `bid`. */
  readonly open: SweepRow | undefined;
  /** What the books signed for it, which lost its outputs to this one. */
  readonly bid: SignedPaymentRow | undefined;
  /** Oldest first; some may not be credited yet. */
  readonly deposits: readonly TransactionRow[];
  /** Deposits that waited for a sweep but arrived too late for this one. */
  readonly others: readonly TransactionRow[];
}

/** Everything that an address had collected at that time. */
export async function sweepClaim(
  deps: Deps,
  { needsDeposits, ...paid }: MovedFrom & {
    /** The books must know what it moved: no person named exactly this transaction. */
    needsDeposits: boolean;
  },
): Promise<Claim> {
  const { found: { network, tx: row }, from, payment: { amountRaw }, currency } = paid;
  const accountId = present(from.accountId, "A deposit address has an account");
  const place = { addressId: from.id, currency: currency.symbol };
  const open = await deps.db.find(Sweeps, [from.id, currency.symbol, 1], "open");
  const bid = open &&
    paid.found.sought.findLast(({ purpose, sweepId }) =>
      purpose === "sweep" && sweepId === open.id
    );
  const elsewhere = await elsewhereOf(deps, { ...paid, accountId, bid });
  const [waiting, loose] = await Promise.all([
    open ? depositsOfSweep(deps.db, open.id) : [],
    unmovedDeposits(deps.db, { ...place, accountId, network: network.code }),
  ]);
  const { uses } = paid.found.spend;
  const deposits = movedOf([...waiting, ...loose], { row, currency, amountRaw, uses });
  const others = waiting.filter((one) => !deposits.includes(one));
  const amount = amountOf(amountRaw, currency);
  const moved = { ...paid, accountId, amount, elsewhere, open, bid, deposits, others };
  if (needsDeposits) checkExplained(moved);
  return claimOf(moved);
}

async function elsewhereOf(
  deps: Deps,
  { found: { network, tx: { txHash } }, payment: { to }, accountId, bid, ifElsewhere }:
    & MovedFrom
    & Pick<Moved, "accountId" | "bid">,
): Promise<string | undefined> {
  if (ifElsewhere === "ignore" || bid?.toAddress === to) return undefined;
  const wallet = await deps.db.find(ReceivingWallets, [accountId, network.code]);
  const receiving = wallet ? receiverOf(network, wallet.address).sweptTo : null;
  if (receiving === to) return undefined;
  const spend = { txHash, network: network.code, to, accountId };
  const refusal = refuse("sweep_to_other_wallet", { ...spend, receiving });
  if (ifElsewhere === "refuse") throw refusal;
  return refusal.message;
}

/** A deposit booked later would wait for a sweep forever, although this one took it. */
function checkExplained({ found: { tx: row }, from, currency, deposits, amount }: Moved): void {
  const knownRaw = deposits.reduce((sum, one) => sum + rawOf(one.amount, currency), 0n);
  if (knownRaw >= amount.toRaw(currency.decimals)) return;
  throw refuse("sweep_unexplained", {
    txHash: row.txHash,
    network: row.network,
    address: from.address,
    amount: amount.toString(),
    currency: currency.symbol,
    known: amountOf(knownRaw, currency).toString(),
  });
}

/**
 * Oldest first, as long as the amount includes a part of them: for coins, the fee comes out of the
 * last one. Of outputs, those that it spent.
 */
function movedOf(
  candidates: readonly TransactionRow[],
  { row, currency, amountRaw, uses }: {
    row: { readonly blockNumber: number };
    currency: CurrencyRow;
    amountRaw: bigint;
    uses: FoundSpend["spend"]["uses"];
  },
): TransactionRow[] {
  let leftRaw = amountRaw;
  const spent = uses && new Set(uses.map(({ claim }) => claim));
  return candidates
    .filter((deposit) => spent?.has(outpointOf(deposit)) ?? true)
    .filter(({ blockHash, blockNumber }) => blockHash !== null && blockNumber <= row.blockNumber)
    .toSorted((a, b) => a.blockNumber - b.blockNumber || a.id - b.id)
    .filter((deposit) => {
      if (leftRaw <= 0n) return false;
      leftRaw -= rawOf(deposit.amount, currency);
      return true;
    });
}

function claimOf(moved: Moved): Claim {
  const { found, from, payment, currency: { network, symbol }, accountId, open, bid } = moved;
  const again = bid && bidClaim(found, bid);
  const alert = sweptElsewhere({ txHash: found.tx.txHash, network, fromAddress: from.address });
  const asset = { accountId, network, currency: symbol };
  const key = [from.id, symbol, 1];
  return {
    reads: [
      read(Sweeps, key, "open"),
      ...readAll(Transactions, [...moved.deposits, ...moved.others].map(({ id }) => [id])),
      ...open ? [alertRead("sweep_parked", `sweep:${open.id}`)] : [],
      alertRead(alert.kind, alert.subject),
      ...again?.reads ?? [],
    ],
    owner: (view, nowMs) => {
      const current = view.find(Sweeps, key, "open");
      if (current?.id !== open?.id) throw refuse("sweep_changed");
      const sweep = current ?? insertSweep(view, { ...asset, addressId: from.id, nowMs });
      takeAlong(view, { ...moved, sweep, nowMs });
      return again?.owner(view, nowMs) ?? { ...NOBODY, purpose: "sweep", sweepId: sweep.id };
    },
    updateOwner: (view, { tx, payment: paid, nowMs }) => {
      const shown = { accountId, currency: symbol, amount: moved.amount.toString(), nowMs };
      const row = { ...shown, toAddress: payment.to, direction: "sweep" } as const;
      if (again) again.updateOwner(view, { tx, payment: paid, nowMs });
      else insertOutgoing(view, { tx, payment: paid, row });
      if (moved.elsewhere === undefined) return;
      const booked = view.get(SignedPayments, [paid.id]);
      view.update(SignedPayments, booked, { unsettled: "other_wallet" });
      insertAlert(view, { ...alert, message: moved.elsewhere, accountId, nowMs });
    },
  };
}

/**
 * A waiting or parked sweep was already done by this one. Deposits that came later belong to the
 * next.
 */
function takeAlong(
  view: View,
  { sweep, bid, deposits, others, nowMs }: Moved & { sweep: SweepRow; nowMs: number },
): void {
  const { id } = sweep;
  if (sweep.state === "parked") {
    moveSweep(view, { id, trigger: "retried", deposits: [], nowMs });
    closeAlert(view, { kind: "sweep_parked", subject: `sweep:${id}`, nowMs });
  }
  const taken = deposits.map((row) => view.get(Transactions, [row.id]))
    .filter((row) => isUnmoved(row) && (row.sweepId === null || row.sweepId === id))
    .map((row) => view.update(Transactions, row, { sweepId: id }));
  if (sweep.state === "sweeping" && bid) {
    const step = { trigger: "sweep_started", topHeight: 0, nowMs } as const;
    for (const row of taken) moveDeposit(view, { row, step });
    releaseDeposits(view, { deposits: others, nowMs });
    return releaseUncredited(view, others);
  }
  if (!moveSweep(view, { id, trigger: "signed", deposits: taken, nowMs })) {
    throw refuse("sweep_under_way", { id });
  }
  for (const row of others.map((one) => view.get(Transactions, [one.id]))) {
    if (row.status === "confirmed") view.update(Transactions, row, { sweepId: null });
  }
  releaseUncredited(view, others);
}

/** An uncredited deposit counts too: it can't be credited while the books don't know where it went. */
function isUnmoved({ status, blockHash }: TransactionRow): boolean {
  return (status === "detected" || status === "confirmed") && blockHash !== null;
}
