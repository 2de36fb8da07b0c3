import type { Child, Component } from "../../../base/html.ts";
import { ordersOf } from "../../../store/reads/pages/orders.ts";
import { transactionList } from "../../../store/reads/pages/page.ts";
import { topHeights } from "../../../store/reads/pages/transactions.ts";
import type { AddressRow } from "../../../store/tables/addresses.ts";
import { movementColumns } from "../../parts/movements.tsx";
import { PagedTable } from "../../parts/table.tsx";
import type { Visit } from "../../visit.ts";

const SHOWN = 20;
const ANY = { status: null, network: null, currency: null, txHash: null, isBelowMinimum: false };

interface PaymentsToProps {
  readonly visit: Visit;
  /** Of one account. */
  readonly addresses: readonly AddressRow[];
  readonly empty: Child;
}

export const PaymentsTo: Component<PaymentsToProps> = async ({ visit, addresses, empty }) => {
  const { db } = visit.deps;
  const accountId = addresses[0]?.accountId ?? null;
  const asked = { ...ANY, accountId, direction: "deposit", ...visit.paging, limit: SHOWN };
  const [found, heights, catalog] = await Promise.all([
    transactionList(db, { ...asked, addressIds: addresses.map(({ id }) => id) }),
    topHeights(db),
    visit.deps.catalog.current(),
  ]);
  const users = usersOf(addresses);
  const orders = await ordersOf(db, found.rows);
  return (
    <PagedTable
      visit={visit}
      caption="Payments"
      found={found}
      columns={movementColumns({ visit, catalog, topHeights: heights }, { users, orders })}
      empty={empty}
    />
  );
};

function usersOf(addresses: readonly AddressRow[]): ReadonlyMap<number, string> {
  return new Map(
    addresses.flatMap(({ id, userIdentifier }) =>
      userIdentifier === null ? [] : [[id, userIdentifier]]
    ),
  );
}
