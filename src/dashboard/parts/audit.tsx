import type { Component } from "../../base/html.ts";
import type { AuditRow } from "../../store/tables/audit.ts";
import type { Db } from "../../store/engine/db.ts";
import { type ApiKeyRow, ApiKeys } from "../../store/tables/setup.ts";
import { BASE } from "../visit.ts";
import { Time } from "./facts.tsx";
import { type Column, Table } from "./table.tsx";

const BY_KEY = "api:";

type Keys = ReadonlyMap<string, ApiKeyRow>;

/** Who did what, from where, with before and after. */
export const AuditList: Component<{ db: Db; rows: readonly AuditRow[] }> = async ({ db, rows }) => (
  <Table
    caption="Audit log"
    rows={rows}
    columns={columnsBy(await keysOf(db, rows))}
    empty="No entries"
  />
);

/** The API keys that acted. */
async function keysOf(db: Db, rows: readonly AuditRow[]): Promise<Keys> {
  const ids = new Set(rows.flatMap(({ actor }) => keyIdOf(actor) ?? []));
  const keys = await Promise.all([...ids].map((id) => db.find(ApiKeys, [id])));
  return new Map(keys.flatMap((key) => key ? [[key.keyId, key]] : []));
}

function keyIdOf(actor: string): string | undefined {
  return actor.startsWith(BY_KEY) ? actor.slice(BY_KEY.length) : undefined;
}

const columnsBy = (keys: Keys): readonly Column<AuditRow>[] => [
  { title: "Id", isNumber: true, at: "none", cell: ({ id }) => id },
  { title: "Time", at: "age", cell: ({ atMs }) => <Time atMs={atMs} /> },
  { title: "Actor", at: "state", cell: ({ actor }) => linkTo("actor", actor) },
  { title: "Source", at: "none", cell: (row) => <From row={row} keys={keys} /> },
  { title: "Action", at: "title", cell: ({ action }) => action },
  { title: "Subject", cell: ({ subject }) => linkTo("subject", subject) },
  { title: "Details", cell: ({ detail }) => <Detail detail={detail} /> },
];

const From: Component<{ row: AuditRow; keys: Keys }> = ({ row: { ip, actor }, keys }) => {
  const key = keys.get(keyIdOf(actor) ?? "");
  if (ip !== null || !key) return ip ?? "–";
  const { accountId, label } = key;
  return (
    <>
      <a href={`${BASE}/accounts/${accountId}`}>{`account ${accountId}`}</a>
      <div class="small quiet">{`key "${label}"`}</div>
    </>
  );
};

const linkTo = (name: "actor" | "subject", value: string) => (
  <a class="whole" href={`${BASE}/audit?${new URLSearchParams({ [name]: value })}`}>{value}</a>
);

const Detail: Component<{ detail: unknown }> = ({ detail }) => {
  const text = JSON.stringify(detail, null, 1);
  if (text === "{}" || text === undefined) return <span class="quiet">–</span>;
  if (text.length < 60) return <pre>{JSON.stringify(detail)}</pre>;
  return (
    <details>
      <summary>Show</summary>
      <pre>{text}</pre>
    </details>
  );
};
