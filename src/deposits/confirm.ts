import { present } from "../base/assert.ts";
import { last } from "../base/lists.ts";
import { alertRead, closeAlert, raiseAlert } from "../books/alerts.ts";
import type { CreditProof } from "../books/credit_trail.ts";
import { isFinal, isFinalityStale, STALE_DEPTH_FACTOR } from "../books/depth.ts";
import { cursorOf } from "../books/find.ts";
import { depositReads, moveDeposit, placeOf } from "../books/move_transaction.ts";
import { eachGenuine, filterGenuine, reportTampered } from "../books/tampered.ts";
import { creditIn } from "./_other_credit.ts";
import { coveredDeposits, notCovered, waitingDeposits } from "./covered.ts";
import { creditedBefore } from "./rules/refusals.ts";
import { WITH_MORE, withoutDust, withWaitingDust } from "./dust.ts";
import { type TransactionRow, Transactions } from "./tables/transactions.ts";
import type { Deps } from "../deps/deps.ts";
import { depositsForGood, notFinalAsRead } from "../following/final_view.ts";
import { confirmableDeposits, FIRST_DEPOSIT } from "../following/reads.ts";
import { NetworkBlocks, NetworkCursors } from "../following/table.ts";
import { creditProofs, UnprovenDeposit } from "../integrity/never_credited.ts";
import type { NetworkRow } from "../networks/table.ts";
import { tampered, TamperedRow } from "../store/engine/tampered_row.ts";
import { read, type View } from "../store/engine/workspace.ts";
import { Sweeps } from "../sweeps/table.ts";
import { sourceOf } from "../wallets/rules/key_path.ts";
import { Addresses } from "../wallets/tables/addresses.ts";

const DEPOSITS_PER_STEP_MAX = 200;

/** Credits each deposit that is deep enough, has its coins there and was never credited. */
export async function confirmDeposits(deps: Deps, network: NetworkRow): Promise<number> {
  const cursor = await cursorOf(deps, network);
  if (cursor.haltedReason !== null) return 0;
  if (network.finality === "finalized" && isFinalityStale(cursor)) {
    await raiseAlert(deps, finalityStalled(network));
  }
  const next = await nextDeposits(deps, {
    network: network.code,
    height: cursor.scanHeight - network.minConfirmations + 1,
    scanHeight: cursor.scanHeight,
  });
  const deposits = await withWaitingDust(deps, { network, deposits: next });
  const isDue = (row: TransactionRow) => isFinal(row.blockNumber, { cursor, network });
  const agreed = (await agreedUpon(deps, { network, deposits })).filter(isDue);
  const rows = await withoutDust(deps, { network, rows: agreed });
  const [standing, proofOf] = await Promise.all([
    depositsForGood(deps, { network, rows, scanHeight: cursor.scanHeight }),
    creditProofs(deps, rows),
  ]);
  const isDoubtful = (row: TransactionRow) => proofOf(row) === "vouched";
  const covered = await coveredDeposits(deps, { network, deposits: standing, isDoubtful });
  const due = await creditable(deps, { rows: covered, proofOf });
  const confirmed = await eachGenuine(due, (row) =>
    deps.db.write({
      reads: [
        ...depositReads(row),
        ...row.sweepId === null ? [] : [read(Sweeps, [row.sweepId])],
        read(NetworkCursors, [network.code]),
        read(NetworkBlocks, [network.code, row.blockNumber]),
        alertRead(notCovered(row).kind, notCovered(row).subject),
        alertRead(notFinalAsRead(row).kind, notFinalAsRead(row).subject),
      ],
      decide: (view) => confirm(view, { planned: row, network, nowMs: deps.clock.nowMs() }),
    }));
  return confirmed.filter((row) => row !== undefined).length;
}

async function nextDeposits(
  deps: Deps,
  asked: { readonly network: string; readonly height: number; readonly scanHeight: number },
): Promise<TransactionRow[]> {
  const { depositsSeenTo } = deps.memory;
  const limit = DEPOSITS_PER_STEP_MAX;
  const rows = await confirmableDeposits(deps.db, {
    ...asked,
    after: depositsSeenTo.get(asked.network) ?? FIRST_DEPOSIT,
    exceptIds: waitingDeposits(deps),
    limit,
  });
  depositsSeenTo.set(asked.network, rows.length < limit ? FIRST_DEPOSIT : last(rows));
  return await filterGenuine(deps, Transactions, rows);
}

function finalityStalled({ code, minConfirmations }: NetworkRow) {
  return {
    kind: "finality_stalled",
    subject: `network:${code}`,
    message:
      `${code} has finalized nothing for a long time: until it does, deposits confirm after ` +
      `${STALE_DEPTH_FACTOR * minConfirmations} confirmations alone`,
  } as const;
}

/** A network may require several endpoints to have the block, because one of them may lie. */
async function agreedUpon(
  deps: Deps,
  { network, deposits }: { network: NetworkRow; deposits: readonly TransactionRow[] },
): Promise<readonly TransactionRow[]> {
  if (network.quorum === 1) return deposits;
  const chain = deps.chains.of(network);
  const blocks = new Map(
    deposits.map((row) => [row.blockNumber, present(row.blockHash, "It is in a block")]),
  );
  const agreed = new Set<number>();
  await Promise.all([...blocks].map(async ([height, hash]) => {
    if (await chain.witnesses({ height, hash }) >= network.quorum) agreed.add(height);
  }));
  return deposits.filter((row) => agreed.has(row.blockNumber));
}

/** Checks depth and block again inside the unit: a rewind may have happened in between. */
function confirm(
  view: View,
  { planned, network, nowMs }: { planned: TransactionRow; network: NetworkRow; nowMs: number },
): TransactionRow | undefined {
  const row = view.get(Transactions, [planned.id]);
  const cursor = view.get(NetworkCursors, [network.code]);
  const block = view.find(NetworkBlocks, [network.code, row.blockNumber]);
  const isThere = row.blockHash !== null && (!block || block.hash === row.blockHash);
  // What waited for more has been looked at together with it.
  const isMature = row.creditFrom === planned.creditFrom &&
    (row.creditFrom === WITH_MORE || (row.creditFrom ?? 0) <= cursor.scanHeight);
  const isReady = isThere && isMature && isFinal(row.blockNumber, { cursor, network });
  if (!isReady || row.sweepId !== planned.sweepId) return undefined;
  const address = view.get(Addresses, [row.addressId]);
  // Both are genuine, but the address was another account's when the deposit was recorded.
  if (address.accountId !== row.accountId) throw tampered(Transactions, row);
  for (const alert of [notCovered(row), notFinalAsRead(row)]) closeAlert(view, { ...alert, nowMs });
  const at = { topHeight: cursor.topHeight, nowMs };
  const confirmed = moveDeposit(view, { row, step: { trigger: "confirmed", ...at } });
  if (confirmed && sourceOf(address) === "xpub") arrive(view, { row: confirmed, ...at });
  else if (confirmed) followSweep(view, { row: confirmed, ...at });
  return confirmed;
}

/** It lies in the merchant's own wallet. */
function arrive(
  view: View,
  { row, ...step }: { row: TransactionRow; topHeight: number; nowMs: number },
): void {
  const started = moveDeposit(view, { row, step: { ...step, trigger: "sweep_started" } })!;
  moveDeposit(view, { row: started, step: { ...step, trigger: "swept" } });
}

/** A sweep that was booked later moved it before it was credited. */
function followSweep(
  view: View,
  { row, ...step }: { row: TransactionRow; topHeight: number; nowMs: number },
): void {
  const sweep = row.sweepId === null ? undefined : view.find(Sweeps, [row.sweepId]);
  if (sweep?.state !== "sweeping" && sweep?.state !== "done") return;
  const started = moveDeposit(view, { row, step: { ...step, trigger: "sweep_started" } })!;
  if (sweep.state === "done") {
    moveDeposit(view, { row: started, step: { ...step, trigger: "swept" } });
  }
}

/** The rows that may be credited now. A payment credited before fails, and the operator is alerted. */
async function creditable(
  deps: Deps,
  { rows, proofOf }: {
    rows: readonly TransactionRow[];
    proofOf: (row: TransactionRow) => CreditProof;
  },
): Promise<TransactionRow[]> {
  const byPlace = new Map<string, TransactionRow>();
  // If an operator has vouched for one meanwhile, the next step credits it.
  const proofNow = await creditProofs(deps, rows.filter((row) => proofOf(row) === undefined));
  for (const row of rows) {
    const proof = proofOf(row);
    if (proof === undefined) {
      if (proofNow(row) === undefined) await reportTampered(deps, new UnprovenDeposit(row));
    } else if (proof === "credited") await failCredited(deps, row);
    else if (proof === "vouched" && !await isFirstCredit(deps, row)) continue;
    else if (!byPlace.has(placeOf(row))) byPlace.set(placeOf(row), row);
  }
  return [...byPlace.values()];
}

/** An operator's word doesn't count against other rows. */
async function isFirstCredit(deps: Deps, row: TransactionRow): Promise<boolean> {
  const found = await creditIn(deps.db, row);
  if (found === undefined) return true;
  await reportTampered(deps, fault(row, creditedBefore(`Deposit ${row.id}`, found)));
  return false;
}

async function failCredited(deps: Deps, row: TransactionRow): Promise<void> {
  const { status } = (await deps.db.find(Transactions, [row.id])) ?? row;
  // Another program or a command has credited it since it was read, and the log has that credit.
  if (status !== "detected") return;
  const why = `Transaction ${row.id} records a payment (${placeOf(row)}) that was credited before`;
  await reportTampered(deps, fault(row, why));
  await deps.db.write({
    reads: depositReads(row),
    decide: (view) => {
      const now = view.raw.find(Transactions, [row.id]);
      if (now?.status !== "detected" || !view.isGenuine(Transactions, now)) return;
      const step = { trigger: "vanished", topHeight: 0, nowMs: deps.clock.nowMs() } as const;
      moveDeposit(view, { row: now, step });
    },
  });
}

function fault({ id, accountId }: TransactionRow, why: string): TamperedRow {
  return new TamperedRow(Transactions.name, { key: String(id), accountId }, why);
}
