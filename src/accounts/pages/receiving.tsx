import { type ReceivingWalletRow, ReceivingWallets } from "../tables/accounts.ts";
import { type DescribedReceiver, describeReceiver } from "../describe_receiver.ts";
import { gapText } from "../rules/gap.ts";
import { Address, Card, Time } from "../../dashboard/parts/facts.tsx";
import { Form, Submit } from "../../dashboard/parts/form.tsx";
import { type Column, Table } from "../../dashboard/parts/table.tsx";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import { networkName } from "../../networks/catalogue.ts";
import type { NetworkRow } from "../../networks/table.ts";

export const ReceivingCard = async ({ visit, accountId }: { visit: Visit; accountId: number }) => {
  const { networks } = await visit.deps.catalog.current();
  const set = await visit.deps.db.list(ReceivingWallets, { accountId });
  const byNetwork = new Map(set.map((row) => [row.network, row]));
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
  { accountId, byNetwork }: {
    accountId: number;
    byNetwork: ReadonlyMap<string, ReceivingWalletRow>;
  },
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
    { title: "Network", cell: networkName },
    {
      title: "Receiving wallet",
      cell: ({ code }) => <Receiving visit={visit} row={byNetwork.get(code)} />,
    },
    ...visit.isAble("set_up_account") ? [change] : [],
  ];
}

const Receiving = async (
  { visit, row }: { visit: Visit; row: ReceivingWalletRow | undefined },
) => {
  if (row === undefined) return <span class="quiet">none: deposits are not swept</span>;
  const { own } = await describeReceiver(visit.deps, row);
  return (
    <>
      <Address text={row.address} />
      {own && <Own {...own} />}
      {row.nextAddress !== null && <Next visit={visit} row={row} address={row.nextAddress} />}
    </>
  );
};

/** Deposits arrive in the wallet of this key. */
const Own = ({ firstAddress, gap }: NonNullable<DescribedReceiver["own"]>) => {
  const warning = gapText(gap);
  return (
    <>
      <p>
        Deposits arrive there. Its first address is <Address text={firstAddress} />, and {gap}{" "}
        addresses in a row are unused.
      </p>
      {warning && <p class="message warn">{warning}</p>}
    </>
  );
};

const Next = (
  { visit, row, address }: { visit: Visit; row: ReceivingWalletRow; address: string },
) => (
  <div class="message warn">
    <p>
      From <Time atMs={row.nextAtMs} /> on: <Address text={address} />
    </p>
    <Form visit={visit} action="/wallets/receiving/cancel" isInline>
      <input type="hidden" name="account" value={String(row.accountId)} />
      <input type="hidden" name="network" value={row.network} />
      <Submit tone="plain">Cancel the change</Submit>
    </Form>
  </div>
);
