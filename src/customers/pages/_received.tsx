import type { Component } from "../../base/html.ts";
import { ADDED_UP_MAX, type ReceivedSum } from "../reads.ts";
import { Empty, Money } from "../../dashboard/parts/facts.tsx";
import { type Column, Table } from "../../dashboard/parts/table.tsx";
import type { Visit } from "../../dashboard/visit.ts";

type Sum = Omit<ReceivedSum, "addressId">;

const columnsFor = (visit: Visit): readonly Column<Sum>[] => [
  { title: "Coin", cell: (sum) => visit.coin(sum) },
  { title: "Payments", isNumber: true, cell: ({ payments }) => payments },
  {
    title: "Credited",
    isNumber: true,
    cell: ({ credited, currency }) => <Money amount={String(credited)} currency={currency} />,
  },
  {
    title: "Confirming",
    isNumber: true,
    cell: ({ confirming, currency }) =>
      confirming.isZero()
        ? <span class="quiet">–</span>
        : <Money amount={String(confirming)} currency={currency} />,
  },
];

/** What came in, by asset. */
export const Received: Component<{ visit: Visit; sums: readonly ReceivedSum[]; isCut: boolean }> = (
  { visit, sums, isCut },
) => (
  <>
    {isCut && (
      <p class="message warn">
        Only {ADDED_UP_MAX} payments are added up here. Export the payments for all of them.
      </p>
    )}
    {sums.length === 0
      ? <Empty>Nothing received yet</Empty>
      : <Table caption="Received" rows={byAsset(sums)} columns={columnsFor(visit)} empty="" />}
  </>
);

function byAsset(sums: readonly ReceivedSum[]): Sum[] {
  const all = Object.groupBy(sums, ({ network, currency }) => `${network}/${currency}`);
  return Object.values(all).flatMap((some = []) => {
    const [first, ...others] = some;
    return first === undefined ? [] : [others.reduce<Sum>((total, one) => ({
      ...total,
      credited: total.credited.plus(one.credited),
      confirming: total.confirming.plus(one.confirming),
      payments: total.payments + one.payments,
    }), first)];
  });
}
