import {
  createApiKey,
  HAND_KEY_PREFIX,
  revokeApiKey,
} from "../../../actions/access/manage_api_keys.ts";
import * as kind from "../../../domain/kinds.ts";
import { isPermission, type Permission, PERMISSIONS } from "../../../domain/permissions.ts";
import { usesOfKeys } from "../../../store/reads/pages/accounts.ts";
import { apiKeys } from "../../../store/reads/pages/lists.ts";
import { type AccountRow, type ApiKeyRow, ApiKeys } from "../../../store/tables/setup.ts";
import { AccountChoice, accountChosen, accountOf } from "../../parts/account.tsx";
import { Card, CopyButton, Facts, Status, Time } from "../../parts/facts.tsx";
import { Checks, Field, Form, Submit } from "../../parts/form.tsx";
import { fieldFault } from "../../form.ts";
import { Page } from "../../parts/page.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { act, done, page } from "../../routes.ts";
import { BASE, NotFound, type Visit } from "../../visit.ts";

const RATE_LIMIT = "600";
const RATE = kind.integer({ min: 1, max: 1_000_000 });
const LABEL = kind.text({ max: 100 });
const CHOICES = PERMISSIONS.map((value) => ({ value, label: value.replaceAll("_", " ") }));
const permission: kind.Kind<Permission> = {
  word: "NAME",
  is: `one of ${PERMISSIONS.join(", ")}`,
  read: (text) => isPermission(text) ? text : undefined,
};

const keysPage = page({
  path: "/keys",
  nav: { label: "API keys", group: "Account" },
  show: async (visit) => {
    const account = await accountOf(visit);
    return (
      <Page visit={visit} title="API keys">
        <AccountChoice visit={visit} account={account} />
        {account && <KeyTable visit={visit} account={account} />}
        {account && (
          <p>
            <a class="button" href={`${BASE}/keys/new?account=${account.id}`}>New key</a>
          </p>
        )}
      </Page>
    );
  },
});

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
        empty="No API keys yet"
        columns={columnsFor(visit, lastUse)}
      />
    </Card>
  );
};

function columnsFor(visit: Visit, lastUse: ReadonlyMap<string, number>): Column<ApiKeyRow>[] {
  return [
    { title: "Label", cell: ({ label }) => label },
    { title: "Key", cell: ({ keyId }) => <code>{keyId}</code> },
    { title: "Permissions", isMinor: true, cell: (row) => row.permissions.join(", ") },
    { title: "Allowed IPs", isMinor: true, cell: (row) => row.ipList.join(", ") || "any" },
    { title: "Requests per minute", isNumber: true, isMinor: true, cell: (row) => row.rateLimit },
    {
      title: "Last used (UTC)",
      cell: ({ keyId }) => <Time atMs={lastUse.get(keyId) ?? null} none="never" />,
    },
    { title: "Status", cell: (row) => <Revoke visit={visit} row={row} /> },
  ];
}

const Revoke = ({ visit, row: { keyId, label, revokedAtMs } }: { visit: Visit; row: ApiKeyRow }) =>
  revokedAtMs !== null
    ? <Status value="revoked" />
    : (
      <Form visit={visit} action={`/keys/${keyId}/revoke`} isInline>
        <Submit tone="danger" confirm={`Requests with the key "${label}" are refused from now on.`}>
          Revoke
        </Submit>
      </Form>
    );

const newKeyPage = page({
  path: "/keys/new",
  isSensitive: true,
  show: async (visit) => {
    const account = await accountOf(visit);
    return (
      <Page visit={visit} title="New API key" up={{ path: "/keys", label: "API keys" }}>
        <AccountChoice visit={visit} account={account} />
        {account && <NewKey visit={visit} account={account} />}
      </Page>
    );
  },
});

const NewKey = ({ visit, account }: { visit: Visit; account: AccountRow }) => (
  <Card>
    <Form visit={visit} action="/keys/new">
      <input type="hidden" name="account" value={String(account.id)} />
      <Field visit={visit} name="label" label="Label" maxlength={100} isRequired />
      <Checks visit={visit} name="permissions" legend="Permissions" options={CHOICES} />
      <Field
        visit={visit}
        name="ip_list"
        label="Allowed IP addresses"
        hint="IP addresses or CIDR ranges, separated by commas. Leave empty to allow any"
      />
      <Field
        visit={visit}
        name="rate_limit"
        label="Requests per minute"
        inputmode="numeric"
        value={RATE_LIMIT}
        isRequired
      />
      <Submit>Create key</Submit>
    </Form>
  </Card>
);

const newKeyAct = act({
  path: "/keys/new",
  on: newKeyPage,
  run: async (visit) => {
    const { deps, form, actor } = visit;
    const account = await accountChosen(visit);
    const fields = form.read((it) => ({
      label: it.required("label", LABEL),
      permissions: it.chosen("permissions", permission),
      ipList: it.optional("ip_list", kind.ipList) ?? [],
      rateLimit: it.required("rate_limit", RATE),
    }));
    if (fields.permissions.length === 0) throw fieldFault("permissions", "Choose at least one");
    const order = { accountId: account.id, ...fields, actor, isOwn: !visit.isOperator };
    const { row, secret } = await createApiKey(deps, order);
    return <NewSecret visit={visit} row={row} secret={secret} />;
  },
});

const NewSecret = ({ visit, row, secret }: { visit: Visit; row: ApiKeyRow; secret: string }) => (
  <Page visit={visit} title="API key created" up={{ path: "/keys", label: "API keys" }}>
    <Card>
      <p class="message warn">
        This secret is shown only once. Store it where only your server can read it.
      </p>
      <Facts
        rows={[
          ["Key", <Copied id="key-id" text={row.keyId} />],
          ["Secret", <Copied id="secret" text={secret} />],
          ["Permissions", row.permissions.join(", ") || "none"],
        ]}
      />
      <p>
        <a class="button" href={`${BASE}/keys?account=${row.accountId}`}>I have saved it</a>
      </p>
    </Card>
  </Page>
);

const Copied = ({ id, text }: { id: string; text: string }) => (
  <span class="hash">
    <code class="whole" id={id}>{text}</code>
    <CopyButton text={text} />
  </span>
);

const revokeAct = act({
  path: "/keys/:id/revoke",
  on: keysPage,
  isSensitive: true,
  run: async (visit) => {
    const found = visit.own(await visit.deps.db.find(ApiKeys, [visit.param("id")]));
    if (found.keyId.startsWith(HAND_KEY_PREFIX)) throw new NotFound();
    await revokeApiKey(visit.deps, { keyId: found.keyId, actor: visit.actor });
    return done(
      `/keys?account=${found.accountId}`,
      `The key "${found.label}" is revoked`,
    );
  },
});

export const KEY_ROUTES = [keysPage, newKeyPage, newKeyAct, revokeAct];
