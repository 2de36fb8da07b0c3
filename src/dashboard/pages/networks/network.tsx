import { checkNodes } from "../../../actions/networks/check_nodes.ts";
import { checkQuorum } from "../../../actions/networks/plan.ts";
import { setNetwork } from "../../../actions/networks/set.ts";
import { gasWallet } from "../../../actions/wallets/gas_wallet.ts";
import { resumeNetwork } from "../../../actions/following/resume_network.ts";
import { filterGenuine } from "../../../actions/books/tampered.ts";
import * as kind from "../../../domain/kinds.ts";
import { type NetworkCursorRow, NetworkCursors } from "../../../store/tables/following.ts";
import type { CurrencyRow, NetworkRow } from "../../../store/tables/setup.ts";
import { gasWalletOf } from "../../../store/reads/addresses.ts";
import { Addresses } from "../../../store/tables/addresses.ts";
import { Card, Facts, Hash, Status } from "../../parts/facts.tsx";
import { Field, Form, Submit } from "../../parts/form.tsx";
import { gasPriceRaw, networkFieldsOf, networkName, rpcUrls } from "./_settings.tsx";
import { Page } from "../../parts/page.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { act, done, OPERATORS, page } from "../../routes.ts";
import { BASE, NotFound, type Visit } from "../../visit.ts";
import { NetworkSettings } from "./network_settings.tsx";
import { lagOf, stateOf } from "./network_state.ts";
import { warningList } from "./_settings.tsx";

export async function theNetwork(visit: Visit): Promise<NetworkRow> {
  const catalog = await visit.deps.catalog.current();
  const network = catalog.network(visit.param("code"));
  if (!network) throw new NotFound();
  return network;
}

export function upTo({ code, name }: NetworkRow) {
  return { path: `/networks/${code}`, label: name };
}

const networkPage = page({
  path: "/networks/:code",
  roles: OPERATORS,
  show: async (visit) => {
    const network = await theNetwork(visit);
    const { currencies } = await visit.deps.catalog.current();
    const cursor = await visit.deps.db.find(NetworkCursors, [network.code]);
    const own = currencies.filter((row) => row.network === network.code);
    const nowMs = visit.deps.clock.nowMs();
    return (
      <Page visit={visit} title={network.name} up={{ path: "/networks", label: "Networks" }}>
        {cursor && cursor.haltedReason !== null && (
          <Halted visit={visit} network={network} cursor={cursor} />
        )}
        <Card title={network.code} actions={<Status value={stateOf(network, cursor, nowMs)} />}>
          <NetworkFacts visit={visit} network={network} cursor={cursor} />
        </Card>
        <CurrencyCard network={network} rows={own} />
        <NetworkSettings visit={visit} network={network} />
      </Page>
    );
  },
});

interface FactsProps {
  readonly visit: Visit;
  readonly network: NetworkRow;
  readonly cursor: NetworkCursorRow | undefined;
}

const NetworkFacts = async ({ visit, network, cursor }: FactsProps) => {
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
        ["Last block read", `${cursor?.scanHeight ?? "–"} (${lag} behind the nodes)`],
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

const Halted = (
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

const CurrencyCard = ({ network, rows }: { network: NetworkRow; rows: readonly CurrencyRow[] }) => (
  <Card
    title="Currencies"
    actions={<a href={`${BASE}/networks/${network.code}/add-token`}>Add a token</a>}
  >
    <Table caption="Currencies" rows={rows} empty="No currencies" columns={CURRENCY_COLUMNS} />
  </Card>
);

const CURRENCY_COLUMNS: readonly Column<CurrencyRow>[] = [
  {
    title: "Symbol",
    cell: ({ network, symbol }) => (
      <a href={`${BASE}/networks/${network}/currencies/${symbol}`}>{symbol}</a>
    ),
  },
  { title: "Name", cell: ({ name }) => name },
  { title: "Decimals", isNumber: true, cell: ({ decimals }) => decimals },
  {
    title: "Contract",
    cell: ({ contractAddress }) =>
      contractAddress === null ? "native coin" : <Hash text={contractAddress} />,
  },
  { title: "Status", cell: ({ isActive }) => <Status value={isActive ? "on" : "off"} /> },
];

const setAct = act({
  path: "/networks/:code",
  on: networkPage,
  isSensitive: true,
  run: async (visit) => {
    const network = await theNetwork(visit);
    const { gasPriceMax, ...fields } = visit.form.read((fields) => ({
      ...networkFieldsOf(fields),
      isActive: fields.ticked("active"),
      name: fields.required("name", networkName),
      rpcUrls: fields.required("rpc_urls", rpcUrls),
    }));
    const change = { ...fields, gasPriceMaxRaw: gasPriceRaw(gasPriceMax, network.family) };
    checkQuorum(change.quorum, change.rpcUrls);
    const { deps, actor } = visit;
    const { warnings, listener } = warningList();
    const planned = { ...network, ...change };
    await checkNodes(deps, { network: planned, before: network, listener });
    const { code } = await setNetwork(deps, { code: network.code, change, actor });
    return done(`/networks/${code}`, ["Settings saved", ...warnings].join(". "));
  },
});

const gasWalletAct = act({
  path: "/networks/:code/gas-wallet",
  on: networkPage,
  run: async (visit) => {
    const { code } = await theNetwork(visit);
    const { address } = await gasWallet(visit.deps, { network: code, actor: visit.actor });
    const text = `Gas wallet ${address} is ready. Fund it by sending coins to it`;
    return done(`/networks/${code}`, text);
  },
});

const resumeAct = act({
  path: "/networks/:code/resume",
  on: networkPage,
  isSensitive: true,
  run: async (visit) => {
    const { code } = await theNetwork(visit);
    const fromBlock = visit.form.read((fields) => fields.optional("from_block", kind.blockHeight));
    await resumeNetwork(visit.deps, { network: code, fromBlock, actor: visit.actor });
    return done(`/networks/${code}`, `${code} has resumed`);
  },
});

export const NETWORK_ROUTES = [networkPage, setAct, gasWalletAct, resumeAct];
