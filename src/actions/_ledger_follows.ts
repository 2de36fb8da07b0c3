import { KeyedBatches } from "../base/batches.ts";
import { Lru } from "../base/lru.ts";
import { assetOf } from "../domain/amount.ts";
import type { LedgerMark } from "../domain/ledger_walk.ts";
import type { Db } from "../store/db.ts";
import { LedgerChecks } from "../store/ledger_check_table.ts";
import { entriesAfter } from "../store/ledger_reads.ts";
import type { BalanceKey, LedgerEntryRow, WithdrawalRow } from "../store/rows.ts";
import { LedgerEntries } from "../store/tables.ts";
import { entryDifference, markOf, walkEntries } from "./_check_ledger.ts";
import { freezeWhatDiffers } from "./_freeze.ts";
import { CannotPayYet } from "./_cannot_pay.ts";
import type { Deps } from "./deps.ts";

const PAGE = 500;
const TOGETHER_MAX = 500;
const ASSETS_REMEMBERED = 20_000;

interface Job {
  readonly deps: Deps;
  readonly asset: BalanceKey;
  readonly hold: LedgerEntryRow;
}

interface Following {
  /** How far each ledger was found right; what is cut off or put back later does not follow it. */
  readonly marks: Lru<string, LedgerMark>;
  readonly queue: KeyedBatches<Job, void>;
}

const followings = new WeakMap<Db, Following>();

/**
 * A hold is paid only where each entry up to it is genuine and follows from the one before: a balance
 * that was put back to what it was once shows in the first entry that was made with it.
 */
export async function checkLedgerFollows(deps: Deps, row: WithdrawalRow): Promise<void> {
  const hold = await deps.db.find(LedgerEntries, [row.id, "hold"], "withdrawal");
  if (!hold) return;
  const known = followings.get(deps.db) ?? newFollowing();
  followings.set(deps.db, known);
  await known.queue.run(`${row.accountId}/${assetOf(row)}`, { deps, asset: row, hold });
}

function newFollowing(): Following {
  const marks = new Lru<string, LedgerMark>(ASSETS_REMEMBERED);
  const queue = new KeyedBatches<Job, void>((jobs) => followTogether(marks, jobs), TOGETHER_MAX);
  return { marks, queue };
}

/** All of one ledger, in one walk. */
async function followTogether(
  marks: Lru<string, LedgerMark>,
  jobs: readonly Job[],
): Promise<PromiseSettledResult<void>[]> {
  const { deps, asset } = jobs[0]!;
  const { accountId, network, currency } = asset;
  const key = `${accountId}/${assetOf(asset)}`;
  const stored = () => deps.db.find(LedgerChecks, [accountId, network, currency]);
  let mark = marks.get(key) ?? markOf(deps.db, await stored());
  const untilId = Math.max(...jobs.map(({ hold }) => hold.id));
  while (mark.entryId < untilId) {
    const entries = await entriesAfter(deps.db, { ...asset, id: mark.entryId, limit: PAGE });
    const walk = walkEntries(deps.db, { from: mark, entries, asset });
    if (walk.wrong) await freezeWhatDiffers(deps, [entryDifference(asset, walk.wrong)]);
    mark = walk.mark;
    marks.set(key, mark);
    if (walk.wrong || entries.length === 0) break;
  }
  return jobs.map(({ hold }) =>
    hold.id <= mark.entryId
      ? { status: "fulfilled", value: undefined }
      : { status: "rejected", reason: new CannotPayYet("The ledger does not follow to its hold") }
  );
}
