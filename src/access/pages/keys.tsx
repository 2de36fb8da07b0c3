import { HAND_KEY_PREFIX, keyCreate, newKeySecret, secretStart } from "../manage_api_keys.ts";
import { REVOKE_KEY } from "../operations/key.ts";
import { KEY_PRESETS } from "../rules/key_presets.ts";
import { isPermission, type Permission, PERMISSIONS } from "../rules/permissions.ts";
import type { ApiKeyRow, RoleKeyRow } from "../tables/keys.ts";
import { usesOfKeys } from "../../accounts/reads/accounts.ts";
import type { AccountRow } from "../../accounts/tables/accounts.ts";
import { formOf } from "../../dashboard/asking.ts";
import { apiUrlOf, docsUrlOf } from "../../dashboard/environment.ts";
import { fieldFault } from "../../dashboard/form.ts";
import {
  AccountChoice,
  accountChosen,
  accountOf,
  withAccount,
} from "../../dashboard/parts/account.tsx";
import {
  Card,
  Copied,
  CopyButton,
  Cut,
  EmptyState,
  Facts,
  Status,
  Time,
} from "../../dashboard/parts/facts.tsx";
import { Checks, Field, Form, Select, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { type Column, Table } from "../../dashboard/parts/table.tsx";
import { act, page } from "../../dashboard/routes.ts";
import { BASE, NotFound, type Visit } from "../../dashboard/visit.ts";
import * as kind from "../../domain/kinds.ts";
import { installSdk } from "../../domain/sdk_file.ts";
import type { ProposalRow } from "../../proposals/table.ts";
import { changeOrPropose, waitsText } from "../../proposals/words.ts";
import { apiKeys, roleKeys } from "../../store/reads/pages/lists.ts";

const EMPTY_HASH = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/** Calls that change nothing, by what the key may do. */
const CALLS: readonly { permission: Permission; path: string; method: string }[] = [
  { permission: "read_balance", path: "/v1/_ping", method: "ping()" },
  { permission: "list_currencies", path: "/v1/currencies", method: "listCurrencies()" },
];

/** The first signed call, with the key that was just created. */
const FirstCall = (
  { visit, row, secret }: {
    visit: Visit;
    row: Pick<ApiKeyRow, "keyId" | "permissions">;
    secret: string;
  },
) => {
  const call = CALLS.find(({ permission }) => row.permissions.includes(permission));
  if (!call) return null;
  const docs = docsUrlOf(visit.facts);
  const key = { url: apiUrlOf(visit.facts), keyId: row.keyId, secret };
  return (
    <Card title="Make your first call" id="first-call">
      <Program title="In a shell" id="first-curl" text={curlCall(key, call.path)} />
      {docs && (
        <>
          <Program title="With the SDK" id="first-sdk" text={sdkCall(key, call.method)} />
          <MoreHelp docs={docs} />
        </>
      )}
    </Card>
  );
};

const Program = ({ title, id, text }: { title: string; id: string; text: string }) => (
  <>
    <h3>
      {title} <CopyButton text={text} />
    </h3>
    <pre id={id}>{text}</pre>
  </>
);

const RATE_LIMIT = "600";
const RATE = kind.integer({ min: 1, max: 1_000_000 });
const LABEL = kind.text({ max: 100 });

const permission: kind.Kind<Permission> = {
  word: "NAME",
  is: `one of ${PERMISSIONS.join(", ")}`,
  read: (text) => isPermission(text) ? text : undefined,
};

const newKeyPage = page({
  path: "/keys/new",
  ability: "manage_keys",
  isSensitive: true,
  show: async (visit) => {
    const account = await accountOf(visit);
    return (
      <Page visit={visit} title="New API key" up={keysUp(visit)}>
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
      <Select
        visit={visit}
        name="preset"
        label="Permissions"
        value="shop"
        options={presetsFor(visit)}
      />
      <SinglePermissions visit={visit} />
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
  ability: "manage_keys",
  on: newKeyPage,
  run: async (visit) => {
    const account = await accountChosen(visit);
    const { ticked, ...read } = visit.form.read((it) => ({
      label: it.required("label", LABEL),
      ticked: it.chosen("permissions", permission),
      ipList: it.optional("ip_list", kind.ipList) ?? [],
      rateLimit: it.required("rate_limit", RATE),
    }));
    const fields = { ...read, permissions: permissionsOf(visit, ticked) };
    if (fields.permissions.length === 0) throw fieldFault("permissions", "Choose at least one");
    mustManage(visit, fields);
    const { secret, ...made } = await newKeySecret(visit.deps);
    const { proposal } = await changeOrPropose(visit, keyCreate, {
      wanted: { accountId: account.id, ...fields, isOwn: !visit.isOperator },
      made,
    });
    const row = { keyId: made.keyId, accountId: account.id, permissions: fields.permissions };
    return <NewSecret visit={visit} row={row} secret={secret} proposal={proposal} />;
  },
});

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

const SinglePermissions = ({ visit }: { visit: Visit }) => (
  <details open={visit.fault !== undefined}>
    <summary>Single permissions</summary>
    <Checks
      visit={visit}
      name="permissions"
      legend="Also these permissions"
      options={choicesFor(visit)}
    />
  </details>
);

interface NewSecretProps {
  readonly visit: Visit;
  readonly row: Pick<ApiKeyRow, "keyId" | "accountId" | "permissions">;
  readonly secret: string;
  readonly proposal: ProposalRow | undefined;
}

const NewSecret = ({ visit, row, secret, proposal }: NewSecretProps) => (
  <Page
    visit={visit}
    title={proposal ? "The API key waits for a second person" : "API key created"}
    up={keysUp(visit, row.accountId)}
  >
    <Card>
      {proposal && (
        <p class="message warn">
          {waitsText(proposal)}. They get the end of the secret, so that nobody knows it alone: the
          start and the end, without a space, are the secret.
        </p>
      )}
      <p class="message warn">
        This is shown only once. Store it where only your server can read it.
      </p>
      <Facts
        rows={[
          ["Key", <Copied id="key-id" text={row.keyId} />],
          proposal
            ? ["Start of the secret", <Copied id="secret" text={secretStart(secret)} />]
            : ["Secret", <Copied id="secret" text={secret} />],
          ["Permissions", row.permissions.join(", ") || "none"],
        ]}
      />
      <p>
        <a class="button" href={`${BASE}/keys?account=${row.accountId}`}>I have saved it</a>
      </p>
    </Card>
    {!proposal && <FirstCall visit={visit} row={row} secret={secret} />}
  </Page>
);

const MoreHelp = ({ docs }: { docs: string }) => (
  <p class="quiet">
    The rest is in the <a href={docs}>documentation</a>. If a signature is refused,{" "}
    <a href={`${docs}/sign`}>/docs/sign</a> and the request log show why.
  </p>
);

interface Key {
  readonly url: string;
  readonly keyId: string;
  readonly secret: string;
}

function curlCall({ url, keyId, secret }: Key, path: string): string {
  return `CPG_URL='${url}'
CPG_KEY_ID='${keyId}'
CPG_SECRET='${secret}'
NOW=$(date +%s)
# Time, method, path, query and the hash of the body; the last two are empty here.
SIGNATURE=$(printf '%s\\nGET\\n${path}\\n\\n${EMPTY_HASH}' "$NOW" |
  openssl dgst -sha256 -hmac "$CPG_SECRET" -r | cut -d' ' -f1)
curl -sS "$CPG_URL${path}" -H "X-CPG-Key: $CPG_KEY_ID" \\
  -H "X-CPG-Timestamp: $NOW" -H "X-CPG-Signature: $SIGNATURE"`;
}

function sdkCall({ url, keyId, secret }: Key, method: string): string {
  return `// ${installSdk(url)}
import { Cpg } from "cpg-sdk";
const cpg = new Cpg({ url: "${url}", keyId: "${keyId}", secret: "${secret}" });
console.log(await cpg.${method});`;
}

function choicesFor(visit: Visit) {
  return PERMISSIONS
    .filter((one) => mayManage(visit, { permissions: [one] }))
    .map((value) => ({ value, label: value.replaceAll("_", " ") }));
}

function presetsFor(visit: Visit) {
  const usable = KEY_PRESETS.filter((preset) => mayManage(visit, preset));
  const only = { value: "", label: "Only single permissions" };
  return [...usable.map(({ name, words }) => ({ value: name, label: words })), only];
}

/** A preset's, and those that were ticked. */
function permissionsOf(visit: Visit, ticked: readonly Permission[]): Permission[] {
  const preset = KEY_PRESETS.find(({ name }) => name === visit.form.text("preset"));
  return PERMISSIONS.filter((one) => ticked.includes(one) || preset?.permissions.includes(one));
}

interface Permitted {
  readonly permissions: readonly Permission[];
}

/** Developers neither make nor revoke keys that can pay. */
function mayManage(visit: Visit, { permissions }: Permitted): boolean {
  const isPaying = permissions.includes("withdraw");
  return visit.isAble(isPaying ? "manage_withdraw_keys" : "manage_keys");
}

function mustManage(visit: Visit, key: Permitted): void {
  if (!mayManage(visit, key)) throw new NotFound();
}

/** The list of the account's keys. */
function keysUp(visit: Visit, accountId?: number) {
  return { path: withAccount(visit, "/keys", accountId), label: "API keys" };
}
