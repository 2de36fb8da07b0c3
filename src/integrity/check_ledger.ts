import { at, zip } from "../base/lists.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import type { Difference, DifferenceKind } from "../reconcile/rules/difference.ts";
import {
  LEDGER_START,
  type LedgerMark,
  type WalkedEntry,
  walkLedger,
} from "../books/rules/ledger_walk.ts";
import { assetsAfter, type LedgerTail, ledgerTails } from "../books/reads/ledger.ts";
import type { Db } from "../store/engine/db.ts";
import { LedgerChecks, LedgerEntries } from "../books/table.ts";
import type { BalanceKey, LedgerCheckRow, LedgerEntryRow } from "../books/table.ts";
import { read } from "../store/engine/workspace.ts";
import type { Deps } from "../deps/deps.ts";

const ASSETS_PER_PAGE = 100;
const ENTRIES_PER_READ = 500;

export const FIRST_ASSET: BalanceKey = { accountId: 0, network: "", currency: "" };

interface LedgerPage {
  readonly differences: Difference[];
  /** Where the next page begins; undefined at the end. */
  readonly next: BalanceKey | undefined;
}

/** Checks a page of balances against their entries: those since the last check, or all of them. */
export async function checkLedgerPage(
  deps: Deps,
  { after, isFromStart, network }: {
    after: BalanceKey;
    isFromStart: boolean;
    network?: string | undefined;
  },
): Promise<LedgerPage> {
  const page = await assetsAfter(deps.db, { after, limit: ASSETS_PER_PAGE });
  const assets = page.filter((asset) => network === undefined || asset.network === network);
  const differences = await checkFrom(
    deps,
    assets.map(({ checked, ...asset }) => ({
      ...asset,
      mark: isFromStart ? LEDGER_START : markOf(deps.db, checked),
    })),
  );
  const last = page.at(-1);
  return { differences, next: page.length < ASSETS_PER_PAGE ? undefined : last };
}

/** Checks one balance against its new entries. */
export async function checkLedgerOf(deps: Deps, asset: BalanceKey): Promise<Difference[]> {
  const checked = await deps.db.find(LedgerChecks, idOf(asset));
  return await checkFrom(deps, [{ ...keyOf(asset), mark: markOf(deps.db, checked) }]);
}

/** Where a check starts: at the last correct entry, if this program noted it. */
export function markOf(db: Db, row: LedgerCheckRow | null | undefined): LedgerMark {
  if (!row || !db.isGenuine(LedgerChecks, row)) return LEDGER_START;
  return { entryId: row.entryId, balance: row.balance, held: row.held };
}

interface WrongEntry {
  readonly entry: WalkedEntry;
  /** Undefined: it follows, but somebody else wrote it. */
  readonly should: LedgerMark | undefined;
}

/** Goes on as long as each entry follows and is genuine. */
export function walkEntries(
  db: Db,
  { from, entries, asset }: {
    from: LedgerMark;
    entries: readonly LedgerEntryRow[];
    asset: BalanceKey;
  },
): { mark: LedgerMark; wrong: WrongEntry | undefined } {
  const name = assetOf(asset);
  const forgedAt = entries.findIndex((entry) => !db.isGenuine(LedgerEntries, entry));
  const ours = forgedAt < 0 ? entries : entries.slice(0, forgedAt);
  const walk = walkLedger(from, { entries: ours, asset: name });
  if (walk.wrong || forgedAt < 0) return walk;
  const entry = at(entries, forgedAt);
  const { wrong } = walkLedger(walk.mark, { entries: [entry], asset: name });
  return { mark: walk.mark, wrong: wrong ?? { entry, should: undefined } };
}

export function entryDifference(asset: BalanceKey, { entry, should }: WrongEntry): Difference {
  const detail = should
    ? "does not follow from the one before it"
    : "is not as this gateway wrote it";
  return {
    ...keyOf(asset),
    kind: "ledger_entry",
    expected: should ? `balance ${should.balance}, held ${should.held}` : "no such entry",
    found: `balance ${entry.balanceAfter}, held ${entry.heldAfter}`,
    detail: `ledger entry ${entry.id} (${entry.kind} ${entry.amount}) ${detail}`,
  };
}

async function checkFrom(deps: Deps, started: readonly Marked[]): Promise<Difference[]> {
  const differences: Difference[] = [];
  const right: Marked[] = [];
  for (let open = started; open.length > 0;) {
    const tails = await ledgerTails(deps.db, { assets: open, limit: ENTRIES_PER_READ });
    const checked = zip(open, tails).map(([asset, tail]) => checkTail(deps.db, { asset, tail }));
    differences.push(...checked.flatMap((one) => one.differences));
    right.push(...checked.filter(({ isDone }) => isDone).map(({ asset }) => asset));
    open = checked.filter(({ isDone }) => !isDone).map(({ asset }) => asset);
  }
  await remember(deps, right);
  return differences;
}

type Marked = BalanceKey & { readonly mark: LedgerMark };

/** Balance and open withdrawals are from the moment at which the last entry was read. */
function checkTail(
  db: Db,
  { asset, tail }: { asset: Marked; tail: LedgerTail },
): { asset: Marked; isDone: boolean; differences: Difference[] } {
  const name = assetOf(asset);
  const { mark, wrong } = walkEntries(db, { from: asset.mark, entries: tail.entries, asset });
  const at = { ...asset, mark };
  const differ = (
    kind: DifferenceKind,
    facts: { expected: string; found: string; detail: string },
  ) => ({ ...keyOf(asset), kind, ...facts }) satisfies Difference;
  if (wrong) {
    return { asset: at, isDone: true, differences: [entryDifference(asset, wrong)] };
  }
  if (tail.entries.length === ENTRIES_PER_READ) {
    return { asset: at, isDone: false, differences: [] };
  }
  const open = tail.openCosts.reduce(
    (sum, cost) => sum.plus(Amount.parse(cost, name)),
    Amount.zero(name),
  ).toString();
  const compared = [
    ["ledger_balance", mark.balance, tail.balance, "the entries add up to another balance"],
    ["ledger_held", mark.held, tail.held, "the entries add up to another held amount"],
    ["held_withdrawals", open, tail.held, "the held amount is not what open withdrawals cost"],
  ] as const;
  const differences = compared.filter(([, expected, found]) => expected !== found)
    .map(([kind, expected, found, detail]) => differ(kind, { expected, found, detail }));
  return { asset: at, isDone: true, differences };
}

/** Up to the last correct entry; another check may already be further. */
async function remember(deps: Deps, checked: readonly Marked[]): Promise<void> {
  const stored = checked.filter(({ mark }) => mark.entryId > 0);
  const known = await Promise.all(
    stored.map((asset) => deps.db.find(LedgerChecks, idOf(asset))),
  );
  const moved = stored.filter(({ mark }, i) => mark.entryId > markOf(deps.db, known[i]).entryId);
  if (moved.length === 0) return;
  await deps.db.write({
    reads: moved.map((asset) => read(LedgerChecks, idOf(asset))),
    decide: (view) => {
      for (const asset of moved) {
        const row = view.raw.find(LedgerChecks, idOf(asset));
        if (!row) view.insertKeyed(LedgerChecks, { ...keyOf(asset), ...asset.mark });
        else if (!view.isGenuine(LedgerChecks, row)) {
          view.remove(LedgerChecks, row);
          view.insertKeyed(LedgerChecks, { ...keyOf(asset), ...asset.mark });
        } else if (row.entryId < asset.mark.entryId) view.update(LedgerChecks, row, asset.mark);
      }
    },
  });
}

function keyOf({ accountId, network, currency }: BalanceKey): BalanceKey {
  return { accountId, network, currency };
}

function idOf({ accountId, network, currency }: BalanceKey) {
  return [accountId, network, currency];
}
