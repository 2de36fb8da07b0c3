import type { Component } from "../../base/html.ts";
import { familyOf } from "../../chains/registry.ts";
import { DIRECTIONS, TRANSACTION_STATUSES } from "../../domain/states/transaction_moves.ts";
import type { Catalog } from "../../store/engine/catalog.ts";
import {
  addressesNamed,
  addressesOfUser,
  type TransactionQuery,
} from "../../store/reads/pages/page.ts";
import type { Visit } from "../visit.ts";
import { AssetFilters, assetsWanted, ChoiceFilter } from "./filters.tsx";
import { Check, Field } from "./form.tsx";
import { Filter } from "./table.tsx";

/** The filters of transaction lists and their export. */
export const TransactionFilter: Component<
  { visit: Visit; catalog: Catalog; hasDirection: boolean }
> = (
  { visit, catalog, hasDirection },
) => (
  <Filter visit={visit}>
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
    <Check
      visit={visit}
      name="below"
      label="Below the minimum"
      isOn={visit.query.has("below")}
    />
  </Filter>
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
    cursor: visit.cursor,
  };
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
