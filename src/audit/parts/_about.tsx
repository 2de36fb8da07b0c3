import type { Child } from "../../base/html.ts";
import type { AuditRow } from "../table.ts";
import { ApiKeys } from "../../store/tables/setup.ts";
import { Users } from "../../access/tables/users.ts";
import { WebhookEndpoints } from "../../webhooks/tables/webhooks.ts";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import { assetText } from "../../dashboard/words/assets.ts";
import { Hash, NamedAccount } from "../../dashboard/parts/facts.tsx";
import { partsOf } from "./actor.ts";

interface Props {
  readonly visit: Visit;
  readonly row: AuditRow;
}

/** What it was done to, and the way to everything else that was. */
export const About = ({ visit, row: { subject, detail } }: Props) => (
  <>
    {thing(visit, subject)}{" "}
    {typeof detail.accountId === "number" && !/^(account|key|webhook):/.test(subject) && (
      <div class="small quiet">
        of <NamedAccount visit={visit} id={detail.accountId} />
      </div>
    )} <a class="small minor" href={`${BASE}/audit?${new URLSearchParams({ subject })}`}>History</a>
  </>
);

/** Each with a path, if it has a page of its own or is shown among others. */
const NUMBERED: ReadonlyMap<string, readonly [name: string, pathOf?: (id: string) => string]> =
  new Map([
    ["withdrawal", ["Payout", (id: string) => `/withdrawals/${id}`]],
    ["transaction", ["Deposit", (id: string) => `/deposits/${id}`]],
    ["sweep", ["Sweep", (id: string) => `/sweeps/${id}`]],
    ["batch", ["Batch", (id: string) => `/batches/${id}`]],
    ["alert", ["Alert", () => "/alerts?all=on"]],
    ["policy", ["Rule"]],
    ["payee", ["Payee"]],
    ["notify", ["Receiver"]],
    ["proposal", ["Proposal"]],
    ["transfer", ["Transaction"]],
  ]);

const ALONE: ReadonlyMap<string, string> = new Map([
  ["user:unknown", "Unknown user"],
  ["user:first", "The first operator"],
  ["gateway", "The gateway"],
  ["seed", "The recovery phrase"],
  ["books", "The books"],
  ["backup", "The database"],
  ["policies", "All rules"],
]);

interface Named {
  readonly visit: Visit;
  readonly id: string;
}

/** Things that have names. */
const KINDS: ReadonlyMap<string, (props: Named) => Child> = new Map([
  ["account", ({ visit, id }: Named) => <NamedAccount visit={visit} id={Number(id)} />],
  ["user", (props: Named) => UserName(props)],
  ["webhook", (props: Named) => WebhookName(props)],
  ["key", (props: Named) => KeyName(props)],
  ["network", ({ id }: Named) => <a href={`${BASE}/networks/${encodeURIComponent(id)}`}>{id}</a>],
  ["currency", ({ id }: Named) => <CurrencyName asset={id} />],
  ["address", ({ id }: Named) => <Hash text={id} href={`${BASE}/wallets`} />],
]);

function thing(visit: Visit, subject: string): Child {
  const [kind, id] = partsOf(subject);
  const alone = ALONE.get(subject);
  if (alone !== undefined) return alone;
  const [named, numbered] = [KINDS.get(kind), NUMBERED.get(kind)];
  if (named && (!/^(account|user|webhook)$/.test(kind) || /^\d{1,15}$/.test(id))) {
    return named({ visit, id });
  }
  if (!numbered || !/^\d{1,15}$/.test(id)) return <bdi class="whole">{subject}</bdi>;
  const [name, pathOf] = numbered;
  return pathOf ? <a href={BASE + pathOf(id)}>{`${name} ${id}`}</a> : `${name} ${id}`;
}

const UserName = async ({ visit, id }: Named) => {
  const user = await visit.deps.db.find(Users, [Number(id)]);
  if (!user) return `User ${id}`;
  return (
    <a href={`${BASE}/users`}>
      <bdi class="cut">{user.email}</bdi>
    </a>
  );
};

/** A removed one has no page any more. */
const WebhookName = async ({ visit, id }: Named) => {
  const webhook = await visit.deps.db.find(WebhookEndpoints, [Number(id)]);
  if (!webhook) return `Webhook ${id}`;
  return (
    <>
      <a href={`${BASE}/webhooks/${id}`}>{`Webhook ${id}`}</a>{" "}
      {webhook.accountId !== null && (
        <div class="small quiet">
          of <NamedAccount visit={visit} id={webhook.accountId} />
        </div>
      )}
    </>
  );
};

const KeyName = async ({ visit, id }: Named) => {
  const key = await visit.deps.db.find(ApiKeys, [id]);
  if (!key) return <code class="whole">{id}</code>;
  return (
    <>
      <a href={`${BASE}/keys?account=${key.accountId}`}>
        <bdi class="cut">{`Key "${key.label}"`}</bdi>
      </a>{" "}
      <div class="small quiet">
        of <NamedAccount visit={visit} id={key.accountId} />
      </div>
    </>
  );
};

const CurrencyName = ({ asset }: { asset: string }) => {
  const [network = "", symbol = ""] = asset.split("/");
  const path = `/networks/${encodeURIComponent(network)}/currencies/${encodeURIComponent(symbol)}`;
  return <a href={BASE + path}>{assetText(asset)}</a>;
};
