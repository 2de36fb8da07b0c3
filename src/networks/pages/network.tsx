import { checkNodes } from "../check_nodes.ts";
import { checkQuorum, socketsFor } from "../plan.ts";
import { setNetwork } from "../set.ts";
import { gasWallet } from "../../wallets/gas_wallet.ts";
import { resumeNetwork } from "../../following/resume_network.ts";
import * as kind from "../../domain/kinds.ts";
import { NetworkCursors } from "../../following/table.ts";
import type { NetworkRow } from "../../store/tables/setup.ts";
import { Card, Status } from "../../dashboard/parts/facts.tsx";
import { gasPriceRaw, networkFieldsOf, networkName, rpcUrls, socketUrls } from "./_settings.tsx";
import { Page } from "../../dashboard/parts/page.tsx";
import { act, done, page } from "../../dashboard/routes.ts";
import { NotFound, type Visit } from "../../dashboard/visit.ts";
import { NetworkSettings } from "./network_settings.tsx";
import { stateOf } from "./network_state.ts";
import { warningList } from "./_settings.tsx";
import { CurrencyCard, Halted, NetworkFacts } from "./_network_facts.tsx";

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
        <Card title={network.code} actions={<Status value={stateOf(network, cursor, nowMs)} />}>
          <NetworkFacts visit={visit} network={network} cursor={cursor} />
        </Card>
        <CurrencyCard visit={visit} network={network} rows={own} />
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
    const network = await theNetwork(visit);
    const { gasPriceMax, sockets, ...fields } = visit.form.read((fields) => ({
      ...networkFieldsOf(fields),
      isActive: fields.ticked("active"),
      name: fields.required("name", networkName),
      rpcUrls: fields.required("rpc_urls", rpcUrls),
      sockets: fields.optional("ws_urls", socketUrls) ?? [],
    }));
    const isForced = visit.form.read((fields) => fields.ticked("force"));
    const { family } = network;
    const change = {
      ...fields,
      wsUrls: socketsFor({ family, rpcUrls: fields.rpcUrls, wsUrls: sockets }),
      gasPriceMaxRaw: gasPriceRaw(gasPriceMax, family),
    };
    const planned = { ...network, ...change };
    checkQuorum(planned, network);
    const { deps, actor } = visit;
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

const resumeAct = act({
  path: "/networks/:code/resume",
  ability: "operate",
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
