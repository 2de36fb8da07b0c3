import type { AssetMoney } from "../../payouts/money_of.ts";
import type { Amount } from "../../domain/money/amount.ts";
import { assetOf } from "../../domain/money/amount.ts";
import { isoUtc } from "../../domain/time.ts";
import { Card, EmptyState, Money } from "../../dashboard/parts/facts.tsx";
import { BASE } from "../../dashboard/visit.ts";

interface Part {
  readonly name: string;
  readonly label: string;
  readonly amount: Amount;
}

/** Drawn in the bar; the others are no coins of the account, or are to be taken from the rest. */
const DRAWN: ReadonlySet<string> = new Set([
  "payable",
  "held",
  "on-deposits",
  "sweeping",
  "swept",
  "gas",
  "fees",
]);
const REST = "rest";

/** One bar for each asset: where its coins are. */
export const MoneyCard = ({ money }: { money: readonly AssetMoney[] }) => (
  <Card title="Your money" actions={<a href={`${BASE}/balances`}>Balances</a>}>
    {money.length === 0
      ? (
        <EmptyState title="No balances yet">
          After the first confirmed payment, this shows how much is yours and where it is.
        </EmptyState>
      )
      : <ul class="assets">{money.map((asset) => <Asset asset={asset} />)}</ul>}
    {money.some(({ unexplained }) =>
      unexplained?.isNegative()
    ) && (
      <p class="quiet small">
        Not explained by deposits: coins that were sent to the hot wallet and not booked by hand.
      </p>
    )}
  </Card>
);

const Asset = ({ asset }: { asset: AssetMoney }) => {
  const { row } = asset;
  const parts = partsOf(asset);
  return (
    <li>
      <div class="asset-head">
        <h3>
          {row.currency}{" "}
          {row.network !== row.currency && <span class="quiet">{`on ${row.network}`}</span>}
        </h3>
        <Money amount={row.balance} currency={row.currency} id={`balance-${assetOf(row)}`} />
      </div>
      <Bar parts={parts} />
      <dl class="legend">
        {parts.map((part) => <Legend part={part} asset={asset} />)}
        {asset.isPaidOut && !asset.payable && (
          <div>
            <dt>Payable now, fee included</dt>
            <dd>unknown: no node answers</dd>
          </div>
        )}
      </dl>
    </li>
  );
};

const Legend = ({ part, asset }: { part: Part; asset: AssetMoney }) => {
  const { row, isCut } = asset;
  const isMore = isCut && ["on-deposits", "sweeping"].includes(part.name);
  const ledger = `${BASE}/balances/${row.network}/${row.currency}`;
  return (
    <div>
      <dt>
        {isDrawn(part) && <span class={`key part-${part.name}`}></span>}
        {part.name === REST ? <a href={ledger}>{part.label}</a> : part.label}
      </dt>
      <dd>
        {isMore && "more than "}
        <Money amount={part.amount.toString()} id={`${part.name}-${part.amount.asset}`} />
      </dd>
    </div>
  );
};

function isDrawn({ name, amount }: Part): boolean {
  return DRAWN.has(name) && !amount.isNegative();
}

/** The shares are for drawing only; readers get the amounts. */
const Bar = ({ parts }: { parts: readonly Part[] }) => {
  const drawn = parts.filter(isDrawn);
  const sizes = drawn.map(({ amount }) => Number(amount.toString()));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total === 0) return null;
  const shares = sizes.map((size) => size / total * 100);
  return (
    <svg class="bar" aria-hidden="true">
      {shares.map((share, i) => (
        <rect
          class={`part-${drawn[i]?.name}`}
          x={`${percent(shares.slice(0, i).reduce((sum, one) => sum + one, 0))}%`}
          width={`${percent(Math.max(0, share - .3))}%`}
          height="100%"
        />
      ))}
    </svg>
  );
};

function percent(value: number): number {
  return Math.round(value * 100) / 100;
}

function partsOf(asset: AssetMoney): Part[] {
  const { isPaidOut, isCut, isOpenCut, sweptSinceMs, unexplained: rest } = asset;
  const since = sweptSinceMs === undefined ? "" : `, since ${isoUtc(sweptSinceMs).slice(0, 10)}`;
  const parts: [name: string, label: string, amount: Amount | undefined][] = [
    ["payable", isPaidOut ? "Payable now, fee included" : "In the hot wallet", asset.payable],
    ["held", "Held for open payouts", asset.held],
    ["on-deposits", "On deposit addresses", asset.onDeposits],
    ["sweeping", "Being swept", asset.sweeping],
    ["swept", `Swept to your wallet${since}`, asset.swept],
    ["gas", "Kept for gas", asset.keptForGas],
    ["fees", "Network fees paid", asset.fees],
    ["booked", "Booked by hand, without coins", asset.booked],
    ["charged", "Fees of payouts", asset.charged],
    ["topped-up", "Gas from the operator", asset.toppedUp],
    ["beyond", "In the hot wallet beyond your balance", asset.beyond],
    [REST, isCut || isOpenCut ? "Not counted here" : restText(rest), rest],
  ];
  return parts.flatMap(([name, label, amount]) =>
    amount === undefined || amount.isZero() ? [] : [{ name, label, amount }]
  );
}

function restText(rest: Amount | undefined): string {
  return rest?.isNegative() ? "Not explained by deposits" : "Not explained: no longer where it was";
}

/** For an open page; the parts themselves reload it. */
export function moneyFigures(money: readonly AssetMoney[]): Record<string, string> {
  const figures = money.flatMap((asset) => [
    [`balance-${assetOf(asset.row)}`, asset.row.balance],
    ...partsOf(asset).map(({ name, amount }) => [`${name}-${amount.asset}`, amount.toString()]),
  ]);
  return Object.fromEntries(figures);
}

export function partNames(money: readonly AssetMoney[]): string {
  return money.map((asset) => partsOf(asset).map(({ name }) => name).join()).join(" ");
}
