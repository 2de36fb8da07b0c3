import type { Child, Component } from "../../base/html.ts";
import { pageOf } from "../../operations/lists/list.ts";
import { DEPOSITS } from "../../deposits/lists/transactions.ts";
import { hasOne } from "../../store/lists/listing.ts";
import { topHeights } from "../../deposits/reads/transactions.ts";
import type { AddressRow } from "../../wallets/tables/addresses.ts";
import { movementColumns } from "../../dashboard/parts/movements.tsx";
import { knownOf } from "../../dashboard/parts/payers.ts";
import { PagedTable } from "../../dashboard/parts/table.tsx";
import type { Visit } from "../../dashboard/visit.ts";

const SHOWN = 20;

interface PaymentsToProps {
  readonly visit: Visit;
  /** Of one account. */
  readonly addresses: readonly AddressRow[];
  readonly empty: Child;
}

export const PaymentsTo: Component<PaymentsToProps> = async ({ visit, addresses, empty }) => {
  const { deps, paging } = visit;
  const accountId = addresses[0]?.accountId ?? null;
  const facts = [hasOne("address_id", addresses.map(({ id }) => id))];
  const [found, heights, catalog] = await Promise.all([
    pageOf(deps, DEPOSITS, { accountId, values: {}, facts, ...paging, limit: SHOWN }),
    topHeights(deps.db),
    deps.catalog.current(),
  ]);
  const known = await knownOf(visit, found.rows);
  return (
    <PagedTable
      visit={visit}
      caption="Payments"
      found={found}
      columns={movementColumns({ visit, catalog, topHeights: heights }, known)}
      empty={empty}
    />
  );
};
