import { first } from "../base/lists.ts";
import * as kind from "../domain/kinds.ts";
import { isoUtc } from "../domain/time.ts";
import { listCommand } from "../operations/lists/command.ts";
import { operation, UsageError } from "../operations/operation.ts";
import { SWEEPS } from "./list.ts";
import { retrySweep } from "./retry.ts";
import { amountText, moneyIn } from "./money.ts";
import { moneyOf, type SweepMoney } from "./reads/page.ts";
import type { Db } from "../store/engine/db.ts";
import type { SweepRow } from "./table.ts";

const LIST_SWEEPS = listCommand(SWEEPS, {
  words: ["sweep", "list"],
  summary: "Lists sweeps of deposits to receiving wallets, newest first",
  limit: { fallback: 1_000, max: 1_000_000 },
  examples: ["sweep list --state parked"],
  columns: [
    ...["id", "account_id", "network", "currency", "amount", "address", "state", "failures"],
    ...["next_try_at", "tx_hash", "reason"],
  ],
  shapes: ({ db }, rows) => sweepShapes(db, rows),
});

export const RETRY_SWEEP = operation({
  words: ["sweep", "retry"],
  changes: "operate",
  summary: "Retries a parked sweep, or a waiting one at once",
  positionals: [{ name: "ID", help: "the sweep's id" }],
  flags: {},
  examples: ["sweep retry 7"],
  run: async (context, { positionals }) => {
    const id = kind.recordId.read(first(positionals));
    if (id === undefined) throw new UsageError(`"${positionals[0]}" is not a sweep id`);
    const deps = await context.deps();
    return first(
      await sweepShapes(deps.db, [await retrySweep(deps, { id, actor: context.actor })]),
    );
  },
});

export const SWEEP_COMMANDS = [LIST_SWEEPS, RETRY_SWEEP];

async function sweepShapes(db: Db, rows: readonly SweepRow[]) {
  const money = await moneyOf(db, rows);
  return rows.map((row) => sweepShape(row, moneyIn(money, row)));
}

function sweepShape(row: SweepRow, money: SweepMoney) {
  return {
    id: row.id,
    account_id: row.accountId,
    network: row.network,
    currency: row.currency,
    amount: amountText(row, money),
    address: money.address,
    tx_hash: money.sent?.txHash ?? null,
    state: row.state,
    reason: row.reason,
    failures: row.failures,
    next_try_at: row.state === "waiting" ? isoUtc(row.nextTryAtMs) : null,
    created_at: isoUtc(row.createdAtMs),
  };
}
