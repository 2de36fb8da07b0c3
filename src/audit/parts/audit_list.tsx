import type { Component } from "../../base/html.ts";
import type { AuditRow } from "../table.ts";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import { deedText } from "../rules/deeds.ts";
import { Time } from "../../dashboard/parts/facts.tsx";
import type { Turn } from "../../dashboard/parts/lists/turn.tsx";
import { type Column, Table } from "../../dashboard/parts/table.tsx";
import { About } from "./_about.tsx";
import { Changes } from "./_changes.tsx";
import { Who } from "./_who.tsx";

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
