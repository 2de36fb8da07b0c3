import { Amount, assetOf } from "../../domain/money/amount.ts";
import { isoUtc } from "../../domain/time.ts";
import { Card, EmptyState, Money } from "../../dashboard/parts/facts.tsx";
import { type Column, Table } from "../../dashboard/parts/table.tsx";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import type { AssetMoney } from "../../payouts/money_of.ts";
import {
  TotalWorth,
  type Worth,
  WorthAbove,
  worthFigures,
} from "../../dashboard/parts/worth_now.tsx";

interface MoneyProps {
  readonly visit: Visit;
  readonly money: readonly AssetMoney[];
  readonly worth: Worth | undefined;
}

/** How much it is in one currency, then each coin and where it is. */
export const MoneyCard = ({ visit, money, worth }: MoneyProps) => (
  <Card title="Your money" actions={<a href={`${BASE}/balances`}>Balances</a>}>
    {money.length === 0
      ? (
        <EmptyState title="No balances yet">
          After the first confirmed payment, this shows how much is yours and where it is.
        </EmptyState>
      )
      : (
        <>
          {worth && (
            <TotalWorth
              visit={visit}
              rows={money.map(({ row }) => row)}
              worth={worth}
            />
          )}
          <Table
            caption="Your money"
            rows={money}
            columns={columnsFor(visit, { money, worth })}
            empty=""
          />
          <details>
            <summary>Where all of it is, with gas and fees</summary>
            <ul class="assets">{money.map((asset) => <Asset visit={visit} asset={asset} />)}</ul>
          </details>
        </>
      )}
    {money.some(({ unexplained }) =>
      unexplained?.isNegative()
    ) && (
      <p class="quiet small">
        Not explained by deposits: coins that were sent to the hot wallet and not booked by hand.
      </p>
    )}
  </Card>
);

interface Place {
  readonly title: string;
  readonly name: string;
  /** Left out while it says nothing of any coin. */
  readonly isRare?: boolean;
  /** What is read of it may not be all. */
  isMore?(asset: AssetMoney): boolean;
  /** Undefined: no node answers. */
  of(asset: AssetMoney): Amount | undefined;
}

/** Each column is a sum of the parts that the bars below show, and all together are the balance. */
const PLACES: readonly Place[] = [
  { title: "Can be paid out", name: "can", of: ({ most }) => most },
  { title: "Kept for the fee", name: "for-fees", isRare: true, of: keptForFee },
  {
    title: "Under way",
    name: "way",
    isMore: ({ isSwept, isCut, isOpenCut }) => isCut && isSwept || isOpenCut,
    of: ({ isSwept, held, onDeposits, sweeping }) =>
      held.plus(sweeping).plus(isSwept ? onDeposits : none(held)),
  },
  {
    title: "On deposit addresses",
    name: "on",
    isRare: true,
    isMore: ({ isSwept, isCut }) => isCut && !isSwept,
    of: ({ isSwept, onDeposits }) => isSwept ? none(onDeposits) : onDeposits,
  },
  { title: "Moved to your wallet", name: "own", of: ({ swept }) => swept },
  {
    title: "Gas and fees",
    name: "gas-fees",
    of: ({ keptForGas, fees, toppedUp, charged }) =>
      keptForGas.plus(fees).plus(toppedUp).plus(charged),
  },
  {
    title: "Other",
    name: "other",
    isRare: true,
    of: ({ isPaidOut, payable, booked, beyond, unexplained }) =>
      payable && unexplained &&
      booked.plus(beyond).plus(unexplained).plus(isPaidOut ? none(payable) : payable),
  },
];

/** In the hot wallet and available, but what can be paid out costs a fee on top. */
function keptForFee({ isPaidOut, payable, most }: AssetMoney): Amount | undefined {
  if (!payable || !most) return undefined;
  return isPaidOut ? payable.minus(most) : none(payable);
}

function none({ asset }: Amount): Amount {
  return Amount.zero(asset);
}

function placesOf(money: readonly AssetMoney[]): readonly Place[] {
  return PLACES.filter(({ isRare, of }) =>
    !isRare || money.some((asset) => of(asset)?.isZero() === false)
  );
}

function columnsFor(
  visit: Visit,
  { money, worth }: Pick<MoneyProps, "money" | "worth">,
): Column<AssetMoney>[] {
  return [
    { title: "Coin", at: "title", cell: ({ row }) => <strong>{visit.coin(row)}</strong> },
    {
      title: "Yours",
      isNumber: true,
      isMixed: true,
      at: "amount",
      cell: ({ row }) => (
        <>
          <WorthAbove row={row} worth={worth} />{" "}
          <Money amount={row.balance} currency={row.currency} id={`balance-${assetOf(row)}`} />
        </>
      ),
    },
    ...placesOf(money).map(({ title, name, isRare = false, isMore, of }): Column<AssetMoney> => ({
      ...{ title, isNumber: true, isMixed: true, isMinor: isRare },
      cell: (asset) => {
        const amount = of(asset);
        if (amount === undefined) return <span class="quiet">no node answers</span>;
        return (
          <>
            {isMore?.(asset) && "more than "}
            <Money amount={amount.toString()} id={`${name}-${amount.asset}`} />
          </>
        );
      },
    })),
  ];
}

interface Part {
  readonly name: string;
  readonly label: string;
  readonly amount: Amount;
}

/** Drawn in the bar; the others are no coins of the account, or are to be taken from the rest. */
const DRAWN: ReadonlySet<string> = new Set([
  "payable",
  "for-fee",
  "held",
  "on-deposits",
  "sweeping",
  "swept",
  "gas",
  "fees",
]);
const REST = "rest";

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

const Asset = ({ visit, asset }: { visit: Visit; asset: AssetMoney }) => {
  const { row } = asset;
  const parts = partsOf(asset);
  return (
    <li>
      <div class="asset-head">
        <h3>{visit.coin(row)}</h3> <Money amount={row.balance} currency={row.currency} />
      </div>
      <Bar parts={parts} />
      <dl class="legend">
        {parts.map((part) => <Legend part={part} asset={asset} />)}
        {asset.isPaidOut && !asset.payable && (
          <div>
            <dt>Payable now</dt>
            <dd>unknown: no node answers</dd>
          </div>
        )}
      </dl>
    </li>
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
    isPaidOut
      ? ["payable", "Payable now", asset.most]
      : ["payable", "In the hot wallet", asset.payable],
    ["for-fee", "Kept for the fee", keptForFee(asset)],
    ["held", "Held for open payouts", asset.held],
    ["on-deposits", "On deposit addresses", asset.onDeposits],
    ["sweeping", "Being swept", asset.sweeping],
    ["swept", `Swept to your wallet${since}`, asset.swept],
    ["gas", asset.hasGas ? "Kept for gas" : "Kept for fees", asset.keptForGas],
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
export function moneyFigures(
  money: readonly AssetMoney[],
  worth: Worth | undefined,
): Record<string, string> {
  const figures = money.flatMap((asset) => {
    const { row } = asset;
    const name = assetOf(row);
    return [
      [`balance-${name}`, row.balance],
      ...PLACES.flatMap((place) => {
        const amount = place.of(asset);
        return amount ? [[`${place.name}-${name}`, amount.toString()]] : [];
      }),
      ...partsOf(asset).map(({ name, amount }) => [`${name}-${amount.asset}`, amount.toString()]),
    ];
  });
  return {
    ...Object.fromEntries(figures),
    ...worth ? worthFigures(money.map(({ row }) => row), worth) : {},
  };
}

/** Of all parts and columns that are shown. */
export function partNames(money: readonly AssetMoney[]): string {
  const parts = money.map((asset) => partsOf(asset).map(({ name }) => name).join());
  return [...parts, placesOf(money).map(({ name }) => name).join()].join(" ");
}
