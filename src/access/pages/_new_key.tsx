import { keyCreate, newKeySecret, secretStart } from "../manage_api_keys.ts";
import type { ProposalRow } from "../../proposals/table.ts";
import * as kind from "../../domain/kinds.ts";
import { isPermission, type Permission, PERMISSIONS } from "../rules/permissions.ts";
import type { AccountRow, ApiKeyRow } from "../../store/tables/setup.ts";
import { AccountChoice, accountChosen, accountOf } from "../../dashboard/parts/account.tsx";
import { Card, Copied, Facts } from "../../dashboard/parts/facts.tsx";
import { Checks, Field, Form, Select, Submit } from "../../dashboard/parts/form.tsx";
import { choicesFor, keysUp, mustManage, permissionsOf, presetsFor } from "./_key_permissions.ts";
import { FirstCall } from "./_first_call.tsx";
import { fieldFault } from "../../dashboard/form.ts";
import { Page } from "../../dashboard/parts/page.tsx";
import { changeOrPropose, waitsText } from "../../proposals/words.ts";
import { act, page } from "../../dashboard/routes.ts";
import { BASE, type Visit } from "../../dashboard/visit.ts";

const RATE_LIMIT = "600";
const RATE = kind.integer({ min: 1, max: 1_000_000 });
const LABEL = kind.text({ max: 100 });

const permission: kind.Kind<Permission> = {
  word: "NAME",
  is: `one of ${PERMISSIONS.join(", ")}`,
  read: (text) => isPermission(text) ? text : undefined,
};

export const newKeyPage = page({
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

export const newKeyAct = act({
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
