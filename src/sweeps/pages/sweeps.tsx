import { pageOf } from "../../operations/lists/list.ts";
import { SWEEPS } from "../list.ts";
import { isoUtc } from "../../domain/time.ts";
import type { SweepRow } from "../table.ts";
import { moneyOf, type SweepMoney } from "../reads/page.ts";
import { type CsvColumn, ExportLink } from "../../dashboard/parts/csv.tsx";
import { Card, EmptyState } from "../../dashboard/parts/facts.tsx";
import { listCsv, ListFilters, listWanted } from "../../dashboard/parts/lists/listed.tsx";
import { NoMatch } from "../../dashboard/parts/lists/no_match.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { PagedTable } from "../../dashboard/parts/table.tsx";
import { page } from "../../dashboard/routes.ts";
import { BASE } from "../../dashboard/visit.ts";
import { amountText, moneyIn } from "../money.ts";
import { columnsFor } from "./_columns.tsx";

const ROWS = 20;

const CSV_COLUMNS: readonly CsvColumn<SweepRow & { money: SweepMoney }>[] = [
  ["id", ({ id }) => id],
  ["account_id", ({ accountId }) => accountId],
  ["created_at", ({ createdAtMs }) => isoUtc(createdAtMs)],
  ["network", ({ network }) => network],
  ["currency", ({ currency }) => currency],
  ["amount", (row) => amountText(row, row.money)],
  ["state", ({ state }) => state],
  ["reason", ({ reason }) => reason],
  ["from_address", ({ money }) => money.address],
  ["tx_hash", ({ money }) => money.sent?.txHash],
];

const sweepsPage = page({
  path: "/sweeps",
  ability: "see",
  nav: { label: "Sweeps", group: "Balances", gatewayGroup: "Gateway" },
  show: async (visit) => {
    const { db } = visit.deps;
    const catalog = await visit.deps.catalog.current();
    const wanted = listWanted(visit, SWEEPS, catalog);
    const found = await pageOf(visit.deps, SWEEPS, { ...wanted, limit: ROWS });
    const money = await moneyOf(db, found.rows);
    return (
      <Page visit={visit} title="Sweeps" actions={<ExportLink visit={visit} path="/sweeps" />}>
        <Card>
          <ListFilters visit={visit} list={SWEEPS} catalog={catalog} />
          <PagedTable
            visit={visit}
            caption="Sweeps"
            found={found}
            columns={columnsFor(visit, { catalog, money })}
            empty={<NoMatch visit={visit} none={NONE} />}
          />
        </Card>
      </Page>
    );
  },
});

const NONE = (
  <EmptyState
    title="No sweeps yet"
    next={<a class="button plain" href={`${BASE}/wallets`}>Receiving wallets</a>}
  >
    A sweep moves what deposit addresses hold to the receiving wallet of their network.
  </EmptyState>
);

const exportRoute = listCsv({
  path: "/sweeps",
  list: SWEEPS,
  columns: CSV_COLUMNS,
  lines: async ({ db }, rows) => {
    const money = await moneyOf(db, rows);
    return rows.map((row) => ({ ...row, money: moneyIn(money, row) }));
  },
});

export const SWEEP_LIST_ROUTES = [sweepsPage, exportRoute];
