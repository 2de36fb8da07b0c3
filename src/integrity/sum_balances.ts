import { last } from "../base/lists.ts";
import { type BalancesSum, moved, termOf } from "../store/engine/balances_sum.ts";
import { entriesSince, lastEntryId } from "../books/reads/balances.ts";
import { keptSum, openHead } from "../store/engine/chain_rows.ts";
import type { Db } from "../store/engine/db.ts";
import { newestEntry } from "../books/reads/ledger.ts";
import { Balances, LedgerEntries } from "../books/table.ts";
import type { BalanceRow, LedgerEntryRow } from "../books/table.ts";
import type { Seals } from "../store/engine/seals.ts";
import { primaryKeyOf, rowsAfter } from "../store/reads/sealed.ts";
import { type RowValue, toValues } from "../store/tables/table.ts";

const ROWS_PER_PAGE = 5_000;
const ENTRIES_PER_PAGE = 1_000;

/** Each balance's part of the sum, as of one ledger entry. */
export interface Summed {
  readonly terms: Map<string, bigint>;
  sum: bigint;
  lastId: number;
  /** Rows this program did not write; the newest entry says what they were. */
  readonly forged: BalanceRow[];
}

/**
 * All balances in the database. They are read page by page while others write; changes made
 * meanwhile have entries, which `catchUp` reads next.
 */
export async function readBalances(db: Db, seals: Seals): Promise<Summed> {
  const lastId = await lastEntryId(db);
  const summed: Summed = { terms: new Map(), sum: 0n, lastId, forged: [] };
  let after: RowValue[] | undefined;
  for (;;) {
    const page = await rowsAfter(db, Balances, { after, limit: ROWS_PER_PAGE });
    for (const row of page) {
      const isOurs = db.isGenuine(Balances, row);
      if (!isOurs) summed.forged.push(row);
      const known = isOurs ? row : await asItsLedgerSays(db, row);
      if (known) put(summed, termsOf([known], seals));
    }
    if (page.length < ROWS_PER_PAGE) return summed;
    after = primaryKeyOf(Balances, last(page));
  }
}

/** Undefined if nothing ever moved it. */
async function asItsLedgerSays(db: Db, row: BalanceRow): Promise<BalanceRow | undefined> {
  const entry = await newestEntry(db, row);
  return entry && db.isGenuine(LedgerEntries, entry) ? balanceAfter(entry) : undefined;
}

function balanceAfter(entry: LedgerEntryRow): BalanceRow {
  const { accountId, network, currency, balanceAfter: balance, heldAfter: held } = entry;
  return { accountId, network, currency, balance, held };
}

function termsOf(rows: readonly BalanceRow[], seals: Seals): Map<string, bigint> {
  const newest = new Map(rows.map((row) => [primaryKeyOf(Balances, row).join("/"), row]));
  return new Map(
    Array.from(newest, ([key, row]) => [key, termOf(seals, Balances, toValues(Balances, row))]),
  );
}

function put(summed: Summed, terms: ReadonlyMap<string, bigint>): void {
  for (const [key, term] of terms) {
    summed.sum = moved(summed.sum, term - (summed.terms.get(key) ?? 0n));
    summed.terms.set(key, term);
  }
}

interface CaughtUp {
  /** The sum kept beside the log, at the last entry read. */
  readonly kept: BalancesSum;
  /** The sum of the balances minus the kept one; 0n if they match. */
  readonly difference: bigint;
  /** Adopts what was read. */
  accept(): void;
}

/** Adds the ledger's entries since then. Nothing counts before `accept`. */
export async function catchUp(db: Db, summed: Summed, seals: Seals): Promise<CaughtUp> {
  const ahead: Summed = { ...summed, terms: new Map() };
  for (;;) {
    const { entries, head } = await entriesSince(db, { id: ahead.lastId, limit: ENTRIES_PER_PAGE });
    const ours = entries.filter((entry) => db.isGenuine(LedgerEntries, entry));
    const terms = termsOf(ours.map(balanceAfter), seals);
    for (const key of terms.keys()) {
      if (!ahead.terms.has(key)) ahead.terms.set(key, summed.terms.get(key) ?? 0n);
    }
    put(ahead, terms);
    ahead.lastId = entries.at(-1)?.id ?? ahead.lastId;
    if (entries.length === ENTRIES_PER_PAGE) continue;
    const kept = keptSum(openHead(seals.mac, head), seals);
    const accept = () => {
      put(summed, ahead.terms);
      summed.lastId = ahead.lastId;
    };
    return { kept, difference: moved(ahead.sum, -kept.sum), accept };
  }
}
