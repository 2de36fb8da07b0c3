import { hash } from "node:crypto";
import { last } from "../base/lists.ts";
import { newestEntry } from "../books/reads/ledger.ts";
import { recordAudit } from "../books/records.ts";
import { type BalanceRow, Balances, LedgerEntries } from "../books/table.ts";
import { ACCEPTED } from "../books/trail.ts";
import { type Guard, guardOfAll } from "../control/guard.ts";
import { type By, guarded } from "../control/guarded.ts";
import type { Deps } from "../deps/deps.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { balancesChanged } from "./_balances_add_up.ts";
import { whyOld } from "./newest.ts";
import { notRight } from "./not_right.ts";
import { acceptPayment, unnoted } from "./payment_noted.ts";
import { catchUp, readBalances } from "./sum_balances.ts";
import type { Db } from "../store/engine/db.ts";
import { tampered, type TamperedRow } from "../store/engine/tampered_row.ts";
import { read } from "../store/engine/workspace.ts";
import { primaryKeyOf, rowsAfter, SEALED_TABLES } from "../store/reads/sealed.ts";
import { type SealedRow, sealedRow } from "../store/reads/sealed_row.ts";
import { type AnyRow, type RowValue, type Table, toValues } from "../store/tables/table.ts";
import { SignedTransactions } from "../transfers/table.ts";

const PAGE_ROWS = 1_000;
const LISTED_MAX = 1_000;

interface Checked {
  readonly rows: number;
  /** How many rows aren't as this program wrote them. The first of them are listed. */
  readonly tampered: number;
  readonly first: readonly TamperedRow[];
}

/** Checks every row that carries a seal. */
export async function checkIntegrity({ db }: Pick<Deps, "db">): Promise<Checked> {
  const first: TamperedRow[] = [];
  let [rows, found] = [0, 0];
  for (const table of SEALED_TABLES) {
    for await (const row of everyRow(db, table)) {
      rows++;
      if (db.isGenuine(table, row)) continue;
      found++;
      if (first.length < LISTED_MAX) first.push(tampered(table, row));
    }
  }
  const balances = await lookAtBalances(db);
  // Only once those are repaired can old balances be noticed.
  if (balances.difference !== 0n && balances.forged.length === 0) {
    found++;
    first.unshift(balancesChanged());
  }
  return { rows, tampered: found, first };
}

interface Looked {
  /** The sum of the balances minus the kept sum, using the ledger's values for forged rows. */
  readonly difference: bigint;
  readonly forged: readonly BalanceRow[];
}

export async function lookAtBalances(db: Db): Promise<Looked> {
  const seals = db.seals();
  if (!seals?.areSummed) return { difference: 0n, forged: [] };
  const summed = await readBalances(db, seals);
  const { difference } = await catchUp(db, summed, seals);
  return { difference, forged: summed.forged };
}

/**
 * How much to correct the kept sum by: an operator has looked, and the balances are right as they
 * are.
 */
export async function sumCorrection(db: Db): Promise<bigint> {
  const { difference, forged } = await lookAtBalances(db);
  if (difference !== 0n) { for (const row of forged) throw notRight(Balances, row); }
  return difference;
}

async function* everyRow(db: Db, table: Table<AnyRow>): AsyncGenerator<AnyRow> {
  let after: RowValue[] | undefined;
  for (;;) {
    const page = await rowsAfter(db, table, { after, limit: PAGE_ROWS });
    yield* page;
    if (page.length < PAGE_ROWS) return;
    after = primaryKeyOf(table, last(page));
  }
}

interface AcceptedRow {
  readonly table: string;
  readonly key: string;
}

export const rowAccept = guarded({
  kind: "row.accept",
  ability: null,
  sentence: ({ table, key }: AcceptedRow) =>
    `accept row ${key} of ${table} as somebody changed it in the database`,
  run: (deps, wanted, how) => acceptRow(deps, { ...wanted, ...how }),
});

/** An operator has looked, and the row is right as it is. A balance is right if its ledger says so. */
export async function acceptRow(
  deps: Deps,
  { table: name, key, actor, mandate }: AcceptedRow & By,
): Promise<TamperedRow> {
  const { table, values } = sealedRow(name, key);
  const nowMs = deps.clock.nowMs();
  const old = await whyOld(deps.db, { table, values });
  if (old) throw refuse("row_accepted_early", { table: name, key, change: old.change });
  const payment = await unnoted(deps, { table, values });
  if (payment) {
    await acceptPayment(deps, { row: payment, actor });
    return tampered(SignedTransactions, payment);
  }
  const checkBalance = await checkLikeLedger(deps.db, { table, values });
  const guard = await acceptingGuard(deps, { table, values, mandate });
  return await deps.db.write({
    reads: [read(table, values), ...guard.reads],
    decide: (view) => {
      const row = view.raw.find(table, values);
      if (!row) throw refuse("row_unknown", { table: name, key });
      if (view.isGenuine(table, row)) throw refuse("row_genuine", { table: name, key });
      checkBalance(row);
      const shown = withoutSecrets(row);
      const hash = hashOfRow(table, row);
      guard.pass(view, { isLooser: table.isGuarded, before: { hash, row: shown }, after: shown });
      view.accept(table, row);
      const subject = `${name}:${key}`;
      const detail = { row: shown };
      recordAudit(view, { actor, action: ACCEPTED, subject, detail, nowMs });
      return tampered(table, row);
    },
  });
}

/** A forged row may name another account, so both are asked. */
async function acceptingGuard(
  deps: Deps,
  { table, values, mandate }: SealedRow & Pick<By, "mandate">,
): Promise<Guard> {
  const row = await deps.db.find(table, values);
  const { accountId } = row ? tampered(table, row) : { accountId: null };
  const accountIds = accountId === null ? [null] : [accountId, null];
  return await guardOfAll(deps, { accountIds, mandate, isRepair: true });
}

function hashOfRow(table: Table<AnyRow>, row: AnyRow): string {
  return hash("sha256", JSON.stringify(toValues(table, row)));
}

const SECRET = /sealed|hash|secret|raw$/i;

function withoutSecrets(row: object): object {
  return Object.fromEntries(Object.entries(row).filter(([field]) => !SECRET.test(field)));
}

type Check = (row: object) => void;

/**
 * The sum of all balances holds what the ledger says: if another balance were accepted, nobody would
 * be paid any more. A balance without entries was never written by this gateway.
 */
async function checkLikeLedger(db: Db, { table, values }: SealedRow): Promise<Check> {
  const found = table.name === Balances.name ? await db.find(Balances, values) : undefined;
  if (!found) return () => {};
  const entry = await newestEntry(db, found);
  if (entry && !db.isGenuine(LedgerEntries, entry)) throw notRight(LedgerEntries, entry);
  const ledger = entry ? { balance: entry.balanceAfter, held: entry.heldAfter } : null;
  return (row) => {
    const { balance, held } = row as BalanceRow;
    if (balance === ledger?.balance && held === ledger.held) return;
    throw refuse("balance_not_as_ledger", { key: values.join("/"), balance, held, ledger });
  };
}
