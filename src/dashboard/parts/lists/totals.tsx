import type { Component } from "../../../base/html.ts";
import { totalsOf } from "../../../domain/money/list_totals.ts";
import { assetOf } from "../../../domain/money/amount.ts";
import type { AmountRow } from "../../../store/lists/amounts.ts";
import type { Visit } from "../../visit.ts";
import { Money } from "../facts.tsx";

/** So many rows are added up at most, however many there are. */
export const COUNTED_MAX = 1_000;
const SHOWN_MAX = 12;
const VOID = ["failed", "cancelled"];

interface TotalsProps {
  readonly visit: Visit;
  /** What is listed: "payment". */
  readonly word: string;
  readonly found: { readonly rows: readonly AmountRow[]; readonly next: number | null };
}

/** What all rows of the filter come to, for each currency. */
export const Totals: Component<TotalsProps> = ({ visit, word, found: { rows, next } }) => {
  if (rows.length === 0) return null;
  const { sums, counted, leftOut } = totalsOf(rows, (status) => VOID.includes(status));
  const what = counted === 1 ? `1 ${word}` : `${counted.toLocaleString("en")} ${word}s`;
  const others = sums.length - SHOWN_MAX;
  return (
    <div class="sums">
      <strong>{next === null ? what : `The newest ${what}`}</strong>
      <ul aria-label="Totals">
        {sums.slice(0, SHOWN_MAX).map((sum) => (
          <li>
            <Money amount={sum.amount} currency={visit.asset(assetOf(sum))} isWhole />
          </li>
        ))}
      </ul>
      {others > 0 && <span class="quiet">{`and ${others} more currencies`}</span>}
      {leftOut > 0 && (
        <span class="quiet">
          {`${leftOut.toLocaleString("en")} failed or cancelled not counted`}
        </span>
      )}
    </div>
  );
};
