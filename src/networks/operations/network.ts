import { CONFIRMATIONS, display, FORCE, QUORUM, SOCKETS, TRACES } from "./_fields.ts";
import { shapeOf } from "./_shape.ts";
import { NETWORK_ADD } from "./network_add.ts";
import { first } from "../../base/lists.ts";
import { removeNetwork } from "../remove.ts";
import { setNetwork } from "../set.ts";
import { gasWallet } from "../../wallets/gas_wallet.ts";
import { findNetwork } from "../../books/find.ts";
import { resumeNetwork } from "../../following/resume_network.ts";
import { aboutCoins } from "../rules/test_networks.ts";
import { checkNodes } from "../check_nodes.ts";
import { operation, optional, repeated, UsageError } from "../../operations/operation.ts";
import { camelCased, given } from "../../operations/given.ts";
import { asking } from "../../operations/confirm.ts";
import * as kind from "../../domain/kinds.ts";
import { distinctUrls } from "../../base/net/distinct_urls.ts";
import { checkQuorum, gasPriceMaxOf, keptSockets, socketsFor } from "../plan.ts";
import type { NetworkRow } from "../../store/tables/setup.ts";
import { countJudgedAgain } from "../../invoices/reads/listed.ts";
import { endpointLine } from "../endpoint_shapes.ts";

const CODE = { name: "CODE", help: "the network's code, such as ETH" };

function aboutJudgedAgain(count: number): string {
  if (count === 0) return "No open invoice has payments there";
  const invoices = count === 1 ? "1 open invoice" : `${count} open invoices`;
  return `${invoices} with payments there are judged again by that; what is paid stays paid`;
}

/** Undefined: as they are. Without --rpc-url they belong to the present nodes. */
function newSockets(
  network: NetworkRow,
  { rpcUrl, wsUrl }: { rpcUrl: readonly string[]; wsUrl: readonly string[] },
): NetworkRow["wsUrls"] | undefined {
  const rpcUrls = rpcUrl.length > 0 ? rpcUrl : network.rpcUrls;
  if (wsUrl.length > 0) return socketsFor({ family: network.family, rpcUrls, wsUrls: wsUrl });
  if (rpcUrl.length === 0 || network.wsUrls === null) return undefined;
  return socketsFor({ ...network, rpcUrls, wsUrls: keptSockets(network, rpcUrls) });
}

export const NETWORK_COMMANDS = [
  NETWORK_ADD,
  operation({
    words: ["network", "set"],
    changes: "operate",
    summary: "Changes a network; a running server applies it within a second",
    positionals: [CODE],
    flags: {
      active: optional(kind.onOff, { help: "off: accepts no new payments", example: "off" }),
      "rpc-url": repeated(kind.webUrl, {
        help: "a node's JSON-RPC endpoint; these replace all earlier ones",
        example: "https://rpc.example.com",
      }),
      "ws-url": SOCKETS,
      "min-confirmations": optional(CONFIRMATIONS, {
        help: "blocks until a deposit is credited",
        example: "12",
      }),
      ...display,
      quorum: optional(QUORUM, { help: "how many endpoints must have a block", example: "2" }),
      traces: optional(TRACES, {
        help: "look for native coins sent by contracts: auto, on or off",
        example: "auto",
      }),
      force: FORCE,
    },
    examples: [
      "network set ETH --active off",
      "network set ETH --min-confirmations 20",
      "network set ETH --ws-url wss://rpc.example.com",
      "network set ETH --test off",
    ],
    run: async (context, { flags, positionals }) => {
      const deps = await context.deps();
      const network = await findNetwork(deps, first(positionals));
      const { active, rpcUrl, wsUrl, gasPriceMax, test, force, ...fields } = camelCased(flags);
      const rpcUrls = distinctUrls(rpcUrl);
      const change = given({
        ...fields,
        isActive: active,
        isTest: test,
        rpcUrls: rpcUrls.length === 0 ? undefined : rpcUrls,
        wsUrls: newSockets(network, { rpcUrl, wsUrl }),
        gasPriceMaxRaw: gasPriceMaxOf(gasPriceMax, network.family),
      });
      if (Object.keys(change).length === 0) throw new UsageError("network set: nothing to change");
      const planned = { ...network, ...change };
      checkQuorum(planned, network);
      const isForced = force ?? false;
      const listener = asking(context, { isForced });
      await checkNodes(deps, { network: planned, before: network, listener, isForced });
      const changed = await setNetwork(deps, { code: network.code, change, actor: context.actor });
      if (test === undefined) return await shapeOf(context, changed);
      context.note(aboutCoins(changed));
      const isOther = changed.testChanges !== network.testChanges;
      const judgedAgain = isOther ? await countJudgedAgain(deps.db, changed.code) : 0;
      if (isOther) context.note(aboutJudgedAgain(judgedAgain));
      return { ...await shapeOf(context, changed), invoices_judged_again: judgedAgain };
    },
  }),
  operation({
    words: ["network", "remove"],
    changes: "operate",
    summary: "Removes a network on which nothing was ever booked",
    positionals: [CODE],
    flags: {},
    examples: ["network remove ETH"],
    run: async (context, { positionals }) => {
      const order = { code: first(positionals), actor: context.actor };
      const { network, wallets } = await removeNetwork(await context.deps(), order);
      for (const { address } of wallets) {
        context.note(`Nobody watches its wallet ${address} any more; the seed still has its key`);
      }
      return { removed: network.code, wallets: wallets.map(({ address }) => address) };
    },
  }),
  operation({
    words: ["network", "list"],
    reads: "see_gateway",
    summary: "Lists the networks, how far each was read, and how its endpoints are doing",
    flags: {},
    examples: ["network list"],
    columns: [
      "code",
      "name",
      "chain_id",
      "test",
      "min_confirmations",
      "finality",
      "scanned_to",
      "lag",
      "seconds_since_answer",
      "gaps",
      "active",
      "halted_reason",
    ],
    run: async (context) => {
      const { networks } = await (await context.deps()).catalog.current();
      const shapes = await Promise.all(networks.map((network) => shapeOf(context, network)));
      for (const { code, endpoints } of shapes) {
        for (const endpoint of endpoints) context.note(`${code} ${endpointLine(endpoint)}`);
      }
      return shapes;
    },
  }),
  operation({
    words: ["network", "gas-wallet"],
    reads: "operate",
    summary: "Shows the operator's wallet that pays gas top-ups",
    positionals: [CODE],
    flags: {},
    examples: ["network gas-wallet ETH"],
    run: async (context, { positionals }) =>
      await gasWallet(await context.deps(), { network: first(positionals), actor: context.actor }),
  }),
  operation({
    words: ["network", "resume"],
    changes: "operate",
    summary: "Resumes a halted network, with the chain as its nodes report it now",
    positionals: [CODE],
    flags: {
      "from-block": optional(kind.blockHeight, {
        help: "read everything again from here; by default from where the node's chain leaves ours",
        example: "19000000",
      }),
    },
    examples: ["network resume ETH", "network resume ETH --from-block 19000000"],
    run: async (context, { flags, positionals }) => {
      const deps = await context.deps();
      const order = {
        network: first(positionals),
        fromBlock: flags["from-block"],
        actor: context.actor,
      };
      const { network } = await resumeNetwork(deps, order);
      return await shapeOf(context, await findNetwork(deps, network));
    },
  }),
];
