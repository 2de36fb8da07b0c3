import type { Component } from "../../base/html.ts";
import { familyOf } from "../../chains/registry.ts";
import { DIRECTIONS, TRANSACTION_STATUSES } from "../../domain/states/transaction_moves.ts";
import type { Catalog } from "../../store/engine/catalog.ts";
import {
  addressesNamed,
  addressesOfUser,
  type TransactionQuery,
  type Within,
} from "../../store/reads/pages/page.ts";
import { Transactions } from "../../store/tables/transactions.ts";
import type { Visit } from "../visit.ts";
import {
  AssetFilters,
  assetsWanted,
  ChoiceFilter,
  InvoiceFilter,
  invoiceWanted,
} from "./filters.tsx";
import { Check, Field } from "./form.tsx";
import { DateFields, DatePresets, idsWithin, periodWanted } from "./lists/period.tsx";
import { Filters } from "./table.tsx";

/** The filters of transaction lists and their export. */
export const TransactionFilter: Component<
  { visit: Visit; catalog: Catalog; hasDirection: boolean }
> = (
  { visit, catalog, hasDirection },
) => (
  <>
    <DatePresets visit={visit} />
    <Filters visit={visit}>
      <Field
        visit={visit}
        name="q"
        label="Address, transaction or user"
        type="search"
        value={visit.query.get("q") ?? ""}
        isFilter
      />
      {hasDirection && (
        <ChoiceFilter visit={visit} name="direction" label="Type" choices={DIRECTIONS} />
      )}
      <ChoiceFilter visit={visit} name="status" label="Status" choices={TRANSACTION_STATUSES} />
      <AssetFilters visit={visit} catalog={catalog} />
      <InvoiceFilter visit={visit} />
      <DateFields visit={visit} />
      <Check
        visit={visit}
        name="below"
        label="Below the minimum"
        isOn={visit.query.has("below")}
      />
    </Filters>
  </>
);

export async function transactionsWanted(
  visit: Visit,
  catalog: Catalog,
): Promise<Omit<TransactionQuery, "limit">> {
  return {
    ...assetsWanted(visit, catalog),
    ...await searchOf(visit, catalog),
    direction: visit.wanted("direction", DIRECTIONS),
    status: visit.wanted("status", TRANSACTION_STATUSES),
    isBelowMinimum: visit.query.has("below"),
    invoiceId: invoiceWanted(visit),
    within: await timeWanted(visit),
    ...visit.paging,
  };
}

/** Undefined: any time. */
async function timeWanted(visit: Visit): Promise<Within | undefined> {
  const { fromMs, untilMs } = periodWanted(visit, { otherwise: "all" });
  if (fromMs === null && untilMs === null) return undefined;
  const window = {
    fromMs: fromMs ?? Number.MIN_SAFE_INTEGER,
    untilMs: untilMs ?? Number.MAX_SAFE_INTEGER,
  };
  const asked = { column: "created_at_ms", ...window };
  return { ...window, span: await idsWithin(visit, Transactions, asked) };
}

/** The input's form tells what it is: a hash, an address, or else a merchant's user. */
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
