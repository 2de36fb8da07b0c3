import type { Component } from "../../../base/html.ts";
import type { LedgerEntryRow } from "../../../store/tables/ledger.ts";
import { Card, Money, Time } from "../../parts/facts.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { BASE, type Visit } from "../../visit.ts";

const ENTRIES: readonly Column<LedgerEntryRow>[] = [
  { title: "Booked", cell: ({ createdAtMs }) => <Time atMs={createdAtMs} /> },
  { title: "Kind", cell: ({ kind }) => kind },
  {
    title: "Amount",
    isNumber: true,
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
  },
  {
    title: "Balance afterwards",
    isNumber: true,
    cell: ({ balanceAfter, currency }) => <Money amount={balanceAfter} currency={currency} />,
  },
];

interface LedgerLinesProps {
  readonly visit: Visit;
  readonly entries: readonly LedgerEntryRow[];
}

/** What it did to the balance. */
export const LedgerLines: Component<LedgerLinesProps> = (
  { visit, entries: [first, ...others] },
) => {
  if (!first) return null;
  const account = visit.seesAll ? `?account=${first.accountId}` : "";
  const path = `/balances/${first.network}/${first.currency}`;
  const ledger = visit.may("GET", path) && <a href={BASE + path + account}>Whole ledger</a>;
  return (
    <Card title="Ledger" actions={ledger}>
      <Table caption="Ledger" rows={[first, ...others]} columns={ENTRIES} empty="" />
    </Card>
  );
};
