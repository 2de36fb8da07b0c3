import { ApiKeys } from "../../access/tables/keys.ts";
import { Users } from "../../access/tables/users.ts";
import { Who } from "./_who.tsx";
import { deedText } from "../rules/deeds.ts";
import { type Change, changesOf, SHOWN_MAX } from "../rules/changes.ts";
import { partsOf } from "../rules/names.ts";
import type { AuditRow } from "../table.ts";
import type { Child, Component } from "../../base/html.ts";
import { Hash, NamedAccount, Time } from "../../dashboard/parts/facts.tsx";
import type { Turn } from "../../dashboard/parts/lists/turn.tsx";
import { type Column, Table } from "../../dashboard/parts/table.tsx";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import { WebhookEndpoints } from "../../webhooks/tables/webhooks.ts";

/** Each line is a name, what it was and what it is now. */
const Changes = ({ visit, row }: { visit: Visit; row: AuditRow }) => {
  const lines = changesOf(row);
  if (lines.length === 0) return <span class="quiet">–</span>;
  if (lines.length <= SHOWN_MAX) return <Lines visit={visit} lines={lines} />;
  return (
    <details>
      <summary>{`${lines.length} fields`}</summary>
      <Lines visit={visit} lines={lines} />
    </details>
  );
};

const Lines = ({ visit, lines }: { visit: Visit; lines: readonly Change[] }) => (
  <dl class="changes">
    {lines.map((line) => (
      <>
        <dt>{line.name}</dt>
        <dd>
          {line.before !== undefined && (
            <>
              <del>{valueOf(visit, line, line.before)}</del>
              {" → "}
            </>
          )}
          {line.before === undefined
            ? valueOf(visit, line, line.after)
            : <ins>{valueOf(visit, line, line.after)}</ins>}
        </dd>
      </>
    ))}
  </dl>
);

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

const UserName = async ({ visit, id }: Named) => {
  const user = await visit.deps.db.find(Users, [Number(id)]);
  if (!user) return `User ${id}`;
  return (
    <a href={`${BASE}/users`}>
      <bdi class="cut">{user.email}</bdi>
    </a>
  );
};

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
  ["set_up", "The set-up"],
  ["books", "The books"],
  ["backup", "The database"],
  ["policies", "All rules"],
]);

/** Things that have names. */
const KINDS: ReadonlyMap<string, (props: Named) => Child> = new Map([
  ["account", ({ visit, id }: Named) => <NamedAccount visit={visit} id={Number(id)} />],
  ["user", (props: Named) => UserName(props)],
  ["webhook", (props: Named) => WebhookName(props)],
  ["key", (props: Named) => KeyName(props)],
  [
    "network",
    ({ visit, id }: Named) => (
      <a href={`${BASE}/networks/${encodeURIComponent(id)}`}>{visit.network(id)}</a>
    ),
  ],
  ["currency", (props: Named) => <CurrencyName {...props} />],
  ["address", ({ id }: Named) => <Hash text={id} href={`${BASE}/wallets`} />],
]);

interface ListProps {
  readonly visit: Visit;
  readonly rows: readonly AuditRow[];
  readonly empty?: string;
  readonly turn?: Turn;
}

/** Who did what, from where, with before and after. */
export const AuditList: Component<ListProps> = (
  { visit, rows, empty = "No entries", turn },
) => (
  <Table
    caption="Audit log"
    rows={rows}
    columns={columnsFor(visit)}
    empty={empty}
    turn={turn}
  />
);

const columnsFor = (visit: Visit): readonly Column<AuditRow>[] => [
  { title: "Row", isNumber: true, at: "none", cell: ({ id }) => id },
  { title: "Time", isOrder: true, at: "age", cell: ({ atMs }) => <Time atMs={atMs} hasAge /> },
  { title: "Who", at: "state", cell: (row) => <Who visit={visit} row={row} /> },
  { title: "What", at: "title", cell: ({ action }) => <Deed action={action} /> },
  { title: "About", cell: (row) => <About visit={visit} row={row} /> },
  { title: "Details", cell: (row) => <Changes visit={visit} row={row} /> },
];

const Deed = ({ action }: { action: string }) => (
  <span>
    <a class="plain" href={`${BASE}/audit?${new URLSearchParams({ action })}`}>
      {deedText(action)}
    </a>
  </span>
);

interface Props {
  readonly visit: Visit;
  readonly row: AuditRow;
}

/** What it was done to, and the way to everything else that was. */
const About = ({ visit, row: { subject, detail } }: Props) => (
  <>
    {thing(visit, subject)}{" "}
    {typeof detail.accountId === "number" && !/^(account|key|webhook):/.test(subject) && (
      <div class="small quiet">
        of <NamedAccount visit={visit} id={detail.accountId} />
      </div>
    )} <a class="small minor" href={`${BASE}/audit?${new URLSearchParams({ subject })}`}>History</a>
  </>
);

interface Named {
  readonly visit: Visit;
  readonly id: string;
}

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

const CurrencyName = ({ visit, id: asset }: Named) => {
  const [network = "", symbol = ""] = asset.split("/");
  const path = `/networks/${encodeURIComponent(network)}/currencies/${encodeURIComponent(symbol)}`;
  return <a href={BASE + path}>{visit.asset(asset)}</a>;
};

function valueOf(visit: Visit, { isAccount }: Change, value: string) {
  if (!isAccount || !/^\d{1,15}$/.test(value)) return <bdi>{value}</bdi>;
  return <NamedAccount visit={visit} id={Number(value)} />;
}
