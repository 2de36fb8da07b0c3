import { first } from "../base/lists.ts";
import { NodeError } from "../chains/faults.ts";
import { OperatorError } from "../domain/refusal.ts";
import type { NetworkRow } from "../store/tables/setup.ts";
import { type SignedTransferRow, SignedTransfers } from "../transfers/table.ts";
import { type SweepRow, Sweeps } from "../sweeps/table.ts";
import { unexplainedSpends } from "../transfers/reads/nonces.ts";
import { Alerts } from "../alerts/table.ts";
import { Freezes } from "../books/table.ts";
import { accountFailing } from "../integrity/pause_failing.ts";
import { amountOf } from "../books/address_books.ts";
import { waitNoLonger } from "../deposits/covered.ts";
import { type AdoptOrder, adoptSpend } from "./adopt_spend.ts";
import { type FoundSpend, lookAtSpend } from "../settlement/found_spend.ts";
import { confirmDeposits } from "../deposits/confirm.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { unfreeze } from "../reconcile/manage_freezes.ts";
import { findNetwork } from "../books/find.ts";
import { lookAgain } from "../reconcile/reconcile.ts";

export interface LeftSpend {
  readonly network: string;
  readonly txHash: string;
  readonly sender: string;
  readonly blockNumber: number;
  /** From its bytes; null if they weren't read or pay nobody. */
  readonly to: string | null;
  readonly amount: string | null;
  /** Null for a contract that is no currency of the network. */
  readonly currency: string | null;
  readonly reason: OperatorError | NodeError;
}

interface AdoptedSpends {
  readonly adopted: readonly SignedTransferRow[];
  readonly left: readonly LeftSpend[];
}

const SPENDS_MAX = 10_000;
const LOOKED_AT_TOGETHER = 16;

/** One transaction, with what a person knows about it. */
export async function adoptByHash(
  deps: Deps,
  { network: code, ...order }: Omit<AdoptOrder, "network"> & { network: string },
): Promise<SignedTransferRow> {
  const network = await findNetwork(deps, code);
  const adopted = await adoptSpend(deps, { ...order, network });
  await resumeWaiting(deps, { network, adopted: [adopted], actor: order.actor });
  return await deps.db.get(SignedTransfers, [adopted.id]);
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
  const adopted: SignedTransferRow[] = [];
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
      left.push({ ...await described(deps, { row, found }), reason: error });
    }
  }
  await resumeWaiting(deps, { network, adopted, actor });
  const rows = adopted.map(({ id }) => deps.db.get(SignedTransfers, [id]));
  return { adopted: await Promise.all(rows), left };
}

/**
 * Nodes are asked about several at once, but owners are decided one by one, because each depends on
 * those before.
 */
function* lookedAt(
  deps: Deps,
  { network, rows }: { network: NetworkRow; rows: readonly SignedTransferRow[] },
): Generator<{ row: SignedTransferRow; looking: Promise<FoundSpend> }> {
  for (let from = 0; from < rows.length; from += LOOKED_AT_TOGETHER) {
    const looks = rows.slice(from, from + LOOKED_AT_TOGETHER).map((row) => {
      const looking = lookAtSpend(deps, { network, row });
      // The error surfaces when its turn comes.
      looking.catch(() => {});
      return { row, looking };
    });
    yield* looks;
  }
}

/** Enough for whoever paid to recognise the payout. */
async function described(
  deps: Deps,
  { row, found }: { row: SignedTransferRow; found: FoundSpend | undefined },
): Promise<Omit<LeftSpend, "reason">> {
  const { network, txHash, sender, blockNumber } = row;
  const payment = found?.sent.payment;
  const currency = payment &&
    (await deps.catalog.current()).currencyByContract(network, payment.contract);
  return {
    network,
    txHash,
    sender,
    blockNumber,
    to: payment?.to ?? null,
    amount: currency ? amountOf(payment.amountRaw, currency).toString() : null,
    currency: currency?.symbol ?? null,
  };
}

/** What waited for the books to know it continues at once, instead of at its next look. */
async function resumeWaiting(
  deps: Deps,
  { network, adopted, actor }: {
    network: NetworkRow;
    adopted: readonly SignedTransferRow[];
    actor: Actor;
  },
): Promise<void> {
  const sweepIds = [...new Set(adopted.flatMap(({ sweepId }) => sweepId ?? []))];
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
