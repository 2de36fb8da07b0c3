import type { AssetMoney } from "../../../actions/payouts/money_of.ts";
import type { Amount } from "../../../domain/money/amount.ts";
import { assetOf } from "../../../domain/money/amount.ts";
import { Card, EmptyState, Money } from "../../parts/facts.tsx";
import { BASE } from "../../visit.ts";

interface Part {
  readonly name: string;
  readonly label: string;
  readonly amount: Amount;
}

/** No part of the balance, so it isn't drawn. */
const EXCESS = "excess";

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
  const isCut = asset.isCut && ["on-deposits", "sweeping"].includes(part.name);
  return (
    <div>
      <dt>
        {part.name !== EXCESS && <span class={`key part-${part.name}`}></span>}
        {part.label}
      </dt>
      <dd>
        {isCut && "more than "}
        <Money amount={part.amount.toString()} id={`${part.name}-${part.amount.asset}`} />
      </dd>
    </div>
  );
};

/** The shares are for drawing only; readers get the amounts. */
const Bar = ({ parts }: { parts: readonly Part[] }) => {
  const sizes = parts.filter(({ name }) => name !== EXCESS).map(({ amount }) =>
    Number(amount.toString())
  );
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total === 0) return null;
  const shares = sizes.map((size) => size / total * 100);
  return (
    <svg class="bar" aria-hidden="true">
      {shares.map((share, i) => (
        <rect
          class={`part-${parts[i]?.name}`}
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
  const { payable, onDeposits, sweeping, elsewhere, held, excess, isSwept, isPaidOut } = asset;
  const rest = isSwept ? "In your own wallet" : isPaidOut ? "Not payable now" : "Available";
  const parts: [name: string, label: string, amount: Amount | undefined][] = [
    ["payable", "Payable now, fee included", payable],
    ["on-deposits", "On deposit addresses", onDeposits],
    ["sweeping", "Being swept", sweeping],
    ["elsewhere", rest, elsewhere],
    ["held", "Held for open payouts", held],
    [EXCESS, "In the wallets beyond your balance", excess],
  ];
  return parts.flatMap(([name, label, amount]) =>
    amount === undefined || amount.isZero() ? [] : [{ name, label, amount }]
  );
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
