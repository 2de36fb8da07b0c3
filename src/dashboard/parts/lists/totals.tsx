import type { Component } from "../../../base/html.ts";
import { totalsOf } from "../../../domain/money/list_totals.ts";
import { Amount, assetOf } from "../../../domain/money/amount.ts";
import type { AmountRow } from "../../../store/lists/amounts.ts";
import type { Visit } from "../../visit.ts";
import { Money } from "../facts.tsx";
import { worthFor, written } from "../worth_now.tsx";

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

/** What all rows of the filter come to, for each currency, and together at today's prices. */
export const Totals: Component<TotalsProps> = async ({ visit, word, found: { rows, next } }) => {
  if (rows.length === 0) return null;
  const { sums, counted, leftOut } = totalsOf(rows, (status) => VOID.includes(status));
  const what = counted === 1 ? `1 ${word}` : `${counted.toLocaleString("en")} ${word}s`;
  const others = sums.length - SHOWN_MAX;
  const worth = await worthOfAll(visit, sums);
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
      {worth !== undefined && <span class="quiet">{`about ${worth}`}</span>}
      {leftOut > 0 && (
        <span class="quiet">
          {`${leftOut.toLocaleString("en")} failed or cancelled not counted`}
        </span>
      )}
    </div>
  );
};

/** Of one account's. A sum without what has no price would be read as the whole. */
async function worthOfAll(
  visit: Visit,
  sums: readonly Omit<AmountRow, "id" | "status">[],
): Promise<string | undefined> {
  const accountId = visit.accountWanted();
  if (accountId === null) return undefined;
  const worth = await worthFor(visit.deps, { accountId, assets: sums });
  const values = sums.map((sum) => worth?.of(Amount.parse(sum.amount, assetOf(sum))));
  const sum = values.reduce((all, value) => all && value && all.plus(value));
  return worth && sum && written(sum, worth);
}
