import type { PayableAsset } from "../../payouts/payable.ts";
import { withAccount } from "../../dashboard/parts/account.tsx";
import { Card, Money } from "../../dashboard/parts/facts.tsx";
import { feeText } from "../../dashboard/parts/fee.tsx";
import { type Column, Table } from "../../dashboard/parts/table.tsx";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import { payoutLimit } from "../words/payouts.ts";

/** Before anything is typed: what can be paid, what it costs, and what stands in the way of more. */
export const PayableNow = (
  { visit, assets }: { visit: Visit; assets: readonly PayableAsset[] },
) => (
  <Card title="Payable now" actions={<a href={`${BASE}/wallets`}>Wallets</a>}>
    <Table
      caption="Payable now"
      rows={assets}
      columns={columnsFor(visit)}
      empty="No currency is enabled for withdrawals."
    />
  </Card>
);

const columnsFor = (visit: Visit): readonly Column<PayableAsset>[] => [
  {
    title: "Coin",
    cell: ({ currency: { symbol: currency, network } }) => (
      <strong>{visit.coin({ currency, network })}</strong>
    ),
  },
  {
    title: "Payable now",
    isNumber: true,
    cell: ({ payable }) => payable ? <Money amount={payable.toString()} /> : "unknown",
  },
  {
    title: "Available",
    isNumber: true,
    isMinor: true,
    cell: ({ available }) => <Money amount={available.toString()} />,
  },
  { title: "Fee", cell: ({ currency }) => feeText(currency) },
  { title: "Why not more", cell: (asset) => <WhyNotMore visit={visit} asset={asset} /> },
];

const WhyNotMore = ({ visit, asset }: { visit: Visit; asset: PayableAsset }) => {
  const { text, funded } = payoutLimit(asset);
  if (funded === undefined) return <>{text}</>;
  return (
    <>
      {text} <a href={BASE + withAccount(visit, "/wallets")}>Fund it</a>
      {funded}
    </>
  );
};
