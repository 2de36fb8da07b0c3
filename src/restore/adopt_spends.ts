import { Alerts } from "../alerts/table.ts";
import { present } from "../base/assert.ts";
import { first } from "../base/lists.ts";
import { amountOf } from "../books/address_books.ts";
import { findNetwork } from "../books/find.ts";
import { Freezes } from "../books/table.ts";
import { NodeError } from "../chains/faults.ts";
import type { SentOrder, SentPayment } from "../chains/sent_bytes.ts";
import { confirmDeposits } from "../deposits/confirm.ts";
import { waitNoLonger } from "../deposits/covered.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { OperatorError } from "../domain/refusal.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { accountFailing } from "../integrity/pause_failing.ts";
import type { NetworkRow } from "../networks/table.ts";
import { unfreeze } from "../reconcile/manage_freezes.ts";
import { lookAgain } from "../reconcile/reconcile.ts";
import { batchClaims } from "./_claim_batch.ts";
import type { SpendTerms } from "./_claim_new_payout.ts";
import { withdrawalClaim } from "./_claim_payout.ts";
import { sweepClaim } from "./_claim_sweep.ts";
import { paidCurrency } from "./_paid_currency.ts";
import { bookSpend, type Claim } from "../settlement/book_spend.ts";
import {
  arePayouts,
  batchOf,
  bookUpkeep,
  isBatch,
  isGasWithdrawal,
  isUpkeep,
} from "../settlement/book_upkeep.ts";
import {
  bidClaim,
  isVoid,
  sameBatch,
  sameOrder,
  sameOrders,
  topUpClaim,
  VOID_CLAIM,
} from "../settlement/claim_spend.ts";
import { type FoundSpend, lookAtSpend, type PaidSpend } from "../settlement/found_spend.ts";
import { letSign } from "../settlement/let_sign.ts";
import { settleTransfer } from "../settlement/settle_transfer.ts";
import { settleBooked } from "../settlement/settle_transfers.ts";
import { type SweepRow, Sweeps } from "../sweeps/table.ts";
import { unexplainedSpends } from "../transfers/reads/places.ts";
import { withPayments } from "../transfers/reads/transfers.ts";
import { type Signed, type SignedTransactionRow, SignedTransactions } from "../transfers/table.ts";

export interface LeftSpend {
  readonly network: string;
  readonly txHash: string;
  readonly sender: string;
  readonly blockNumber: number;
  /** Which of its outputs, if it pays several. */
  readonly output: number | null;
  /** From its bytes; null if they weren't read or pay nobody. */
  readonly to: string | null;
  readonly amount: string | null;
  /** Null for a contract that is no currency of the network. */
  readonly currency: string | null;
  readonly reason: OperatorError | NodeError;
}

interface AdoptedSpends {
  readonly adopted: readonly Signed[];
  readonly left: readonly LeftSpend[];
}

const SPENDS_MAX = 10_000;
const LOOKED_AT_TOGETHER = 16;

/** One transaction, with what a person knows about it. */
export async function adoptByHash(
  deps: Deps,
  { network: code, ...order }: Omit<AdoptOrder, "network"> & { network: string },
): Promise<Signed> {
  const network = await findNetwork(deps, code);
  const adopted = await adoptSpend(deps, { ...order, network });
  await resumeWaiting(deps, { network, adopted: [adopted], actor: order.actor });
  return first(await asBooked(deps, [adopted]));
}

/**
 * Books every unexplained spend of a network that explains itself, oldest first, and says why
 * others are left.
 */
export async function adoptAll(
  deps: Deps,
  { network: code, actor }: { network: string; actor: Actor },
): Promise<AdoptedSpends> {
  const network = await findNetwork(deps, code);
  const adopted: Signed[] = [];
  const left: LeftSpend[] = [];
  const unexplained = await unexplainedSpends(deps.db, {
    network: network.code,
    limit: SPENDS_MAX,
  });
  for (const { row, looking } of lookedAt(deps, { network, rows: unexplained })) {
    let found: FoundSpend | undefined;
    const { txHash } = row;
    const onFound = (one: FoundSpend) => found = one;
    const order = { network, txHash, terms: undefined, actor, looking, onFound };
    try {
      adopted.push(await adoptSpend(deps, order));
    } catch (error) {
      if (!(error instanceof OperatorError || error instanceof NodeError)) throw error;
      const described = await describe(deps, { row, found });
      left.push(...described.map((one) => ({ ...one, reason: error })));
    }
  }
  await resumeWaiting(deps, { network, adopted, actor });
  return { adopted: await asBooked(deps, adopted), left };
}

async function asBooked({ db }: Deps, adopted: readonly Signed[]): Promise<Signed[]> {
  const rows = adopted.map(({ tx: { id } }) => db.get(SignedTransactions, [id]));
  return await withPayments(db, await Promise.all(rows));
}

/**
 * Nodes are asked about several at once, but owners are decided one by one, because each depends on
 * those before.
 */
function* lookedAt(
  deps: Deps,
  { network, rows }: { network: NetworkRow; rows: readonly SignedTransactionRow[] },
): Generator<{ row: SignedTransactionRow; looking: Promise<FoundSpend> }> {
  for (let from = 0; from < rows.length; from += LOOKED_AT_TOGETHER) {
    const looks = rows.slice(from, from + LOOKED_AT_TOGETHER).map((row) => {
      const looking = lookAtSpend(deps, { network, tx: row });
      // The error surfaces when its turn comes.
      looking.catch(() => {});
      return { row, looking };
    });
    yield* looks;
  }
}

/** Enough for whoever paid to recognise the payouts: one for each that isn't known. */
async function describe(
  deps: Deps,
  { row, found }: { row: SignedTransactionRow; found: FoundSpend | undefined },
): Promise<Omit<LeftSpend, "reason">[]> {
  const { network, txHash, sender, blockNumber } = row;
  const catalog = await deps.catalog.current();
  return paidIn(found).map((payment) => {
    const currency = payment && catalog.currencyByContract(network, payment.contract);
    return {
      network,
      txHash,
      sender,
      blockNumber,
      output: payment?.output ?? null,
      to: payment?.to ?? null,
      amount: currency ? amountOf(payment.amountRaw, currency).toString() : null,
      currency: currency?.symbol ?? null,
    };
  });
}

function paidIn(
  found: FoundSpend | undefined,
): readonly (Partial<SentOrder> & SentPayment | null)[] {
  if (!found || !arePayouts(found)) return [found?.sent.payment ?? null];
  const { orders } = batchOf(found);
  const same = sameOrders(found);
  const unknown = orders.filter((_, i) => !same[i]);
  return unknown.length > 0 ? unknown : orders;
}

/** What waited for the books to know it continues at once, instead of at its next look. */
async function resumeWaiting(
  deps: Deps,
  { network, adopted, actor }: {
    network: NetworkRow;
    adopted: readonly Signed[];
    actor: Actor;
  },
): Promise<void> {
  const sweepIds = [
    ...new Set(adopted.flatMap(({ payments }) => payments.flatMap(({ sweepId }) => sweepId ?? []))),
  ];
  if (sweepIds.length === 0) return;
  waitNoLonger(deps);
  await confirmDeposits(deps, network);
  const sweeps = await Promise.all(sweepIds.map((id) => deps.db.get(Sweeps, [id])));
  const byAsset = Map.groupBy(sweeps, (row) => `${row.accountId}/${row.currency}`);
  for (const some of byAsset.values()) {
    await unfreezeIfRight(deps, { sweep: first(some), actor });
  }
}

/** The money is where it should be, so a node that is silent now must not leave this open. */
async function unfreezeIfRight(
  deps: Deps,
  { sweep: { accountId, network, currency }, actor }: { sweep: SweepRow; actor: Actor },
): Promise<void> {
  const asset = { accountId, network, currency };
  if (!await deps.db.find(Freezes, [accountId, network, currency])) return;
  const { kind, subject } = accountFailing(asset);
  if (await deps.db.find(Alerts, [kind, subject, 1], "open")) return;
  const { differences, skipped } = await lookAgain(deps, asset);
  if (differences.length === 0 && skipped.length === 0) await unfreeze(deps, { ...asset, actor });
}

interface AdoptOrder {
  readonly network: NetworkRow;
  readonly txHash: string;
  /** Undefined: book only what explains itself, and no withdrawal that the books don't know. */
  readonly terms: SpendTerms | undefined;
  readonly actor: Actor;
  /** The look-up in progress; booking checks all of it again. */
  readonly looking?: Promise<FoundSpend>;
  /** Called with what bytes and chain show, before its owner is decided. */
  onFound?(found: FoundSpend): void;
  /** It was already booked, or explained itself: the given terms changed nothing. */
  onTermsUnused?(booked: Signed): void;
}

/**
 * Books a transaction that this gateway signed, but these restored books don't know. It is booked
 * once: the row with its hash is foreign before and never after.
 */
async function adoptSpend(deps: Deps, order: AdoptOrder): Promise<Signed> {
  const { network, txHash, actor } = order;
  const known = await transferOf(deps, order);
  if (!known) throw refuse("spend_unknown", { txHash, network: network.code });
  const isByTerms = known.isForeign && await book(deps, { ...order, row: known });
  const tx = present(await transferOf(deps, order), "It was found before");
  const booked = first(await withPayments(deps.db, [tx]));
  if (!isByTerms) order.onTermsUnused?.(booked);
  await letSign(deps, { network, address: tx.sender, actor });
  return booked;
}

/** If interrupted before it is settled, a worker settles it. True: the person's terms were used. */
async function book(
  deps: Deps,
  { row, ...order }: AdoptOrder & { row: SignedTransactionRow },
): Promise<boolean> {
  const { network, actor } = order;
  const found = await (order.looking ?? lookAtSpend(deps, { network, tx: row }));
  order.onFound?.(found);
  const isNamed = order.terms !== undefined;
  const isUnpaid = isUpkeep(found) ||
    isNamed && !sameOrder(found) && await isGasWithdrawal(deps, found);
  const orders = isUnpaid ? [] : await ordersOf(deps, { ...order, found });
  if (orders) {
    const signed = await bookUpkeep(deps, { found, orders, actor });
    if (signed) await settleBooked(deps, { network, signed });
    return signed !== undefined && arePayouts(found) && !sameOrders(found).every(Boolean);
  }
  if (order.terms?.payouts) throw refuse("spend_of_one_payout", { txHash: row.txHash });
  const { claim, isByTerms } = await claimOf(deps, { ...order, found });
  const booked = await bookSpend(deps, { found, claim, actor });
  if (booked) await settleTransfer(deps, { network, tx: booked });
  return isByTerms && booked !== undefined;
}

/** Undefined unless it is a batch, or several payouts. */
async function ordersOf(
  deps: Deps,
  order: AdoptOrder & { found: FoundSpend },
): Promise<Claim[] | undefined> {
  const { found, terms } = order;
  if (arePayouts(found)) return await payoutClaims(deps, order);
  if (!isBatch(found)) return undefined;
  return sameBatch(found) ?? await batchClaims(deps, { found, isNamed: terms !== undefined });
}

/** Each that the books didn't sign for the same claims needs terms of its own. */
async function payoutClaims(
  deps: Deps,
  { found, terms, actor }: AdoptOrder & { found: FoundSpend },
): Promise<Claim[]> {
  const { network, tx: { txHash }, wallet } = found;
  const { orders } = batchOf(found);
  const same = sameOrders(found);
  const unknown = orders.filter((_, i) => !same[i]);
  const isOf = (number: number) => unknown.some(({ output }) => output === number);
  const stranger = [...terms?.payouts?.keys() ?? []].find((number) => !isOf(number));
  if (stranger !== undefined) throw refuse("spend_without_output", { txHash, output: stranger });
  const [one] = unknown;
  if (one && !terms?.payouts) {
    const accountId = present(wallet.accountId, "A hot wallet has an account");
    const spend = { txHash, network: network.code, accountId };
    const outputs = unknown.map(({ output }) => present(output, "They are several"));
    throw refuse("payouts_unexplained", { ...spend, outputs });
  }
  return await Promise.all(orders.map(async (payment, i) => {
    const bid = same[i];
    if (bid) return bidClaim(found, bid);
    const output = present(payment.output, "They are several");
    const named = terms?.payouts?.get(output);
    if (!named) throw refuse("payout_unnamed", { txHash, output, to: payment.to });
    const currency = await paidCurrency(deps, found, payment);
    const others = new Set(
      same.flatMap((other) => other?.withdrawalId ?? []).concat(namedBeside(terms, output)),
    );
    const payout = { found, payment, currency, output, others };
    return await withdrawalClaim(deps, { ...payout, terms: named, actor });
  }));
}

function namedBeside(terms: SpendTerms | undefined, output: number): number[] {
  return [...terms?.payouts ?? []].flatMap(([other, { withdrawal }]) =>
    other !== output && typeof withdrawal === "number" ? [withdrawal] : []
  );
}

function transferOf(deps: Deps, { network, txHash }: Pick<AdoptOrder, "network" | "txHash">) {
  return deps.db.find(SignedTransactions, [network.code, txHash], "hash");
}

async function claimOf(
  deps: Deps,
  { found, terms, actor }: AdoptOrder & { found: FoundSpend },
): Promise<{ claim: Claim; isByTerms: boolean }> {
  const { network, tx: row, wallet, sent } = found;
  const spend = { txHash: row.txHash, network: network.code };
  // No hot wallet's coins are gathered with those of others.
  const isGathered = wallet.purpose === "hot" && (sent.batch?.orders.length ?? 0) > 1;
  if (sent.raw === "" || isGathered) throw refuse("spend_of_other_kind", spend);
  if (wallet.purpose === "deposit" && found.spend.uses && !sent.batch) {
    throw refuse("sweep_of_unknown", spend);
  }
  const bid = sameOrder(found);
  if (bid) return byItself(bidClaim(found, bid));
  if (isVoid(found)) return byItself(VOID_CLAIM);
  if (wallet.purpose === "gas") return byItself(await topUpClaim(deps, found));
  const paid = await paidBy(deps, found);
  if (wallet.purpose === "deposit") {
    const needsDeposits = terms === undefined;
    return byItself(
      await sweepClaim(deps, { ...paid, from: wallet, needsDeposits, ifElsewhere: "refuse" }),
    );
  }
  if (terms) {
    return { claim: await withdrawalClaim(deps, { ...paid, terms, actor }), isByTerms: true };
  }
  const accountId = present(wallet.accountId, "A hot wallet has an account");
  throw refuse("payout_unexplained", { ...spend, to: paid.payment.to, accountId });
}

function byItself(claim: Claim): { claim: Claim; isByTerms: boolean } {
  return { claim, isByTerms: false };
}

async function paidBy(deps: Deps, found: FoundSpend): Promise<PaidSpend> {
  const { network: { code }, tx: { txHash }, sent: { payment } } = found;
  if (!payment) throw refuse("spend_without_payment", { txHash, network: code });
  return { found, payment, currency: await paidCurrency(deps, found, payment) };
}
