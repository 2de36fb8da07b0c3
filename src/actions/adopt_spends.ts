import { NodeError } from "../chains/chain.ts";
import { OperatorError } from "../domain/refusal.ts";
import { openAlertsOf } from "../store/list_reads.ts";
import type { NetworkRow, SignedTransferRow, SweepRow } from "../store/rows.ts";
import { Alerts, Freezes, SignedTransfers, Sweeps } from "../store/tables.ts";
import { alertRead, closeAlert } from "./_alerts.ts";
import { waitNoLonger } from "./_covered_deposits.ts";
import { type AdoptOrder, adoptSpend } from "./adopt_spend.ts";
import { confirmDeposits } from "./confirm_deposits.ts";
import type { Actor, Deps } from "./deps.ts";
import { unfreeze } from "./manage_freezes.ts";
import { findNetwork } from "./manage_networks.ts";
import { lookAgain } from "./reconcile.ts";
import { rescan } from "./rescan.ts";

export interface LeftSpend {
  readonly network: string;
  readonly txHash: string;
  readonly sender: string;
  readonly reason: string;
}

export interface AdoptedSpends {
  readonly adopted: readonly SignedTransferRow[];
  readonly left: readonly LeftSpend[];
}

const SPENDS_MAX = 10_000;

/** One transaction, with what a person knows of it. */
export async function adoptByHash(
  deps: Deps,
  { network: code, ...order }: Omit<AdoptOrder, "network"> & { network: string },
): Promise<SignedTransferRow> {
  const network = await findNetwork(deps, code);
  const adopted = await adoptSpend(deps, { ...order, network });
  await bringInLine(deps, { network, adopted: [adopted], actor: order.actor });
  return (await deps.db.find(SignedTransfers, [adopted.id]))!;
}

/** Every unexplained spend of a network that explains itself, oldest first; and why others are left. */
export async function adoptAll(
  deps: Deps,
  { network: code, actor }: { network: string; actor: Actor },
): Promise<AdoptedSpends> {
  const network = await findNetwork(deps, code);
  const adopted: SignedTransferRow[] = [];
  const left: LeftSpend[] = [];
  for (const { txHash, sender } of await foreignSpends(deps, network)) {
    try {
      adopted.push(await adoptSpend(deps, { network, txHash, terms: undefined, actor }));
    } catch (error) {
      if (!(error instanceof OperatorError || error instanceof NodeError)) throw error;
      left.push({ network: network.code, txHash, sender, reason: error.message });
    }
  }
  await bringInLine(deps, { network, adopted, actor });
  const rows = adopted.map(({ id }) => deps.db.find(SignedTransfers, [id]));
  return { adopted: (await Promise.all(rows)).map((row) => row!), left };
}

async function foreignSpends(deps: Deps, { code }: NetworkRow): Promise<SignedTransferRow[]> {
  const alerts = await openAlertsOf(deps.db, { kind: "foreign_spend", limit: SPENDS_MAX });
  const rows = await Promise.all(
    alerts.map(({ subject }) => deps.db.find(SignedTransfers, [code, subject], "hash")),
  );
  return rows.filter((row) => row?.purpose === "foreign").map((row) => row!)
    .toSorted((a, b) => a.blockNumber - b.blockNumber || a.nonce - b.nonce);
}

/** What waited for the books to know it goes on at once, and not when it is next looked at. */
async function bringInLine(
  deps: Deps,
  { network, adopted, actor }: {
    network: NetworkRow;
    adopted: readonly SignedTransferRow[];
    actor: Actor;
  },
): Promise<void> {
  for (const transfer of adopted.filter(({ purpose }) => purpose === "withdrawal")) {
    await readPayee(deps, { transfer, actor });
  }
  const sweepIds = [...new Set(adopted.flatMap(({ sweepId }) => sweepId ?? []))];
  if (sweepIds.length === 0) return;
  waitNoLonger(deps);
  await confirmDeposits(deps, network);
  const sweeps = await Promise.all(sweepIds.map((id) => deps.db.find(Sweeps, [id])));
  const byAsset = Map.groupBy(sweeps, (row) => `${row!.accountId}/${row!.currency}`);
  for (const [first] of byAsset.values()) await unfreezeIfRight(deps, { sweep: first!, actor });
}

/** A withdrawal to a deposit address of ours is a deposit there, which nobody saw in it before. */
async function readPayee(
  deps: Deps,
  { transfer, actor }: { transfer: SignedTransferRow; actor: Actor },
): Promise<void> {
  const { network, txHash, blockNumber } = transfer;
  const alert = { kind: "own_funds_moved", subject: txHash } as const;
  if (!await deps.db.find(Alerts, [alert.kind, txHash, 1], "open")) return;
  await rescan(deps, { network, fromBlock: blockNumber, toBlock: blockNumber, actor });
  const nowMs = deps.clock.nowMs();
  await deps.db.write({
    reads: [alertRead(alert.kind, txHash)],
    decide: (view) => closeAlert(view, { ...alert, nowMs }),
  });
}

/** The money is where it should be: no node that is silent now may leave that open. */
async function unfreezeIfRight(
  deps: Deps,
  { sweep: { accountId, network, currency }, actor }: { sweep: SweepRow; actor: Actor },
): Promise<void> {
  const asset = { accountId, network, currency };
  if (!await deps.db.find(Freezes, [accountId, network, currency])) return;
  const { differences, skipped } = await lookAgain(deps, asset);
  if (differences.length === 0 && skipped.length === 0) await unfreeze(deps, { ...asset, actor });
}
