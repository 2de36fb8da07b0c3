import { last } from "../../../base/lists.ts";
import { createAccount } from "../../../actions/accounts/manage_accounts.ts";
import * as kind from "../../../domain/kinds.ts";
import { accountPage } from "../../../store/reads/pages/accounts.ts";
import { Card, Status, Time } from "../../parts/facts.tsx";
import { Field, Form, Submit } from "../../parts/form.tsx";
import { Page } from "../../parts/page.tsx";
import { Pager, Table } from "../../parts/table.tsx";
import { act, done, OPERATORS, page } from "../../routes.ts";
import { BASE } from "../../visit.ts";

const ROWS = 50;
const NAME = kind.text({ max: 100 });

const accountsPage = page({
  path: "/accounts",
  roles: OPERATORS,
  nav: { label: "Accounts", group: "Gateway" },
  show: async (visit) => {
    const rows = await accountPage(visit.deps.db, { cursor: visit.cursor, limit: ROWS + 1 });
    const shown = rows.slice(0, ROWS);
    return (
      <Page visit={visit} title="Accounts">
        <Card>
          <Table
            caption="Accounts"
            rows={shown}
            empty="No accounts yet. Create the first one below"
            columns={[
              { title: "Id", isNumber: true, cell: ({ id }) => id },
              {
                title: "Name",
                cell: ({ id, name, suspendedAtMs }) => (
                  <>
                    <a href={`${BASE}/accounts/${id}`}>{name}</a>{" "}
                    {suspendedAtMs !== null && <Status value="suspended" />}
                  </>
                ),
              },
              { title: "Created (UTC)", cell: ({ createdAtMs }) => <Time atMs={createdAtMs} /> },
            ]}
          />
          <Pager visit={visit} next={rows.length > ROWS ? last(shown).id : null} />
        </Card>
        <Card title="New account">
          <Form visit={visit} action="/accounts">
            <Field visit={visit} name="name" label="Name" maxlength={100} isRequired />
            <Submit>Create</Submit>
          </Form>
        </Card>
      </Page>
    );
  },
});

const createAct = act({
  path: "/accounts",
  on: accountsPage,
  run: async ({ deps, form, actor }) => {
    const { name } = form.read((fields) => ({ name: fields.required("name", NAME) }));
    const { id } = await createAccount(deps, { name, actor });
    return done(`/accounts/${id}`, `Account ${id} created. Enable currencies for it next`);
  },
});

export const ACCOUNT_LIST_ROUTES = [accountsPage, createAct];
