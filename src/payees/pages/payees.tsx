import type { AccountRow } from "../../accounts/tables/accounts.ts";
import { filterGenuine, genuine } from "../../books/tampered.ts";
import { formOf } from "../../dashboard/asking.ts";
import { AccountChoice, accountOf } from "../../dashboard/parts/account.tsx";
import { networkColumn } from "../../dashboard/parts/columns.tsx";
import { csvRoute, ExportLink } from "../../dashboard/parts/csv.tsx";
import { isoUtc } from "../../domain/time.ts";
import { Card, EmptyState, Long, Status, Time } from "../../dashboard/parts/facts.tsx";
import { Form, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { type Column, pageFrom, Pager, Table } from "../../dashboard/parts/table.tsx";
import { page } from "../../dashboard/routes.ts";
import { BASE, NotFound, type Visit } from "../../dashboard/visit.ts";
import { REMOVE_PAYEE } from "../operations.ts";
import { payees } from "../reads.ts";
import { type PayeeRow, Payees } from "../table.ts";

const ROWS = 50;

const payeesPage = page({
  path: "/payees",
  ability: "see",
  nav: { label: "Payees", group: "Payouts" },
  show: async (visit) => {
    const account = await accountOf(visit);
    return (
      <Page
        visit={visit}
        title="Payees"
        actions={account && (
          <>
            <ExportLink visit={visit} path="/payees" />
            {visit.may("GET", "/payees/new") && (
              <a class="button" href={`${BASE}/payees/new?account=${account.id}`}>New payee</a>
            )}
          </>
        )}
      >
        <AccountChoice visit={visit} account={account} />
        {account && <Listed visit={visit} account={account} />}
      </Page>
    );
  },
});

const Listed = async ({ visit, account }: { visit: Visit; account: AccountRow }) => {
  const { deps, cursor } = visit;
  const order = { accountId: account.id, afterId: cursor ?? 0, limit: ROWS + 1 };
  const { rows, next } = pageFrom(await payees(deps.db, order), ROWS);
  return (
    <Card>
      <p class="quiet">
        A rule can refuse payouts to everybody else, or have them approved first.
      </p>
      <Table
        caption="Payees"
        rows={await filterGenuine(deps, Payees, rows)}
        empty={<EmptyState title="No payees yet">Add whoever is paid regularly.</EmptyState>}
        columns={columnsFor(visit)}
      />
      <Pager visit={visit} next={next} />
    </Card>
  );
};

const exportRoute = csvRoute({
  path: "/payees",
  ability: "see",
  columns: [
    ["id", ({ id }: PayeeRow) => id],
    ["account_id", ({ accountId }) => accountId],
    ["name", ({ label }) => label],
    ["network", ({ network }) => network],
    ["address", ({ address }) => address],
    ["usable_at", ({ usableAtMs }) => isoUtc(usableAtMs)],
    ["added_at", ({ createdAtMs }) => isoUtc(createdAtMs)],
  ],
  wanted: async (visit) => {
    const account = await accountOf(visit);
    if (!account) throw new NotFound();
    return { accountId: account.id, cursor: visit.cursor };
  },
  read: async ({ deps }, { accountId, cursor, limit }) => {
    const found = await payees(deps.db, { accountId, afterId: cursor ?? 0, limit: limit + 1 });
    return pageFrom(await genuine(deps, Payees, found), limit);
  },
});

function columnsFor(visit: Visit): Column<PayeeRow>[] {
  return [
    { title: "Name", at: "title", cell: ({ label }) => <Long text={label} /> },
    networkColumn(visit),
    { title: "Address", cell: ({ address }) => <code class="whole">{address}</code> },
    { title: "State", at: "state", cell: (row) => <Usable visit={visit} row={row} /> },
    { title: "Added", isMinor: true, cell: ({ createdAtMs }) => <Time atMs={createdAtMs} /> },
    { title: "Actions", isTitleHidden: true, cell: ({ id }) => <Remove visit={visit} id={id} /> },
  ];
}

const Usable = ({ visit: { nowMs }, row: { usableAtMs } }: { visit: Visit; row: PayeeRow }) =>
  usableAtMs <= nowMs ? <Status value="usable" tone="good" /> : (
    <>
      <Status value="waiting" tone="under-way" /> until <Time atMs={usableAtMs} />
    </>
  );

const Remove = ({ visit, id }: { visit: Visit; id: number }) => {
  const action = `/payees/${id}/remove`;
  return visit.may("POST", action) && (
    <Form visit={visit} action={action} isInline>
      <Submit tone="plain" confirm="Rules treat this recipient like any other from now on.">
        Remove
      </Submit>
    </Form>
  );
};

const removeAct = formOf(REMOVE_PAYEE, {
  path: "/payees/:id{[0-9]+}/remove",
  on: payeesPage,
  isSensitive: true,
  to: (_, { removed }) => `/payees?account=${removed.account_id}`,
  said: ({ removed }) => `"${removed.label}" is no payee any more`,
});

export const PAYEE_ROUTES = [payeesPage, exportRoute, removeAct];
