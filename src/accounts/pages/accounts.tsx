import { CREATE_ACCOUNT } from "../operations/account.ts";
import { accountPage } from "../reads/accounts.ts";
import type { AccountRow } from "../tables/accounts.ts";
import { formOf } from "../../dashboard/asking.ts";
import { Card, EmptyState, Status, Time } from "../../dashboard/parts/facts.tsx";
import { FlagFields, Form, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { type Column, PagedTable, pageFrom } from "../../dashboard/parts/table.tsx";
import { page } from "../../dashboard/routes.ts";
import { BASE } from "../../dashboard/visit.ts";

const ROWS = 25;

const COLUMNS: readonly Column<AccountRow>[] = [
  { title: "Id", isNumber: true, at: "none", cell: ({ id }) => id },
  { title: "Name", at: "title", cell: (row) => <Name row={row} /> },
  {
    ...{ title: "Created", isOrder: true, at: "age" },
    cell: ({ createdAtMs }) => <Time atMs={createdAtMs} />,
  },
];

const Name = ({ row: { id, name, suspendedAtMs } }: { row: AccountRow }) => (
  <>
    <a href={`${BASE}/accounts/${id}`}>{name}</a>{" "}
    {suspendedAtMs !== null && <Status value="suspended" />}
  </>
);

const accountsPage = page({
  path: "/accounts",
  ability: "see_gateway",
  nav: { label: "Accounts", group: "Gateway" },
  show: async (visit) => {
    const asked = { ...visit.paging, limit: ROWS + 1 };
    const found = pageFrom(await accountPage(visit.deps.db, asked), ROWS);
    return (
      <Page
        visit={visit}
        title="Accounts"
        actions={visit.may("GET", "/accounts/new") && (
          <a class="button" href={`${BASE}/accounts/new`}>New account</a>
        )}
      >
        <Card>
          <PagedTable
            visit={visit}
            caption="Accounts"
            found={found}
            empty={
              <EmptyState title="No accounts yet">
                Each merchant has an account: balances, keys, wallets and logins of its own.
              </EmptyState>
            }
            columns={COLUMNS}
          />
        </Card>
      </Page>
    );
  },
});

const newAccountPage = page({
  path: "/accounts/new",
  ability: "operate",
  show: (visit) => (
    <Page visit={visit} title="New account" up={{ path: "/accounts", label: "Accounts" }}>
      <Card>
        <Form visit={visit} action="/accounts">
          <FlagFields visit={visit} operation={CREATE_ACCOUNT} names={["name"]} focused="name" />
          <Submit>Create account</Submit>
        </Form>
      </Card>
    </Page>
  ),
});

const createAct = formOf(CREATE_ACCOUNT, {
  path: "/accounts",
  on: newAccountPage,
  fields: { names: ["name"] },
  to: (_, { account_id }) => `/accounts/${account_id}`,
  said: ({ account_id, name }) =>
    `${name} created with the number ${account_id}. Enable currencies for it next`,
});

export const ACCOUNT_LIST_ROUTES = [accountsPage, newAccountPage, createAct];
