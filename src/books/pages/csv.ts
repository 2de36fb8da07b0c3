import { type EntryOrigin, entryOrigins } from "../../accounts/entry_origins.ts";
import { type Statement, statementOf } from "../../accounts/statement.ts";
import { genuine } from "../tampered.ts";
import { utf8 } from "../../base/bytes.ts";
import { csvCell } from "../../base/csv.ts";
import { last } from "../../base/lists.ts";
import type { Place } from "../../base/waiting/shares.ts";
import { changedValue, changedValues, changeOf } from "../rules/statement.ts";
import { isoUtc } from "../../domain/time.ts";
import { entriesIn } from "../reads/statement.ts";
import { LedgerEntries, type LedgerEntryRow } from "../table.ts";
import { periodWanted } from "../../dashboard/parts/lists/period.tsx";
import type { RawRoute } from "../../dashboard/routes.ts";
import { NotFound, type Visit } from "../../dashboard/visit.ts";
import { ASSET_PATH, assetOfPage, thisMonth } from "./_asset.ts";
import { bookersOf, changesOf } from "./lines.tsx";

const NUMBERS = [
  ...["id", "amount", "held_amount", "balance", "held", "deposit_id", "withdrawal_id"],
  ...["value", "held_value", "invoice_id"],
];
const COLUMNS = [
  "id",
  "time",
  "kind",
  "amount",
  "held_amount",
  "balance",
  "held",
  "deposit_id",
  "withdrawal_id",
  "booked_by",
  "note",
  "value",
  "held_value",
  "value_currency",
  "client_reference",
  "invoice_id",
  "tx_hash",
] as const;
type Cells = Partial<Record<typeof COLUMNS[number], string | number | null | undefined>>;

const ROWS_AT_ONCE = 200;

/** The ledger of a period in order, between its opening and closing balance, then its totals. */
const csvRoute: RawRoute = {
  kind: "raw",
  path: `${ASSET_PATH}/ledger.csv`,
  ability: "see",
  respond: async (visit) => {
    const asset = await assetOfPage(visit);
    if (!asset) throw new NotFound();
    const { account, currency: { network, symbol: currency } } = asset;
    const period = periodWanted(visit, { otherwise: thisMonth(visit) });
    const wanted = { accountId: account.id, network, currency, ...period };
    const statement = await statementOf(visit.deps, wanted);
    const name = `ledger ${network} ${currency} ${period.name}`.replace(/[^\w.-]+/g, "-");
    return { name, lines: (place) => lines(visit, { statement, place }) };
  },
};

async function* lines(
  visit: Visit,
  { statement, place }: { statement: Statement; place: Pick<Place, "turn"> },
): AsyncGenerator<Uint8Array> {
  const { deps } = visit;
  const { span, opening, closing } = statement;
  yield utf8(`${COLUMNS.join(",")}\r\n${edge("opening_balance", opening)}`);
  for (let fromId = span.fromId; fromId < span.belowId;) {
    const page = { ...span, fromId, limit: ROWS_AT_ONCE };
    const { rows, bookers, origins } = await place.turn(async () => {
      const rows = await genuine(deps, LedgerEntries, await entriesIn(deps.db, page));
      const [bookers, origins] = await Promise.all([
        bookersOf(visit, rows),
        entryOrigins(deps, rows),
      ]);
      return { rows, bookers, origins };
    });
    yield utf8(
      rows.map((row, i) => entryLine(row, { booker: bookers.get(row.id), origin: origins[i]! }))
        .join(""),
    );
    if (rows.length < ROWS_AT_ONCE) break;
    fromId = last(rows).id + 1;
  }
  yield utf8(edge("closing_balance", closing) + totalLines(statement));
}

function line(cells: Cells): string {
  const texts = COLUMNS.map((name) => csvCell(cells[name], { isNumber: NUMBERS.includes(name) }));
  return `${texts.join(",")}\r\n`;
}

function edge(kind: string, { balance, held }: Statement["opening"]): string {
  return line({ kind, balance: balance.toString(), held: held.toString() });
}

function entryLine(
  row: LedgerEntryRow,
  { booker, origin }: { booker: string | undefined; origin: EntryOrigin },
): string {
  const { balance, held } = changesOf(row);
  const worth = changedValue(row);
  return line({
    id: row.id,
    time: isoUtc(row.createdAtMs),
    kind: row.kind,
    amount: balance,
    held_amount: held,
    balance: row.balanceAfter,
    held: row.heldAfter,
    deposit_id: row.transactionId,
    withdrawal_id: row.withdrawalId,
    booked_by: booker,
    note: row.note,
    value: worth.value,
    held_value: worth.held,
    value_currency: worth.currency,
    client_reference: origin.reference,
    invoice_id: origin.invoiceId,
    tx_hash: origin.txHash,
  });
}

function totalLines({ totals }: Statement): string {
  return [...totals ?? []].map(([kind, { entries, amount, values }]) => {
    const { balance, held } = changeOf({ kind, amount });
    const total = line({
      kind: `total_${kind}`,
      amount: balance.toString(),
      held_amount: held.toString(),
      note: entryCount(entries),
    });
    return total + valueLines(kind, values);
  }).join("");
}

/** On lines of their own, because the currency may have changed. */
function valueLines(...of: Parameters<typeof changedValues>): string {
  const [kind] = of;
  return changedValues(...of).map(({ value, held, currency, entries }) =>
    line({
      kind: `total_value_${kind}`,
      note: entryCount(entries),
      value,
      held_value: held,
      value_currency: currency,
    })
  ).join("");
}

function entryCount(entries: number): string {
  return entries === 1 ? "1 entry" : `${entries} entries`;
}

export const LEDGER_CSV_ROUTES = [csvRoute];
