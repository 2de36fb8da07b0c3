import { familyOf } from "../../chains/registry.ts";
import { TRANSACTION_STATUSES } from "../../domain/transaction_moves.ts";
import type { Catalog } from "../../store/catalog.ts";
import {
  addressesNamed,
  addressesOfUser,
  transactionList,
  type TransactionQuery,
} from "../../store/page_reads.ts";
import { topHeights } from "../../store/transaction_reads.ts";
import { Card } from "../parts/facts.tsx";
import { AssetFilters, assetsWanted, ChoiceFilter } from "../parts/filters.tsx";
import { Check, Field } from "../parts/form.tsx";
import { movementColumns } from "../parts/movements.tsx";
import { Page } from "../parts/page.tsx";
import { Filter, Pager, Table } from "../parts/table.tsx";
import { page } from "../routes.ts";
import { BASE, type Visit } from "../visit.ts";

const ROWS = 50;

const depositsPage = page({
  path: "/deposits",
  nav: { label: "Deposits", group: "Money" },
  show: async (visit) => {
    const { db } = visit.deps;
    const catalog = await visit.deps.catalog.current();
    const query = await queryOf(visit, catalog);
    const [found, heights] = await Promise.all([transactionList(db, query), topHeights(db)]);
    const seen = { visit, catalog, topHeights: heights };
    const credit = <a class="button plain" href={`${BASE}/deposits/credit`}>Credit by hand</a>;
    return (
      <Page visit={visit} title="Deposits" actions={visit.isOperator ? credit : undefined}>
        <Card>
          <DepositFilter visit={visit} catalog={catalog} />
          <Table
            caption="Deposits"
            rows={found.rows}
            columns={movementColumns(seen, { hasDirection: false })}
            empty={found.next === null ? "No deposits" : "None here: look further back"}
          />
          <Pager visit={visit} next={found.next} />
        </Card>
      </Page>
    );
  },
});

const DepositFilter = ({ visit, catalog }: { visit: Visit; catalog: Catalog }) => (
  <Filter visit={visit}>
    <Field
      {...{ visit, name: "q", label: "Address, transaction or user", type: "search" }}
      value={visit.query.get("q") ?? ""}
      isFilter
    />
    <ChoiceFilter {...{ visit, name: "status", label: "Status", choices: TRANSACTION_STATUSES }} />
    <AssetFilters visit={visit} catalog={catalog} />
    <Check
      {...{ visit, name: "below", label: "Below the minimum" }}
      isOn={visit.query.has("below")}
    />
  </Filter>
);

async function queryOf(visit: Visit, catalog: Catalog): Promise<TransactionQuery> {
  return {
    ...assetsWanted(visit, catalog),
    ...await searchOf(visit, catalog),
    direction: "deposit",
    status: visit.wanted("status", TRANSACTION_STATUSES),
    isBelowMinimum: visit.query.has("below"),
    cursor: visit.cursor,
    limit: ROWS,
  };
}

/** What was typed is told apart by its form: a hash, an address, else a user of the merchant's. */
async function searchOf(
  visit: Visit,
  catalog: Catalog,
): Promise<Pick<TransactionQuery, "txHash" | "addressIds">> {
  const text = (visit.query.get("q") ?? "").trim();
  if (text === "") return { txHash: null, addressIds: null };
  if (/^(0x)?[0-9a-f]{64}$/i.test(text)) {
    return { txHash: text.toLowerCase(), addressIds: null };
  }
  const { db } = visit.deps;
  const accountId = visit.accountWanted();
  const families = [...new Set(catalog.networks.map(({ family }) => family))].map(familyOf);
  const family = families.find((it) => it.isAddress(text));
  const found = family
    ? await addressesNamed(db, { accountId, address: family.canonicalAddress(text) })
    : await addressesOfUser(db, { accountId, userIdentifier: text });
  return { txHash: null, addressIds: found.map(({ id }) => id) };
}

export const DEPOSIT_ROUTES = [depositsPage];
