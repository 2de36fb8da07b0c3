import { addressUrl, transactionUrl } from "../../dashboard/explorers.ts";
import { accountColumn } from "../../dashboard/parts/columns.tsx";
import { Hash, Money, Status, Time } from "../../dashboard/parts/facts.tsx";
import type { Column } from "../../dashboard/parts/table.tsx";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import type { NetworkRow } from "../../networks/table.ts";
import type { Catalog } from "../../store/engine/catalog.ts";
import { amountText, moneyIn } from "../money.ts";
import type { SweepMoney } from "../reads/page.ts";
import type { SweepRow } from "../table.ts";

export function columnsFor(
  visit: Visit,
  { catalog, money }: { catalog: Catalog; money: ReadonlyMap<number, SweepMoney> },
): Column<SweepRow>[] {
  const place = (row: SweepRow) => ({
    network: catalog.network(row.network),
    money: moneyIn(money, row),
  });
  return [
    { title: "From", at: "title", cell: (row) => <From {...place(row)} /> },
    {
      ...{ title: "Amount", isNumber: true, isMixed: true, at: "amount" },
      cell: (row) => (
        <Money
          amount={amountText(row, place(row).money)}
          currency={visit.coin(row)}
        />
      ),
    },
    { title: "State", at: "state", cell: (row) => <State row={row} /> },
    {
      ...{ title: "When", isOrder: true, at: "age" },
      cell: ({ createdAtMs }) => <Time atMs={createdAtMs} />,
    },
    ...accountColumn<SweepRow>(visit),
    { title: "Transaction", at: "none", cell: (row) => <Sent {...place(row)} /> },
    {
      title: "Id",
      isNumber: true,
      at: "open",
      cell: ({ id }) => <a href={`${BASE}/sweeps/${id}`}>{id}</a>,
    },
  ];
}

interface Place {
  readonly network: NetworkRow | undefined;
  readonly money: SweepMoney;
}

const From = ({ network, money: { address } }: Place) => (
  <Hash text={address} href={addressUrl(network, address)} />
);

const State = ({ row: { state, reason } }: { row: SweepRow }) => (
  <>
    <Status value={state} />
    {reason !== null && <div class="small quiet whole">{reason}</div>}
  </>
);

const Sent = ({ network, money: { sent } }: Place) =>
  sent
    ? <Hash text={sent.txHash} href={transactionUrl(network, sent.txHash)} />
    : <span class="quiet">–</span>;
