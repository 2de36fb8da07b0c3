import { present } from "../../base/assert.ts";
import { filterGenuine } from "../../books/tampered.ts";
import { Card, Facts, Hash, Status, Time } from "../../dashboard/parts/facts.tsx";
import { Field, FlagFields, Form, Submit } from "../../dashboard/parts/form.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { type Column, Table } from "../../dashboard/parts/table.tsx";
import { formOf } from "../../dashboard/asking.ts";
import { act, done, type Html, page } from "../../dashboard/routes.ts";
import { BASE, NotFound, type Visit } from "../../dashboard/visit.ts";
import { familyOf } from "../../chains/registry.ts";
import { NETWORK_COLLECTOR } from "../../collectors/operations.ts";
import { collectorOf, mustCollect } from "../../collectors/known.ts";
import { given } from "../../operations/given.ts";
import { COLLECT, COLLECT_WAIT } from "../collecting.ts";
import { type NetworkCursorRow, NetworkCursors } from "../../following/table.ts";
import { hasOutputs } from "../fitting.ts";
import { withLogins } from "../logins.ts";
import { NETWORK_RESUME } from "../operations/network.ts";
import { checkNodes } from "../check_nodes.ts";
import {
  COLLECT_NAMES,
  gasPriceRaw,
  networkFieldsOf,
  networkName,
  rpcUrls,
  socketUrls,
  warningList,
} from "./_settings.tsx";
import { NetworkSettings } from "./network_settings.tsx";
import { lagOf, stateOf } from "./network_state.ts";
import { checkQuorum, socketsFor } from "../plan.ts";
import { isTestNetwork } from "../test_networks.ts";
import { setNetwork } from "../set.ts";
import type { CurrencyRow, NetworkRow } from "../table.ts";
import { gasWallet } from "../../wallets/gas_wallet.ts";
import { WITHDRAW_GAS } from "../../wallets/operations/wallet.ts";
import { gasWalletOf } from "../../wallets/reads/addresses.ts";
import { Addresses } from "../../wallets/tables/addresses.ts";

const MakeGasWallet = ({ visit, network }: { visit: Visit; network: NetworkRow }) => (
  <Form visit={visit} action={`/networks/${network.code}/gas-wallet`} isInline>
    <Submit tone="plain">Create</Submit>
  </Form>
);

/** What too much was sent, or what is to go elsewhere. */
const TakeGas = async ({ visit, network }: { visit: Visit; network: NetworkRow }) =>
  await gasWalletOf(visit.deps.db, network.code) && (
    <Card title="Take coins out of the gas wallet">
      <p class="quiet">
        What it has signed already stays covered. Sweeps, and gas for hot wallets, wait while too
        little is left there.
      </p>
      <Form visit={visit} action={`/networks/${network.code}/gas-wallet/withdraw`}>
        <FlagFields visit={visit} operation={WITHDRAW_GAS} names={["to", "amount"]} />
        <Submit tone="danger" confirm="The coins leave the gateway.">Take out</Submit>
      </Form>
    </Card>
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

const CurrencyCard = (
  { visit, network, rows }: { visit: Visit; network: NetworkRow; rows: readonly CurrencyRow[] },
) => (
  <Card
    title="Currencies"
    actions={visit.isAble("operate") && !hasOutputs(network) && (
      <a href={`${BASE}/networks/${network.code}/add-token`}>Add a token</a>
    )}
  >
    <Table caption="Currencies" rows={rows} empty="No currencies" columns={columnsFor(visit)} />
  </Card>
);

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
  ability: "see_gateway",
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
        <Card
          title={network.code}
          actions={
            <>
              <a href={`${BASE}/networks/${network.code}/costs`}>Costs and calls</a>
              <Status value={stateOf(network, cursor, nowMs)} />
            </>
          }
        >
          <NetworkFacts visit={visit} network={network} cursor={cursor} />
        </Card>
        <CurrencyCard visit={visit} network={network} rows={own} />
        {visit.isAble("operate") && <TakeGas visit={visit} network={network} />}
        {visit.isAble("operate") && <NetworkSettings visit={visit} network={network} />}
      </Page>
    );
  },
});

const setAct = act({
  path: "/networks/:code",
  ability: "operate",
  on: networkPage,
  isSensitive: true,
  run: async (visit) => {
    const network = visit.deps.nodeUrls.of(await theNetwork(visit));
    const { gasPriceMax, sockets, collect, collectWaitMs, ...fields } = visit.form.read((
      fields,
    ) => ({
      ...networkFieldsOf(fields, network),
      collect: fields.optional("collect", COLLECT),
      collectWaitMs: fields.optional("collect_wait", COLLECT_WAIT),
      isActive: fields.ticked("active"),
      name: fields.required("name", networkName),
      rpcUrls: fields.required("rpc_urls", rpcUrls),
      sockets: fields.optional("ws_urls", socketUrls) ?? [],
    }));
    const nodes = withLogins(fields.rpcUrls, network.rpcUrls);
    const isForced = visit.form.read((fields) => fields.ticked("force"));
    const { family } = network;
    const change = {
      ...fields,
      rpcUrls: nodes,
      wsUrls: socketsFor({
        ...{ family, rpcUrls: nodes },
        wsUrls: withLogins(sockets, network.wsUrls ?? []),
      }),
      gasPriceMaxRaw: gasPriceRaw(gasPriceMax, family),
      ...given({ collect, collectWaitMs }),
    };
    const planned = { ...network, ...change };
    checkQuorum(planned, network);
    const { deps, actor } = visit;
    await mustCollect(deps, { network, change });
    const { warnings, listener } = warningList();
    await checkNodes(deps, { network: planned, before: network, listener, isForced });
    const { code } = await setNetwork(deps, { code: network.code, change, actor });
    return done(`/networks/${code}`, ["Settings saved", ...warnings].join(". "));
  },
});

const gasWalletAct = act({
  path: "/networks/:code/gas-wallet",
  ability: "operate",
  on: networkPage,
  run: async (visit) => {
    const { code } = await theNetwork(visit);
    const { address } = await gasWallet(visit.deps, { network: code, actor: visit.actor });
    const text = `Gas wallet ${address} is ready. Fund it by sending coins to it`;
    return done(`/networks/${code}`, text);
  },
});

const takeGasAct = formOf(WITHDRAW_GAS, {
  path: "/networks/:code/gas-wallet/withdraw",
  on: networkPage,
  isSensitive: true,
  named: (visit) => visit.param("code"),
  fields: { names: ["to", "amount"] },
  to: "/networks/:code",
  said: () => "The coins are on their way; the audit log has the transaction",
});

const deployAct = formOf(NETWORK_COLLECTOR, {
  path: "/networks/:code/collector",
  on: networkPage,
  isSensitive: true,
  named: (visit) => visit.param("code"),
  fields: { names: ["deploy"], needs: ["deploy"] },
  to: "/networks/:code",
  said: ({ contract }) =>
    `${contract} is being deployed. Choose below how sweeps share transactions`,
});

const resumeAct = formOf(NETWORK_RESUME, {
  path: "/networks/:code/resume",
  on: networkPage,
  isSensitive: true,
  named: (visit) => visit.param("code"),
  fields: { names: ["from-block"] },
  to: "/networks/:code",
  said: ({ code }) => `${code} has resumed`,
});

export const NETWORK_ROUTES = [networkPage, setAct, gasWalletAct, takeGasAct, deployAct, resumeAct];

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
  const isGathered = familyOf(network.family).holdings === "outputs";
  const gasWallet = wallet
    ? <Hash text={wallet.address} isWhole />
    : isGathered
    ? "none: what is swept pays its own fee"
    : <MakeGasWallet visit={visit} network={network} />;
  const own: [string, Html][] = [
    ["Gas wallet", gasWallet],
    ["Sweeps", <Collecting visit={visit} network={network} />],
  ];
  return (
    <Facts
      rows={[
        ["Chain", `${network.chainId} (${network.family})`],
        ["Coins", isTestNetwork(network) ? "test coins, worth nothing" : "real"],
        ["Last block read", `${cursor?.scanHeight ?? "–"} (${lag} behind the nodes)`],
        ["Newest block", <Time atMs={cursor?.tipAtMs ?? null} />],
        ...hasOutputs(network) ? [] : own,
      ]}
    />
  );
};

const Collecting = async ({ visit, network }: { visit: Visit; network: NetworkRow }) => {
  const mode = network.collect ?? "single";
  const { label } = present(COLLECT_NAMES.find(({ value }) => value === mode), "It has a name");
  const contract = await collectorOf(visit.deps, network);
  if (contract) {
    return (
      <>
        {label}, by <Hash text={contract.address} isWhole />
      </>
    );
  }
  const canDeploy = familyOf(network.family).hasCollectors && visit.isAble("operate") &&
    await gasWalletOf(visit.deps.db, network.code);
  return canDeploy
    ? (
      <>
        {label} <DeployCollector visit={visit} network={network} />
      </>
    )
    : label;
};

const DeployCollector = ({ visit, network }: { visit: Visit; network: NetworkRow }) => (
  <Form visit={visit} action={`/networks/${network.code}/collector`} isInline>
    <input type="hidden" name="deploy" value="on" />
    <Submit
      tone="plain"
      confirm="The gas wallet pays for a contract, once. Sweeps can share transactions then."
    >
      Deploy the contract
    </Submit>
  </Form>
);

function columnsFor(visit: Visit): Column<CurrencyRow>[] {
  return [{ title: "Symbol", cell: (row) => <Symbol visit={visit} row={row} /> }, ...COLUMNS];
}
