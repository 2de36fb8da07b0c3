import { checkQuorum, gasPriceMaxOf } from "../../actions/plan_network.ts";
import { gasWallet, setNetwork } from "../../actions/manage_networks.ts";
import { resumeNetwork } from "../../actions/resume_network.ts";
import { familyOf } from "../../chains/registry.ts";
import * as kind from "../../domain/kinds.ts";
import { Amount } from "../../domain/amount.ts";
import type { CurrencyRow, NetworkCursorRow, NetworkRow } from "../../store/rows.ts";
import { gasWalletOf } from "../../store/address_reads.ts";
import { NetworkCursors } from "../../store/chain_tables.ts";
import { Card, Facts, Hash, Status } from "../parts/facts.tsx";
import { Check, Field, Form, Select, Submit } from "../parts/form.tsx";
import { Page } from "../parts/page.tsx";
import { Table } from "../parts/table.tsx";
import { act, done, OPERATORS, page } from "../routes.ts";
import { BASE, NotFound, type Visit } from "../visit.ts";
import { lagOf, stateOf } from "./networks.tsx";

const FINALITIES = ["none", "finalized"] as const;
const TRACES = ["auto", "on", "off"] as const;

export async function theNetwork(visit: Visit): Promise<NetworkRow> {
  const catalog = await visit.deps.catalog.current();
  const network = catalog.network(visit.param("code"));
  if (!network) throw new NotFound();
  return network;
}

const networkPage = page({
  path: "/networks/:code",
  roles: OPERATORS,
  show: async (visit) => {
    const network = await theNetwork(visit);
    const { currencies } = await visit.deps.catalog.current();
    const cursor = await visit.deps.db.find(NetworkCursors, [network.code]);
    const own = currencies.filter((row) => row.network === network.code);
    return (
      <Page visit={visit} title={network.name} up={{ path: "/networks", label: "Networks" }}>
        {cursor && cursor.haltedReason !== null && <Halted {...{ visit, network, cursor }} />}
        <Card title={network.code} actions={<Status value={stateOf(network, cursor)} />}>
          <NetworkFacts {...{ visit, network, cursor }} />
        </Card>
        <CurrencyCard network={network} rows={own} />
        <NetworkSettings visit={visit} network={network} />
      </Page>
    );
  },
});

const NetworkFacts = async (
  { visit, network, cursor }: {
    visit: Visit;
    network: NetworkRow;
    cursor: NetworkCursorRow | undefined;
  },
) => {
  const wallet = await gasWalletOf(visit.deps.db, network.code);
  return (
    <Facts
      rows={[
        ["Chain", `${network.chainId} (${network.family})`],
        ["Read up to", `${cursor?.scanHeight ?? "–"}, ${lagOf(cursor) ?? "–"} behind its nodes`],
        [
          "Gas wallet",
          wallet
            ? <Hash text={wallet.address} isWhole />
            : <MakeGasWallet {...{ visit, network }} />,
        ],
      ]}
    />
  );
};

const MakeGasWallet = ({ visit, network }: { visit: Visit; network: NetworkRow }) => (
  <Form visit={visit} action={`/networks/${network.code}/gas-wallet`} isInline>
    <Submit tone="plain">Make it</Submit>
  </Form>
);

const Halted = (
  { visit, network, cursor }: { visit: Visit; network: NetworkRow; cursor: NetworkCursorRow },
) => (
  <div class="message fault">
    <p>It is halted: {cursor.haltedReason}</p>
    <Form visit={visit} action={`/networks/${network.code}/resume`} isInline>
      <Field
        {...{ visit, name: "from_block", label: "Read anew from block", inputmode: "numeric" }}
        hint="Empty: from where the nodes' chain leaves ours"
      />
      <Submit tone="danger" confirm="The chain is taken as its nodes have it now.">Go on</Submit>
    </Form>
  </div>
);

const CurrencyCard = ({ network, rows }: { network: NetworkRow; rows: readonly CurrencyRow[] }) => (
  <Card
    title="Currencies"
    actions={<a href={`${BASE}/networks/${network.code}/add-token`}>Add a token</a>}
  >
    <Table
      caption="Currencies"
      rows={rows}
      empty="None"
      columns={[
        {
          title: "Symbol",
          cell: ({ symbol }) => (
            <a href={`${BASE}/networks/${network.code}/currencies/${symbol}`}>{symbol}</a>
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
      ]}
    />
  </Card>
);

export const NetworkSettings = ({ visit, network }: { visit: Visit; network: NetworkRow }) => {
  const choices = (values: readonly string[]) => values.map((value) => ({ value, label: value }));
  const text = (name: string, label: string, value: string | number, hint?: string) => (
    <Field {...{ visit, name, label, isRequired: true }} value={String(value)} hint={hint} />
  );
  return (
    <Card title={`Settings of ${network.name}`}>
      <Form visit={visit} action={`/networks/${network.code}`}>
        <Check
          {...{ visit, name: "active", label: "New business is taken" }}
          isOn={network.isActive}
        />
        {text("name", "Name", network.name)}
        {text("rpc_urls", "Nodes", network.rpcUrls.join(" "), "Addresses with spaces between them")}
        <div class="pair">
          {text("min_confirmations", "Blocks until a deposit counts", network.minConfirmations)}
          {text("quorum", "Nodes that must agree", network.quorum)}
          {text("poll_interval_ms", "Milliseconds between two looks", network.pollIntervalMs)}
          {text(
            "gas_price_max",
            `Highest gas price, ${unitOf(network).name}`,
            priceText(network),
            "0: no limit",
          )}
          {text(
            "hot_gas_target",
            "Coins to fill hot wallets up to",
            network.hotGasTarget,
            "0: never",
          )}
          <Select
            {...{ visit, name: "finality", label: "Wait for the chain's finality" }}
            options={choices(FINALITIES)}
            value={network.finality}
          />
          <Select
            {...{ visit, name: "traces", label: "Coins sent by contracts" }}
            options={choices(TRACES)}
            value={network.traces}
          />
        </div>
        <Submit>Keep the settings</Submit>
      </Form>
    </Card>
  );
};

function unitOf({ family }: NetworkRow) {
  return familyOf(family).gasPriceUnit;
}

function priceText(network: NetworkRow): string {
  if (network.gasPriceMaxRaw === null) return "0";
  const { decimals } = unitOf(network);
  return Amount.fromRaw(BigInt(network.gasPriceMaxRaw), { asset: "", decimals }).toString();
}

const urls: kind.Kind<string[]> = {
  word: "URL",
  is: "one or several http:// or https:// addresses",
  read: (text) => {
    const all = text.split(/\s+/).map((url) => kind.webUrl.read(url));
    return all.every((url) => url !== undefined) ? [...new Set(all)] : undefined;
  },
};

const setAct = act({
  path: "/networks/:code",
  on: networkPage,
  isSensitive: true,
  run: async (visit) => {
    const { code, family } = await theNetwork(visit);
    const change = visit.form.read((fields) => ({
      isActive: fields.ticked("active"),
      name: fields.required("name", kind.text({ max: 100 })),
      rpcUrls: fields.required("rpc_urls", urls),
      minConfirmations: fields.required(
        "min_confirmations",
        kind.integer({ min: 1, max: 1_000_000 }),
      ),
      quorum: fields.required("quorum", kind.integer({ min: 1, max: 20 })),
      pollIntervalMs: fields.required(
        "poll_interval_ms",
        kind.integer({ min: 50, max: 3_600_000 }),
      ),
      gasPriceMaxRaw: gasPriceMaxOf(fields.required("gas_price_max", kind.gasPrice), family) ??
        null,
      hotGasTarget: fields.required("hot_gas_target", kind.amount),
      finality: fields.required("finality", kind.choice(FINALITIES)),
      traces: fields.required("traces", kind.choice(TRACES)),
    }));
    checkQuorum(change.quorum, change.rpcUrls);
    await setNetwork(visit.deps, { code, change, actor: visit.actor });
    return done(`/networks/${code}`, "The settings hold from now on");
  },
});

const gasWalletAct = act({
  path: "/networks/:code/gas-wallet",
  on: networkPage,
  run: async (visit) => {
    const { code } = await theNetwork(visit);
    const { address } = await gasWallet(visit.deps, code);
    return done(`/networks/${code}`, `${address} pays for sweeps. Fund it by sending to it`);
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
    return done(`/networks/${code}`, `${code} is read on`);
  },
});

export const NETWORK_ROUTES = [networkPage, setAct, gasWalletAct, resumeAct];
