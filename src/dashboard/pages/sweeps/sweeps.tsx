import { familyOf } from "../../../chains/registry.ts";
import { isoUtc } from "../../../domain/time.ts";
import { SWEEP_STATES } from "../../../domain/states/sweep_moves.ts";
import type { Catalog } from "../../../store/engine/catalog.ts";
import { addressesNamed } from "../../../store/reads/pages/page.ts";
import type { SweepRow } from "../../../store/tables/sweeps.ts";
import { moneyOf, sweepList, type SweepMoney } from "../../../store/reads/pages/sweeps.ts";
import { type CsvColumn, csvRoute, ExportLink } from "../../parts/csv.tsx";
import { Card, EmptyState } from "../../parts/facts.tsx";
import { NoMatch } from "../../parts/lists/no_match.tsx";
import { AssetFilters, assetsWanted, ChoiceFilter } from "../../parts/filters.tsx";
import { Field } from "../../parts/form.tsx";
import { Page } from "../../parts/page.tsx";
import { Filters, PagedTable } from "../../parts/table.tsx";
import { page } from "../../routes.ts";
import { BASE, type Visit } from "../../visit.ts";
import { amountText, columnsFor, moneyIn } from "./_columns.tsx";

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
    const found = await sweepList(db, { ...await sweepsWanted(visit, catalog), limit: ROWS });
    const money = await moneyOf(db, found.rows);
    return (
      <Page visit={visit} title="Sweeps" actions={<ExportLink visit={visit} path="/sweeps" />}>
        <Card>
          <SweepFilters visit={visit} catalog={catalog} />
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

const SweepFilters = ({ visit, catalog }: { visit: Visit; catalog: Catalog }) => (
  <Filters visit={visit}>
    <Field
      visit={visit}
      name="q"
      label="Deposit address"
      type="search"
      isFilter
      value={visit.query.get("q") ?? ""}
    />
    <ChoiceFilter visit={visit} name="state" label="State" choices={SWEEP_STATES} />
    <AssetFilters visit={visit} catalog={catalog} />
  </Filters>
);

async function sweepsWanted(visit: Visit, catalog: Catalog) {
  return {
    ...assetsWanted(visit, catalog),
    state: visit.wanted("state", SWEEP_STATES),
    addressIds: await addressesWanted(visit, catalog),
    ...visit.paging,
  };
}

const exportRoute = csvRoute({
  path: "/sweeps",
  ability: "see",
  columns: CSV_COLUMNS,
  wanted: async (visit) => await sweepsWanted(visit, await visit.deps.catalog.current()),
  read: async ({ deps: { db } }, query) => {
    const { rows, next } = await sweepList(db, query);
    const money = await moneyOf(db, rows);
    return { rows: rows.map((row) => ({ ...row, money: moneyIn(money, row) })), next };
  },
});

/** Null: any. Text that is no address matches nothing. */
async function addressesWanted(visit: Visit, catalog: Catalog): Promise<number[] | null> {
  const text = (visit.query.get("q") ?? "").trim();
  if (text === "") return null;
  const families = [...new Set(catalog.networks.map(({ family }) => family))].map(familyOf);
  const family = families.find((it) => it.isAddress(text));
  if (!family) return [];
  const address = family.canonicalAddress(text);
  const accountId = visit.accountWanted();
  return (await addressesNamed(visit.deps.db, { accountId, address })).map(({ id }) => id);
}

export const SWEEP_LIST_ROUTES = [sweepsPage, exportRoute];
