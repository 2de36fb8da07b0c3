import { HAND_KEY_PREFIX, revokeApiKey } from "../../../actions/access/manage_api_keys.ts";
import { usesOfKeys } from "../../../store/reads/pages/accounts.ts";
import { apiKeys } from "../../../store/reads/pages/lists.ts";
import { type AccountRow, type ApiKeyRow, ApiKeys } from "../../../store/tables/setup.ts";
import { AccountChoice, accountOf, withAccount } from "../../parts/account.tsx";
import { Card, Cut, EmptyState, Status, Time } from "../../parts/facts.tsx";
import { Form, Submit } from "../../parts/form.tsx";
import { Page } from "../../parts/page.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { act, done, page } from "../../routes.ts";
import { BASE, NotFound, type Visit } from "../../visit.ts";
import { mayManage, mustManage } from "./_key_permissions.ts";
import { newKeyAct, newKeyPage } from "./_new_key.tsx";

const keysPage = page({
  path: "/keys",
  nav: { label: "API keys", group: "Developers" },
  show: async (visit) => {
    const account = await accountOf(visit);
    return (
      <Page visit={visit} title="API keys" actions={<NewKeyLink visit={visit} />}>
        <AccountChoice visit={visit} account={account} />
        {account && <KeyTable visit={visit} account={account} />}
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

const Revoke = ({ visit, row }: { visit: Visit; row: ApiKeyRow }) => {
  const { keyId, label, revokedAtMs } = row;
  if (revokedAtMs !== null) return <Status value="revoked" />;
  return mayManage(visit, row)
    ? (
      <Form visit={visit} action={`/keys/${keyId}/revoke`} isInline>
        <Submit tone="danger" confirm={`Requests with the key "${label}" are refused from now on.`}>
          Revoke
        </Submit>
      </Form>
    )
    : <Status value="active" />;
};

const revokeAct = act({
  path: "/keys/:id/revoke",
  on: keysPage,
  isSensitive: true,
  run: async (visit) => {
    const found = visit.own(await visit.deps.db.find(ApiKeys, [visit.param("id")]));
    if (found.keyId.startsWith(HAND_KEY_PREFIX)) throw new NotFound();
    mustManage(visit, found);
    await revokeApiKey(visit.deps, { keyId: found.keyId, actor: visit.actor });
    return done(
      `/keys?account=${found.accountId}`,
      `The key "${found.label}" is revoked`,
    );
  },
});

export const KEY_ROUTES = [keysPage, newKeyPage, newKeyAct, revokeAct];
