import type { Component } from "../../base/html.ts";
import type { LedgerEntryRow } from "../table.ts";
import { Fold } from "../../dashboard/parts/facts.tsx";
import { Table } from "../../dashboard/parts/table.tsx";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import { lineColumns } from "./lines.tsx";

interface LedgerLinesProps {
  readonly visit: Visit;
  readonly entries: readonly LedgerEntryRow[];
}

/** What a payment or payout did to the balance. */
export const LedgerLines: Component<LedgerLinesProps> = (
  { visit, entries },
) => {
  const [first] = entries;
  if (!first) return null;
  const account = visit.seesAll ? `?account=${first.accountId}` : "";
  const path = `/balances/${first.network}/${first.currency}`;
  const ledger = visit.may("GET", path) && <a href={BASE + path + account}>Whole ledger</a>;
  return (
    <Fold title="Ledger" count={entries.length} actions={ledger}>
      <Table caption="Ledger" rows={entries} columns={lineColumns(entries, new Map())} empty="" />
    </Fold>
  );
};
