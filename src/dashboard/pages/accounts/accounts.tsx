import { createAccount } from "../../../actions/accounts/manage_accounts.ts";
import * as kind from "../../../domain/kinds.ts";
import { accountPage } from "../../../store/reads/pages/accounts.ts";
import type { AccountRow } from "../../../store/tables/setup.ts";
import { Card, EmptyState, Status, Time } from "../../parts/facts.tsx";
import { Field, Form, Submit } from "../../parts/form.tsx";
import { Page } from "../../parts/page.tsx";
import { type Column, PagedTable, pageFrom } from "../../parts/table.tsx";
import { act, done, page } from "../../routes.ts";
import { BASE } from "../../visit.ts";

const ROWS = 25;
const NAME = kind.text({ max: 100 });

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
          <Field visit={visit} name="name" label="Name" maxlength={100} isRequired isFocused />
          <Submit>Create account</Submit>
        </Form>
      </Card>
    </Page>
  ),
});

const createAct = act({
  path: "/accounts",
  ability: "operate",
  on: newAccountPage,
  run: async ({ deps, form, actor }) => {
    const { name } = form.read((fields) => ({ name: fields.required("name", NAME) }));
    const { id } = await createAccount(deps, { name, actor });
    return done(
      `/accounts/${id}`,
      `${name} created with the number ${id}. Enable currencies for it next`,
    );
  },
});

export const ACCOUNT_LIST_ROUTES = [accountsPage, newAccountPage, createAct];
