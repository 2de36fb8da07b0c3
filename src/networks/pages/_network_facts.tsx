import { filterGenuine } from "../../books/tampered.ts";
import type { NetworkCursorRow } from "../../following/table.ts";
import type { CurrencyRow, NetworkRow } from "../../store/tables/setup.ts";
import { gasWalletOf } from "../../wallets/reads/addresses.ts";
import { Addresses } from "../../wallets/tables/addresses.ts";
import { isTestNetwork } from "../rules/test_networks.ts";
import { Card, Facts, Hash, Status, Time } from "../../dashboard/parts/facts.tsx";
import { Field, Form, Submit } from "../../dashboard/parts/form.tsx";
import { type Column, Table } from "../../dashboard/parts/table.tsx";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import { lagOf } from "./network_state.ts";

interface FactsProps {
  readonly visit: Visit;
  readonly network: NetworkRow;
  readonly cursor: NetworkCursorRow | undefined;
}

export const NetworkFacts = async ({ visit, network, cursor }: FactsProps) => {
  const { db, clock } = visit.deps;
  const stored = await gasWalletOf(db, network.code);
  const [wallet] = await filterGenuine(visit.deps, Addresses, stored ? [stored] : []);
  const lag = lagOf(cursor, clock.nowMs()) ?? "–";
  const gasWallet = wallet
    ? <Hash text={wallet.address} isWhole />
    : <MakeGasWallet visit={visit} network={network} />;
  return (
    <Facts
      rows={[
        ["Chain", `${network.chainId} (${network.family})`],
        ["Coins", isTestNetwork(network) ? "test coins, worth nothing" : "real"],
        ["Last block read", `${cursor?.scanHeight ?? "–"} (${lag} behind the nodes)`],
        ["Newest block", <Time atMs={cursor?.tipAtMs ?? null} />],
        ["Gas wallet", gasWallet],
      ]}
    />
  );
};

const MakeGasWallet = ({ visit, network }: { visit: Visit; network: NetworkRow }) => (
  <Form visit={visit} action={`/networks/${network.code}/gas-wallet`} isInline>
    <Submit tone="plain">Create</Submit>
  </Form>
);

export const Halted = (
  { visit, network, cursor }: { visit: Visit; network: NetworkRow; cursor: NetworkCursorRow },
) => (
  <div class="message fault">
    <p>This network is halted: {cursor.haltedReason}</p>
    <Form visit={visit} action={`/networks/${network.code}/resume`} isInline>
      <Field
        visit={visit}
        name="from_block"
        label="Re-read from block"
        inputmode="numeric"
        hint="Leave empty to start where the nodes' chain diverges from ours"
      />
      <Submit tone="danger" confirm="This accepts the chain as its nodes report it now.">
        Resume
      </Submit>
    </Form>
  </div>
);

export const CurrencyCard = (
  { visit, network, rows }: { visit: Visit; network: NetworkRow; rows: readonly CurrencyRow[] },
) => (
  <Card
    title="Currencies"
    actions={visit.isAble("operate") && (
      <a href={`${BASE}/networks/${network.code}/add-token`}>Add a token</a>
    )}
  >
    <Table caption="Currencies" rows={rows} empty="No currencies" columns={columnsFor(visit)} />
  </Card>
);

function columnsFor(visit: Visit): Column<CurrencyRow>[] {
  return [{ title: "Symbol", cell: (row) => <Symbol visit={visit} row={row} /> }, ...COLUMNS];
}

const Symbol = ({ visit, row: { network, symbol } }: { visit: Visit; row: CurrencyRow }) =>
  visit.isAble("operate")
    ? <a href={`${BASE}/networks/${network}/currencies/${symbol}`}>{symbol}</a>
    : <strong>{symbol}</strong>;

const COLUMNS: readonly Column<CurrencyRow>[] = [
  { title: "Name", cell: ({ name }) => name },
  { title: "Decimals", isNumber: true, cell: ({ decimals }) => decimals },
  {
    title: "Contract",
    cell: ({ contractAddress }) =>
      contractAddress === null ? "native coin" : <Hash text={contractAddress} />,
  },
  { title: "Status", cell: ({ isActive }) => <Status value={isActive ? "on" : "off"} /> },
];
