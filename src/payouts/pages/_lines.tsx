import type { LineState } from "../batch_state.ts";
import { Hash, Money, Status } from "../../dashboard/parts/facts.tsx";
import { type Column, PagedTable } from "../../dashboard/parts/table.tsx";
import { BASE, type Visit } from "../../dashboard/visit.ts";

const ROWS = 100;

export const Lines = ({ visit, lines }: { visit: Visit; lines: readonly LineState[] }) => {
  const from = visit.cursor ?? 0;
  const rows = lines.filter(({ line }) => line > from);
  const shown = rows.slice(0, ROWS);
  const next = rows.length > ROWS ? shown.at(-1)?.line ?? null : null;
  return (
    <PagedTable
      visit={visit}
      caption="Lines"
      found={{ rows: shown, next }}
      columns={LINE_COLUMNS}
      empty="No more lines."
    />
  );
};

const LINE_COLUMNS: readonly Column<LineState>[] = [
  { title: "Line", isNumber: true, cell: ({ line }) => line },
  { title: "To", cell: ({ toAddress }) => <Hash text={toAddress} /> },
  {
    title: "Amount",
    isNumber: true,
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} isWhole />,
  },
  {
    title: "Reference",
    isMinor: true,
    cell: ({ reference }) => <bdi class="whole">{reference}</bdi>,
  },
  { title: "Payout", cell: (line) => <Result line={line} /> },
];

const Result = ({ line: { withdrawal, refusal } }: { line: LineState }) => {
  if (withdrawal) {
    const { id, status } = withdrawal;
    return (
      <>
        <a href={`${BASE}/withdrawals/${id}`}>{id}</a> <Status value={status} />
      </>
    );
  }
  return refusal === undefined ? <span class="quiet">not sent</span> : (
    <>
      <Status value="not sent" /> <span class="small">{refusal}</span>
    </>
  );
};
