import { isoUtc, isoUtcOrNull } from "../../domain/time.ts";
import { utf8 } from "../../base/bytes.ts";
import { usersOf } from "../../store/deposit_page_reads.ts";
import { transactionList, type TransactionQuery } from "../../store/page_reads.ts";
import type { TransactionRow } from "../../store/rows.ts";
import { topHeights } from "../../store/transaction_reads.ts";
import { Card } from "../parts/facts.tsx";
import { movementColumns } from "../parts/movements.tsx";
import { Page } from "../parts/page.tsx";
import { Pager, Table } from "../parts/table.tsx";
import { ExportLink, TransactionFilter, transactionsWanted } from "../parts/transaction_query.tsx";
import { page, type RawRoute } from "../routes.ts";
import type { Visit } from "../visit.ts";

const ROWS = 50;
const CSV_ROWS_AT_ONCE = 1_000;
const CSV_COLUMNS: readonly (readonly [name: string, value: (row: TransactionRow) => unknown])[] = [
  ["id", ({ id }) => id],
  ["account_id", ({ accountId }) => accountId],
  ["detected_at", ({ createdAtMs }) => isoUtc(createdAtMs)],
  ["confirmed_at", ({ confirmedAtMs }) => isoUtcOrNull(confirmedAtMs)],
  ["direction", ({ direction }) => direction],
  ["network", ({ network }) => network],
  ["currency", ({ currency }) => currency],
  ["amount", ({ amount }) => amount],
  ["status", ({ status }) => status],
  ["below_minimum", ({ isBelowMinimum }) => isBelowMinimum],
  ["tx_hash", ({ txHash }) => txHash],
  ["block_number", ({ blockNumber }) => blockNumber],
  ["from_address", ({ fromAddress }) => fromAddress],
  ["to_address", ({ toAddress }) => toAddress],
  ["withdrawal_id", ({ withdrawalId }) => withdrawalId],
];

const transactionsPage = page({
  path: "/transactions",
  nav: { label: "Transactions", group: "Money" },
  show: async (visit) => {
    const { db } = visit.deps;
    const catalog = await visit.deps.catalog.current();
    const [found, heights] = await Promise.all([
      transactionList(db, { ...await transactionsWanted(visit, catalog), limit: ROWS }),
      topHeights(db),
    ]);
    const seen = { visit, catalog, topHeights: heights };
    return (
      <Page visit={visit} title="Transactions" actions={<ExportLink visit={visit} />}>
        <Card>
          <TransactionFilter visit={visit} catalog={catalog} hasDirection />
          <Table
            caption="Transactions"
            rows={found.rows}
            columns={movementColumns(seen)}
            empty={found.next === null ? "No transactions" : "None here: look further back"}
          />
          <Pager visit={visit} next={found.next} />
        </Card>
      </Page>
    );
  },
});

const exportRoute: RawRoute = {
  kind: "raw",
  path: "/transactions/export.csv",
  respond: async (visit) => {
    const catalog = await visit.deps.catalog.current();
    const query = await transactionsWanted(visit, catalog);
    const lines = csvLines(visit, { ...query, limit: CSV_ROWS_AT_ONCE });
    return new Response(ReadableStream.from(lines), {
      headers: {
        "content-type": "text/csv; charset=utf-8",
        "content-disposition": 'attachment; filename="transactions.csv"',
      },
    });
  },
};

/** A page of rows at a time, each asked for when the reader has taken the one before. */
async function* csvLines(visit: Visit, query: TransactionQuery): AsyncGenerator<Uint8Array> {
  yield utf8(`${[...CSV_COLUMNS.map(([name]) => name), "user_identifier"].join(",")}\r\n`);
  for (let cursor = query.cursor;;) {
    const { rows, next } = await transactionList(visit.deps.db, { ...query, cursor });
    const users = await usersOf(visit.deps.db, rows);
    if (rows.length > 0) yield utf8(rows.map((row) => csvLine(row, users)).join(""));
    if (next === null) return;
    cursor = next;
  }
}

function csvLine(row: TransactionRow, users: ReadonlyMap<number, string>): string {
  const values = CSV_COLUMNS.map(([, value]) => value(row));
  return `${[...values, users.get(row.addressId ?? 0)].map(csvCell).join(",")}\r\n`;
}

/** A cell that begins like a formula would be one in a spreadsheet. */
function csvCell(value: unknown): string {
  const text = String(value ?? "");
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

export const TRANSACTION_ROUTES = [transactionsPage, exportRoute];
