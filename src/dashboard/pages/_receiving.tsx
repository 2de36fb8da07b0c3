import { type NetworkRow, ReceivingWallets } from "../../store/tables/setup.ts";
import { Card, Hash } from "../parts/facts.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { BASE, type Visit } from "../visit.ts";

export const ReceivingCard = async ({ visit, accountId }: { visit: Visit; accountId: number }) => {
  const { networks } = await visit.deps.catalog.current();
  const set = await visit.deps.db.list(ReceivingWallets, { accountId });
  const byNetwork = new Map(set.map((row) => [row.network, row.address]));
  return (
    <Card title="Where deposits are swept">
      <Table
        caption="Receiving wallets"
        rows={networks.filter(({ isActive }) => isActive)}
        empty="No networks yet"
        columns={receivingColumns(visit, { accountId, byNetwork })}
      />
    </Card>
  );
};

function receivingColumns(
  visit: Visit,
  { accountId, byNetwork }: { accountId: number; byNetwork: ReadonlyMap<string, string> },
): Column<NetworkRow>[] {
  const change: Column<NetworkRow> = {
    title: "Change",
    isTitleHidden: true,
    cell: ({ code }) => (
      <a href={`${BASE}/wallets/receiving?account=${accountId}&network=${code}`}>
        {byNetwork.has(code) ? "Change" : "Set"}
      </a>
    ),
  };
  return [
    { title: "Network", cell: ({ code }) => code },
    { title: "Receiving wallet", cell: ({ code }) => <Receiving address={byNetwork.get(code)} /> },
    ...visit.isAble("set_up_account") ? [change] : [],
  ];
}

const Receiving = ({ address }: { address: string | undefined }) =>
  address === undefined
    ? <span class="quiet">none: deposits are not swept</span>
    : <Hash text={address} isWhole />;
