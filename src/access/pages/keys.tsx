import { HAND_KEY_PREFIX } from "../manage_api_keys.ts";
import { REVOKE_KEY } from "../operations/key.ts";
import { usesOfKeys } from "../../accounts/reads/accounts.ts";
import { apiKeys, roleKeys } from "../../store/reads/pages/lists.ts";
import type { AccountRow, ApiKeyRow, RoleKeyRow } from "../../store/tables/setup.ts";
import { AccountChoice, accountOf, withAccount } from "../../dashboard/parts/account.tsx";
import { Card, Cut, EmptyState, Status, Time } from "../../dashboard/parts/facts.tsx";
import { Form, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { type Column, Table } from "../../dashboard/parts/table.tsx";
import { formOf } from "../../dashboard/asking.ts";
import { page } from "../../dashboard/routes.ts";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import { mayManage } from "./_key_permissions.ts";
import { newKeyAct, newKeyPage } from "./_new_key.tsx";

const keysPage = page({
  path: "/keys",
  ability: "see",
  nav: { label: "API keys", group: "Developers" },
  show: async (visit) => {
    const account = await accountOf(visit);
    return (
      <Page visit={visit} title="API keys" actions={<NewKeyLink visit={visit} />}>
        <AccountChoice visit={visit} account={account} />
        {account && <KeyTable visit={visit} account={account} />}
        <RoleKeyCard visit={visit} account={account} />
      </Page>
    );
  },
});

const NewKeyLink = ({ visit }: { visit: Visit }) =>
  visit.may("GET", "/keys/new") && (
    <a class="button" href={BASE + withAccount(visit, "/keys/new")}>New key</a>
  );

const KeyTable = async ({ visit, account }: { visit: Visit; account: AccountRow }) => {
  const { db } = visit.deps;
  const all = (await apiKeys(db, account.id)).filter((row) =>
    !row.keyId.startsWith(HAND_KEY_PREFIX)
  );
  const uses = await usesOfKeys(db, all.map(({ keyId }) => keyId));
  const lastUse = new Map(uses.map((use) => [use.keyId, use.usedAtMs]));
  return (
    <Card>
      <Table
        caption="API keys"
        rows={all.toReversed()}
        empty={
          <EmptyState title="No API keys yet">
            Your shop's program signs its requests with a key. Its page shows a first call.
          </EmptyState>
        }
        columns={columnsFor(visit, lastUse)}
      />
    </Card>
  );
};

function columnsFor(visit: Visit, lastUse: ReadonlyMap<string, number>): Column<ApiKeyRow>[] {
  return [
    { title: "Label", cell: ({ label }) => <Cut text={label} /> },
    { title: "Key", cell: ({ keyId }) => <code>{keyId}</code> },
    { title: "Permissions", isMinor: true, cell: (row) => row.permissions.join(", ") },
    { title: "Allowed IPs", isMinor: true, cell: (row) => row.ipList.join(", ") || "any" },
    { title: "Requests per minute", isNumber: true, isMinor: true, cell: (row) => row.rateLimit },
    {
      title: "Last used",
      cell: ({ keyId }) => <Time atMs={lastUse.get(keyId) ?? null} none="never" />,
    },
    { title: "Status", cell: (row) => <Revoke visit={visit} row={row} /> },
  ];
}

/** Keys of programs that manage. Somebody who looks for what can reach the gateway looks here. */
const RoleKeyCard = async (
  { visit, account }: { visit: Visit; account: AccountRow | undefined },
) => {
  const { db } = visit.deps;
  const all = await roleKeys(db, visit.seesAll ? undefined : account?.id);
  const rows = all.filter(({ accountId }) =>
    !account || accountId === null || accountId === account.id
  );
  if (rows.length === 0) return null;
  const uses = await usesOfKeys(db, rows.map(({ keyId }) => keyId));
  const lastUse = new Map(uses.map((use) => [use.keyId, use.usedAtMs]));
  return (
    <Card title="Keys with a role">
      <p class="quiet">
        Programs with such a key may do what somebody with its role may do here, except to approve.
        {!visit.isOperator && " The operator makes and revokes them."}
      </p>
      <Table
        caption="Keys with a role"
        rows={rows.toReversed()}
        empty={null}
        columns={[
          { title: "Label", cell: ({ label }) => <Cut text={label} /> },
          { title: "Key", cell: ({ keyId }) => <code>{keyId}</code> },
          { title: "Role", cell: ({ role }) => role },
          ...visit.seesAll
            ? [{
              title: "Account",
              cell: ({ accountId }: RoleKeyRow) => accountId ?? "all",
            }]
            : [],
          { title: "Allowed IPs", isMinor: true, cell: (row) => row.ipList.join(", ") || "any" },
          {
            title: "Requests per minute",
            isNumber: true,
            isMinor: true,
            cell: (row) => row.rateLimit,
          },
          {
            title: "Last used",
            cell: ({ keyId }) => <Time atMs={lastUse.get(keyId) ?? null} none="never" />,
          },
          { title: "Status", cell: (row) => <RoleStatus visit={visit} row={row} /> },
        ]}
      />
    </Card>
  );
};

const RoleStatus = ({ visit, row }: { visit: Visit; row: RoleKeyRow }) =>
  row.revokedAtMs === null && visit.isOperator
    ? <RevokeForm visit={visit} row={row} />
    : <Status value={row.revokedAtMs === null ? "active" : "revoked"} />;

const Revoke = ({ visit, row }: { visit: Visit; row: ApiKeyRow }) => {
  if (row.revokedAtMs !== null) return <Status value="revoked" />;
  return mayManage(visit, row) ? <RevokeForm visit={visit} row={row} /> : <Status value="active" />;
};

const RevokeForm = (
  { visit, row: { keyId, label } }: { visit: Visit; row: Pick<ApiKeyRow, "keyId" | "label"> },
) => (
  <Form visit={visit} action={`/keys/${keyId}/revoke`} isInline>
    <Submit tone="danger" confirm={`Requests with the key "${label}" are refused from now on.`}>
      Revoke
    </Submit>
  </Form>
);

const revokeAct = formOf(REVOKE_KEY, {
  path: "/keys/:id/revoke",
  on: keysPage,
  isSensitive: true,
  named: (visit) => visit.param("id"),
  to: (_, key) => "role" in key ? "/keys" : `/keys?account=${key.account_id}`,
  said: ({ label }) => `The key "${label}" is revoked`,
});

export const KEY_ROUTES = [keysPage, newKeyPage, newKeyAct, revokeAct];
