import { first } from "../base/lists.ts";
import { allDone } from "../base/waiting/all_done.ts";
import { assetOf } from "../domain/money/amount.ts";
import { LedgerChecks, LedgerEntries } from "../books/table.ts";
import type { BalanceKey, LedgerEntryRow } from "../books/table.ts";
import { entriesAfter } from "../books/reads/ledger.ts";
import type { WithdrawalRow } from "../withdrawals/table.ts";
import { checkBalancesAddUp } from "./_balances_add_up.ts";
import { entryDifference, markOf, walkEntries } from "./check_ledger.ts";
import { freezeWhatDiffers } from "./freeze.ts";
import { CannotPayYet } from "../domain/cannot_pay.ts";
import type { Deps } from "../deps/deps.ts";
import type { WalkedLedger } from "../deps/memory.ts";

const PAGE = 500;

interface Job {
  readonly deps: Deps;
  readonly asset: BalanceKey;
  readonly hold: LedgerEntryRow;
}

/**
 * A hold is paid only if each entry up to it is genuine and follows from the one before. A balance
 * that was put back shows in the first entry made with it.
 */
export async function checkLedgerFollows(deps: Deps, row: WithdrawalRow): Promise<void> {
  const hold = await deps.db.find(LedgerEntries, [row.id, "hold"], "withdrawal");
  if (!hold) return;
  const ledger = `${row.accountId}/${assetOf(row)}`;
  const job = { deps, asset: row, hold };
  await allDone([
    deps.memory.ledgerQueues.run(ledger, { job, work: followTogether, owner: deps.db }),
    checkBalancesAddUp(deps, hold),
  ]);
}

/** All jobs of one ledger in one walk. */
async function followTogether(jobs: readonly Job[]): Promise<PromiseSettledResult<void>[]> {
  const { deps, asset } = first(jobs);
  const { walkedLedgers } = deps.memory;
  const key = `${asset.accountId}/${assetOf(asset)}`;
  const walked = walkedLedgers.get(key) ?? await beginning(deps, asset);
  walkedLedgers.set(key, walked);
  const untilId = Math.max(...jobs.map(({ hold }) => hold.id));
  while (walked.mark.entryId < untilId && await walkOn(deps, asset, walked));
  return await Promise.allSettled(jobs.map(async ({ hold }) => {
    if (hold.id <= walked.mark.entryId && await wasWalked(deps, { hold, asset, walked })) return;
    throw new CannotPayYet("The ledger does not follow to its hold");
  }));
}

async function beginning(
  deps: Deps,
  { accountId, network, currency }: BalanceKey,
): Promise<WalkedLedger> {
  const mark = markOf(deps.db, await deps.db.find(LedgerChecks, [accountId, network, currency]));
  return { mark, fromId: mark.entryId, holds: new Map() };
}

/** False: nothing more follows. */
async function walkOn(deps: Deps, asset: BalanceKey, walked: WalkedLedger): Promise<boolean> {
  const { mark: from, holds } = walked;
  const entries = await entriesAfter(deps.db, { ...asset, id: from.entryId, limit: PAGE });
  const { mark, wrong } = walkEntries(deps.db, { from, entries, asset });
  if (wrong) await freezeWhatDiffers(deps, [entryDifference(asset, wrong)]);
  walked.mark = mark;
  for (const { id, kind, withdrawalId } of entries) {
    if (withdrawalId === null || id > mark.entryId) continue;
    if (kind === "hold") holds.set(withdrawalId, id);
    else holds.delete(withdrawalId);
  }
  return !wrong && entries.length > 0;
}

/** If an entry was cut off and its id given again, the new entry follows nothing. */
async function wasWalked(
  deps: Deps,
  { hold, asset, walked }: { hold: LedgerEntryRow; asset: BalanceKey; walked: WalkedLedger },
): Promise<boolean> {
  const { holds, fromId, mark } = walked;
  if (hold.id <= fromId || holds.get(hold.withdrawalId!) === hold.id) return true;
  const ends = await Promise.all(
    ["release", "debit"].map((kind) =>
      deps.db.find(LedgerEntries, [hold.withdrawalId, kind], "withdrawal")
    ),
  );
  // It has ended by now, which the signing step will see.
  if (ends.some((end) => end !== undefined)) return true;
  await freezeWhatDiffers(deps, [entryDifference(asset, { entry: hold, should: mark })]);
  return false;
}
