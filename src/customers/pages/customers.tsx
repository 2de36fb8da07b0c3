import type { Component } from "../../base/html.ts";
import { invoiceCustomerColumns, invoicesOf } from "./_of_invoices.tsx";
import { PaymentsTo } from "./_payments_to.tsx";
import { Received } from "./_received.tsx";
import { CustomerLink } from "./customer_link.tsx";
import { Reading } from "./reading.tsx";
import {
  addressesOfCustomer,
  customerPage,
  invoiceCustomers,
  receivedAt,
  type ReceivedSum,
} from "../reads.ts";
import { genuine } from "../../books/tampered.ts";
import { withAccount } from "../../dashboard/parts/account.tsx";
import { csvRoute, ExportLink } from "../../dashboard/parts/csv.tsx";
import { isoUtc } from "../../domain/time.ts";
import { addressUrl } from "../../dashboard/explorers.ts";
import { networkColumn } from "../../dashboard/parts/columns.tsx";
import { AccountLink, Card, EmptyState, Hash, Time } from "../../dashboard/parts/facts.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { NotesCard, writeNote } from "../../dashboard/parts/payment/notes.tsx";
import {
  type Column,
  isFirstPage,
  PagedTable,
  pageFrom,
  Table,
} from "../../dashboard/parts/table.tsx";
import { customerPath } from "../../dashboard/paths.ts";
import { act, done, page } from "../../dashboard/routes.ts";
import { BASE, NotFound, type Visit } from "../../dashboard/visit.ts";
import { networkHealth } from "../../networks/reads/health.ts";
import type { NetworkRow } from "../../networks/table.ts";
import { accountNames } from "../../store/reads/pages/names.ts";
import { Addresses, type AddressRow } from "../../wallets/tables/addresses.ts";

const SHOWN = 50;
/** Of those that invoices name: below the others, and on a page of their own. */
const FIRST_SHOWN = 10;
const NAMED_SHOWN = 20;

const customersPage = page({
  path: "/customers",
  ability: "see",
  nav: { label: "Customers", group: "Payments" },
  show: async (visit) => {
    const userIdentifier = visit.form.text("user") || (visit.query.get("user") ?? "");
    return userIdentifier === ""
      ? await AllCustomers({ visit })
      : await OneCustomer({ visit, userIdentifier });
  },
});

const AllCustomers = async ({ visit }: { visit: Visit }) => {
  const { db } = visit.deps;
  const accountId = visit.accountWanted();
  const query = { accountId, ...visit.paging, limit: SHOWN + 1 };
  const found = pageFrom(await customerPage(db, query), SHOWN);
  const names = visit.seesAll
    ? await accountNames(db, found.rows.flatMap((row) => row.accountId ?? []))
    : new Map<number, string>();
  return (
    <Page
      visit={visit}
      title="Customers"
      up={{ path: "/deposits", label: "Payments" }}
      actions={<ExportLink visit={visit} path="/customers" />}
    >
      <Card>
        <p class="quiet">
          Customers with an address of their own, and below them those whom your invoices name. To
          find one, search for how the customer's id begins, or for an address.
        </p>
        <PagedTable
          visit={visit}
          caption="Customers"
          found={found}
          columns={customerColumns(visit, names)}
          empty={
            <EmptyState title="No customers with an address yet">
              A customer gets an address of their own when your shop asks for one, for instance at
              sign-up.
            </EmptyState>
          }
        />
      </Card>
      {isFirstPage(visit) && !visit.isOldestFirst && <FirstOfInvoices visit={visit} />}
    </Page>
  );
};

async function namedByInvoices(visit: Visit, shownMax: number) {
  const { deps: { db }, cursor } = visit;
  const asked = { accountId: visit.accountWanted(), cursor, limit: shownMax + 1 };
  return pageFrom(await invoiceCustomers(db, asked), shownMax);
}

const FirstOfInvoices: Component<{ visit: Visit }> = async ({ visit }) => {
  const { rows, next } = await namedByInvoices(visit, FIRST_SHOWN);
  if (rows.length === 0) return null;
  return (
    <Card
      title="Customers of invoices"
      actions={next !== null && (
        <a href={BASE + withAccount(visit, "/customers/invoices")}>All of them</a>
      )}
    >
      <Table
        caption="Customers of invoices"
        rows={rows}
        columns={invoiceCustomerColumns(visit)}
        empty=""
      />
    </Card>
  );
};

/** By name, which the others aren't. */
const ofInvoicesPage = page({
  path: "/customers/invoices",
  ability: "see",
  show: async (visit) => (
    <Page
      visit={visit}
      title="Customers of invoices"
      up={{ path: withAccount(visit, "/customers"), label: "Customers" }}
    >
      <Card>
        <p class="quiet">
          Whom your invoices name as their customers, by name. A customer's link leads to their
          invoices, whose export has who was the customer of each.
        </p>
        <PagedTable
          visit={visit}
          caption="Customers of invoices"
          found={await namedByInvoices(visit, NAMED_SHOWN)}
          columns={invoiceCustomerColumns(visit)}
          empty={
            <EmptyState title="No customers yet">
              They are listed once an invoice is created with a customer.
            </EmptyState>
          }
        />
      </Card>
    </Page>
  ),
});

const exportRoute = csvRoute({
  path: "/customers",
  ability: "see",
  columns: [
    ["customer", ({ userIdentifier }: AddressRow) => userIdentifier],
    ["account_id", ({ accountId }) => accountId],
    ["network", ({ network }) => network],
    ["address", ({ address }) => address],
    ["issued_at", ({ createdAtMs }) => isoUtc(createdAtMs)],
  ],
  wanted: (visit) => Promise.resolve({ accountId: visit.accountWanted(), ...visit.paging }),
  read: async ({ deps }, { limit, ...wanted }) => {
    const found = await customerPage(deps.db, { ...wanted, limit: limit + 1 });
    return pageFrom(await genuine(deps, Addresses, found), limit);
  },
});

function customerColumns(
  visit: Visit,
  names: ReadonlyMap<number, string>,
): Column<AddressRow>[] {
  return [
    { title: "Customer", at: "title", cell: (row) => <CustomerLink row={row} isInList /> },
    ...visit.seesAll ? [accountColumn(names)] : [],
    { ...networkColumn(visit), at: "amount" },
    {
      title: "Address",
      at: "state",
      cell: ({ id, address }) => <Hash text={address} href={`${BASE}/addresses/${id}`} />,
    },
    {
      title: "Issued",
      isOrder: true,
      at: "age",
      cell: ({ createdAtMs }) => <Time atMs={createdAtMs} />,
    },
  ];
}

function accountColumn(names: ReadonlyMap<number, string>): Column<AddressRow> {
  const cell = ({ accountId }: AddressRow) =>
    accountId !== null && <AccountLink id={accountId} name={names.get(accountId)} />;
  return { title: "Account", isMinor: true, cell };
}

const OneCustomer = async (
  { visit, userIdentifier }: { visit: Visit; userIdentifier: string },
) => {
  const { db } = visit.deps;
  const { accountId, addresses } = await ownCustomer(visit, userIdentifier);
  const addressIds = addresses.map(({ id }) => id);
  const [catalog, received, names] = await Promise.all([
    visit.deps.catalog.current(),
    receivedAt(db, addressIds),
    visit.seesAll ? accountNames(db, [accountId]) : new Map<number, string>(),
  ]);
  return (
    <Page
      visit={visit}
      title={userIdentifier}
      up={{ path: "/customers", label: "Customers" }}
      actions={
        <a
          class="button plain"
          href={BASE + invoicesOf(visit, { accountId, customer: userIdentifier })}
        >
          Invoices
        </a>
      }
    >
      {visit.seesAll && (
        <p>
          Customer of <AccountLink id={accountId} name={names.get(accountId)} />
        </p>
      )}
      <Card title="Received">
        <Received visit={visit} {...received} />
      </Card>
      <Card title="Addresses">
        <NetworkStates visit={visit} addresses={addresses} />
        <AddressTable
          visit={visit}
          addresses={addresses}
          sums={received.sums}
          networkOf={(code) => catalog.network(code)}
        />
      </Card>
      <Card title="Payments">
        <PaymentsTo visit={visit} addresses={addresses} empty={nothingYet(userIdentifier)} />
      </Card>
      <NotesCard
        visit={visit}
        subject={{ accountId, about: "customer", name: userIdentifier }}
        action="/customers/notes"
        fields={{ user: userIdentifier, account: String(accountId) }}
      />
    </Page>
  );
};

function nothingYet(userIdentifier: string): string {
  return `Nothing received from ${userIdentifier}. If a payment was sent, compare the address and ` +
    "the network it was sent to with those above; opening the address shows what is on it now";
}

const NetworkStates: Component<{ visit: Visit; addresses: readonly AddressRow[] }> = async (
  { visit, addresses },
) => {
  const [{ networks }, cursors] = await Promise.all([
    visit.deps.catalog.current(),
    networkHealth(visit.deps.db),
  ]);
  const used = networks.filter(({ code }) => addresses.some(({ network }) => network === code));
  return used.map((network) => (
    <Reading
      visit={visit}
      network={network}
      cursor={cursors.find((one) => one.network === network.code)}
    />
  ));
};

interface AddressTableProps {
  readonly visit: Visit;
  readonly addresses: readonly AddressRow[];
  readonly sums: readonly ReceivedSum[];
  networkOf(code: string): NetworkRow | undefined;
}

const AddressTable: Component<AddressTableProps> = ({ visit, addresses, sums, networkOf }) => (
  <Table
    caption="Addresses"
    rows={addresses}
    empty=""
    columns={[
      {
        title: "Address",
        cell: ({ id, address }) => (
          <a href={`${BASE}/addresses/${id}`}>
            <code class="whole">{address}</code>
          </a>
        ),
      },
      networkColumn(visit),
      {
        title: "Issued",
        isMinor: true,
        cell: ({ createdAtMs }) => <Time atMs={createdAtMs} />,
      },
      { title: "Payments", isNumber: true, cell: ({ id }) => paymentsAt(sums, id) },
      {
        title: "Explorer",
        isTitleHidden: true,
        isMinor: true,
        cell: ({ address, network }) => {
          const url = addressUrl(networkOf(network), address);
          return url && <a href={url}>Explorer</a>;
        },
      },
    ]}
  />
);

function paymentsAt(sums: readonly ReceivedSum[], id: number): number {
  return sums.filter(({ addressId }) => addressId === id)
    .reduce((total, { payments }) => total + payments, 0);
}

/** A form names the customer in its fields, because the name can be any text. */
async function ownCustomer(visit: Visit, userIdentifier: string) {
  const asked = visit.form.text("account") || visit.query.get("account");
  const accountId = visit.accountWanted(asked);
  if (accountId === null) throw new NotFound();
  const addresses = await addressesOfCustomer(visit.deps.db, { accountId, userIdentifier });
  if (addresses.length === 0) throw new NotFound();
  return { accountId, addresses };
}

const noteAct = act({
  path: "/customers/notes",
  ability: "approve",
  on: customersPage,
  run: async (visit) => {
    const userIdentifier = visit.form.text("user");
    const { accountId } = await ownCustomer(visit, userIdentifier);
    await writeNote(visit, { accountId, about: "customer", name: userIdentifier });
    return done(customerPath({ accountId, userIdentifier }), "The note was added");
  },
});

export const CUSTOMER_ROUTES = [customersPage, ofInvoicesPage, exportRoute, noteAct];
