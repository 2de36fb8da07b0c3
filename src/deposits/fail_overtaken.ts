import { BLOCKS_REMEMBERED, finalHeight } from "../books/depth.ts";
import { alertRead, insertAlert, logAlert, type NewAlert } from "../books/alerts.ts";
import { cursorOf } from "../books/find.ts";
import { depositReads, takeBack, takeBackReads } from "../books/move_transaction.ts";
import { eachGenuine } from "../books/tampered.ts";
import type { Deps } from "../deps/deps.ts";
import { type NetworkCursorRow, NetworkCursors } from "../following/table.ts";
import type { NetworkRow } from "../networks/table.ts";
import { type Read, read, readAll, type View } from "../store/engine/workspace.ts";
import { overtakenDeposits, unseenDeposits } from "./reads/deposits.ts";
import { inputsOf, settledInputs } from "./reads/inputs.ts";
import { DepositInputs } from "./tables/inputs.ts";
import { type TransactionRow, Transactions } from "./tables/transactions.ts";

const FAILED_PER_STEP_MAX = 50;
const DAYS_UNSEEN = 14;
const UNSEEN_MS = DAYS_UNSEEN * 86_400_000;

/**
 * Where deposits are seen before their block: one in none fails once something else has spent what
 * it or its ancestors spend, for good, or when no node has shown it for long. Mined all the same, it
 * is a new deposit.
 */
export async function failOvertakenDeposits(deps: Deps, network: NetworkRow): Promise<number> {
  const noted = deps.memory.pendingNoted.get(network.code);
  // Nobody has looked yet, or they aren't seen there.
  if (!noted || !deps.chains.of(network).pending) return 0;
  const { code } = network;
  const cursor = await cursorOf(deps, network);
  const limit = FAILED_PER_STEP_MAX;
  const [overtaken, unseen] = await Promise.all([
    overtakenDeposits(deps.db, { network: code, height: finalHeight({ cursor, network }), limit }),
    unseenDeposits(deps.db, {
      network: code,
      sinceMs: deps.clock.nowMs() - UNSEEN_MS,
      exceptHashes: [...noted.keys()],
      limit,
    }),
  ]);
  await eachGenuine(overtaken, (row) => failOvertaken(deps, { network, row }));
  await eachGenuine(unseen, (row) => failUnseen(deps, { network, row }));
  return overtaken.length + unseen.length;
}

interface Lost {
  readonly network: NetworkRow;
  readonly row: TransactionRow;
}

async function failOvertaken(deps: Deps, { network, row }: Lost): Promise<void> {
  const { code } = network;
  const inputs = await inputsOf(deps.db, { network: code, txHash: row.txHash });
  await deps.db.write({
    reads: [
      ...lostReads({ network, row }),
      ...readAll(DepositInputs, inputs.map(({ id }) => [id])),
    ],
    decide: (view) => {
      const cursor = view.get(NetworkCursors, [code]);
      const now = stillLost(view, row);
      const height = finalHeight({ cursor, network });
      // A reorganisation may have brought its inputs back.
      const isOvertaken = inputs.some(({ id }) => {
        const input = view.find(DepositInputs, [id]);
        return input && input.spentHash !== null && (input.spentHeight ?? Infinity) <= height;
      });
      if (now && isOvertaken) fail(view, { row: now, cursor, nowMs: deps.clock.nowMs() });
    },
  });
}

async function failUnseen(deps: Deps, { network, row }: Lost): Promise<void> {
  const alert: NewAlert = {
    kind: "deposit_unseen",
    // One of many: whoever sends what is never mined pays nothing for it.
    subject: `account:${row.accountId} ${network.code}`,
    message: `Deposit ${row.id} of ${row.amount} ${row.currency} on ${row.network} was in no ` +
      `block, and no node has shown ${row.txHash} for ${DAYS_UNSEEN} days: it failed`,
    accountId: row.accountId,
  };
  const isNew = await deps.db.write({
    reads: [...lostReads({ network, row }), alertRead(alert.kind, alert.subject)],
    decide: (view) => {
      const nowMs = deps.clock.nowMs();
      const now = stillLost(view, row);
      if (!now || now.seenAtMs !== row.seenAtMs) return false;
      fail(view, { row: now, cursor: view.get(NetworkCursors, [network.code]), nowMs });
      return insertAlert(view, { ...alert, nowMs });
    },
  });
  if (isNew) logAlert(deps, alert);
}

function lostReads({ network: { code }, row }: Lost): Read[] {
  return [...depositReads(row), read(NetworkCursors, [code]), ...takeBackReads(row)];
}

function stillLost(view: View, { id }: TransactionRow): TransactionRow | undefined {
  const row = view.get(Transactions, [id]);
  return row.status === "detected" && row.blockHash === null ? row : undefined;
}

function fail(
  view: View,
  { row, cursor, nowMs }: { row: TransactionRow; cursor: NetworkCursorRow; nowMs: number },
): void {
  takeBack(view, { row, why: "never came", topHeight: cursor.topHeight, nowMs });
}

const FORGET_EVERY_BLOCKS = 12;
const FORGOTTEN_PER_STEP_MAX = 500;

/** What is credited, or failed long ago, needs no watching. */
export async function forgetInputs(deps: Deps, network: NetworkRow): Promise<number> {
  const { code } = network;
  const { inputsForgottenAt } = deps.memory;
  if (!deps.chains.of(network).pending) return 0;
  const { scanHeight } = await cursorOf(deps, network);
  if (scanHeight < (inputsForgottenAt.get(code) ?? -Infinity) + FORGET_EVERY_BLOCKS) return 0;
  const rows = await settledInputs(deps.db, {
    network: code,
    height: scanHeight - BLOCKS_REMEMBERED,
    limit: FORGOTTEN_PER_STEP_MAX,
  });
  if (rows.length > 0) {
    await deps.db.write({
      reads: readAll(DepositInputs, rows.map(({ id }) => [id])),
      decide: (view) => {
        for (const { id } of rows) {
          const row = view.raw.find(DepositInputs, [id]);
          if (row) view.remove(DepositInputs, row);
        }
      },
    });
  }
  // If more are left, the next round goes on.
  if (rows.length < FORGOTTEN_PER_STEP_MAX) inputsForgottenAt.set(code, scanHeight);
  return rows.length;
}
