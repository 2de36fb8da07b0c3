import { Card, Status } from "../../dashboard/parts/facts.tsx";
import { type Column, Table } from "../../dashboard/parts/table.tsx";
import type { Visit } from "../../dashboard/visit.ts";
import type { NetworkCursorRow } from "../../following/table.ts";
import { lagOf, stateOf } from "../../networks/pages/network_state.ts";
import { networkName } from "../../networks/catalogue.ts";
import type { NetworkRow } from "../../networks/table.ts";

interface NetworksProps {
  readonly visit: Visit;
  readonly networks: readonly NetworkRow[];
  readonly cursors: readonly NetworkCursorRow[];
}

export const NetworkCard = ({ visit, networks, cursors }: NetworksProps) => (
  <Card title="Networks">
    <Table
      caption="Networks"
      rows={networks.filter(({ isActive }) => isActive)}
      empty="No networks yet"
      columns={columnsFor(cursors, visit.deps.clock.nowMs())}
    />
  </Card>
);

function columnsFor(cursors: readonly NetworkCursorRow[], nowMs: number): Column<NetworkRow>[] {
  const cursorOf = new Map(cursors.map((cursor) => [cursor.network, cursor]));
  return [
    { title: "Network", cell: networkName },
    {
      title: "Status",
      cell: (row) => <Status value={stateOf(row, cursorOf.get(row.code), nowMs)} />,
    },
    {
      title: "Last block read",
      isNumber: true,
      cell: ({ code }) => <span id={`read-${code}`}>{cursorOf.get(code)?.scanHeight ?? "–"}</span>,
    },
    {
      title: "Blocks behind",
      isNumber: true,
      cell: ({ code }) => <span id={`lag-${code}`}>{lagOf(cursorOf.get(code), nowMs) ?? "–"}</span>,
    },
  ];
}

/** To refresh an open page. */
export function networkFigures(
  cursors: readonly NetworkCursorRow[],
  nowMs: number,
): Record<string, string> {
  return Object.fromEntries(cursors.flatMap((cursor) => [
    [`read-${cursor.network}`, String(cursor.scanHeight)],
    [`lag-${cursor.network}`, String(lagOf(cursor, nowMs) ?? "–")],
  ]));
}
