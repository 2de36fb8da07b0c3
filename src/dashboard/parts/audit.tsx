import type { Component } from "../../base/html.ts";
import type { AuditRow } from "../../store/audit_table.ts";
import { BASE } from "../visit.ts";
import { Time } from "./facts.tsx";
import { type Column, Table } from "./table.tsx";

/** Who did what, from where, with before and after. */
export const AuditList: Component<{ rows: readonly AuditRow[] }> = ({ rows }) => (
  <Table caption="Audit log" rows={rows} columns={COLUMNS} empty="Nothing" />
);

const COLUMNS: readonly Column<AuditRow>[] = [
  { title: "Id", isNumber: true, isMinor: true, cell: ({ id }) => id },
  { title: "When (UTC)", cell: ({ atMs }) => <Time atMs={atMs} /> },
  { title: "Who", cell: ({ actor }) => linkTo("actor", actor) },
  { title: "From", isMinor: true, cell: ({ ip }) => ip ?? "–" },
  { title: "Did", cell: ({ action }) => action },
  { title: "To", cell: ({ subject }) => linkTo("subject", subject) },
  { title: "Before and after", cell: ({ detail }) => <Detail detail={detail} /> },
];

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
