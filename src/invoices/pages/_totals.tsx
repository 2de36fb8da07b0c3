import type { Component } from "../../base/html.ts";
import { totalsOf } from "../../domain/money/list_totals.ts";
import type { InvoiceStatus } from "../rules/status.ts";
import { Money } from "../../dashboard/parts/facts.tsx";

const SHOWN_MAX = 12;

interface Owed {
  readonly id: number;
  readonly currency: string;
  readonly status: string;
  readonly amount: string;
}

interface TotalsProps {
  readonly found: { readonly rows: readonly Owed[]; readonly next: number | null };
}

/** What the filter's invoices ask for, and what the paid ones of them came to. */
export const InvoiceTotals: Component<TotalsProps> = ({ found: { rows, next } }) => {
  if (rows.length === 0) return null;
  const count = rows.length === 1 ? "1 invoice" : `${rows.length.toLocaleString("en")} invoices`;
  return (
    <div class="sums">
      <strong>{next === null ? count : `The newest ${count}`}</strong>
      <Sums label="Asked for" rows={rows.filter(({ status }) => status !== "cancelled")} />
      <Sums
        label="Paid"
        rows={rows.filter(({ status }) => status === ("paid" satisfies InvoiceStatus))}
      />
    </div>
  );
};

const Sums: Component<{ label: string; rows: readonly Owed[] }> = ({ label, rows }) => {
  const { sums } = totalsOf(rows.map((row) => ({ ...row, network: "" })), () => false);
  const others = sums.length - SHOWN_MAX;
  return (
    <>
      <span class="quiet">{label}</span>
      <ul aria-label={label}>
        {sums.length === 0 && <li>0</li>}
        {sums.slice(0, SHOWN_MAX).map(({ amount, currency }) => (
          <li>
            <Money amount={amount} quote={currency} isWhole />
          </li>
        ))}
      </ul>
      {others > 0 && <span class="quiet">{`and ${others} more currencies`}</span>}
    </>
  );
};
