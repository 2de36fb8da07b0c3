import { first } from "../../base/lists.ts";
import { setNetwork } from "../../actions/networks/set.ts";
import { gasWallet } from "../../actions/wallets/gas_wallet.ts";
import { findNetwork } from "../../actions/books/find.ts";
import { resumeNetwork } from "../../actions/following/resume_network.ts";
import type { Deps } from "../../actions/deps.ts";
import { endpointsOf, scanGaps } from "../../store/reads/health.ts";
import type { NetworkRow } from "../../store/tables/setup.ts";
import { NetworkCursors } from "../../store/tables/following.ts";
import { addPlannedNetwork } from "../../actions/networks/add_planned.ts";
import { checkNodes } from "../../actions/networks/check_nodes.ts";
import {
  ACTOR,
  command,
  type Context,
  optional,
  repeated,
  UsageError,
  withFallback,
} from "../command.ts";
import { camelCased, given } from "../given.ts";
import type { Kind } from "../../domain/kinds.ts";
import * as kind from "../../domain/kinds.ts";
import {
  checkQuorum,
  gasPriceMaxOf,
  planNetwork,
  PRESET_NAMES,
  presetName,
} from "../../actions/networks/plan.ts";
import { endpointLine } from "../shapes/endpoint.ts";
import { networkShape } from "../shapes/network.ts";

const CONFIRMATIONS = kind.integer({ min: 1, max: 1_000_000 });
const POLL_INTERVAL = kind.integer({ min: 50, max: 3_600_000 });
const QUORUM = kind.integer({ min: 1, max: 20 });
const FINALITY = kind.choice(["none", "finalized"]);
const TRACES = kind.choice(["auto", "on", "off"]);
const FEE_MODEL = kind.choice(["l1", "op_stack", "arbitrum"]);
const NETWORK_NAME = kind.text({ max: 100 });
const CODE = { name: "CODE", help: "the network's code, such as ETH" };

const display = {
  name: optional(NETWORK_NAME, { help: "for display", example: "Ethereum" }),
  "poll-interval-ms": optional(POLL_INTERVAL, {
    help: "time between two polls of the chain",
    example: "2000",
  }),
  finality: optional(FINALITY, {
    help: "finalized: a deposit also waits for the chain's own finalized tag",
    example: "finalized",
  }),
  "fee-model": optional(FEE_MODEL, {
    help: "what a transaction costs besides its gas; known chains have their own default",
    example: "op_stack",
  }),
  "gas-price-max": optional(kind.gasPrice, {
    help: "the most that a unit of gas may cost, in gwei (TRON: of energy, in sun); 0: no limit",
    example: "200",
  }),
  "fee-max": optional(kind.feeMax, {
    help:
      "the most coins that one transaction may cost, including all its bids; none: the chain's default",
    example: "0.05",
  }),
  "hot-gas-target": optional(kind.amount, {
    help:
      "the gas wallet fills hot wallets below half of this up to this many coins, for fees only; 0: never",
    example: "0.1",
  }),
};

export const NETWORK_COMMANDS = [
  command({
    words: ["network", "add"],
    summary: "Adds a network with its native coin; a preset adds its usual tokens",
    flags: {
      "rpc-url": repeated(kind.webUrl, {
        help: "a node's JSON-RPC endpoint; at least one",
        example: "https://rpc.example.com",
      }),
      preset: optional(presetKind(), {
        help: `takes everything else from the catalogue: ${PRESET_NAMES.join(", ")}`,
        example: "ETH",
      }),
      code: optional(kind.networkCode, {
        help: "its name in the API; needed without a preset",
        example: "ETH",
      }),
      family: optional(kind.choice(["evm", "tron"]), {
        help: "the kind of chain; needed without a preset",
        example: "evm",
      }),
      "min-confirmations": optional(CONFIRMATIONS, {
        help: "blocks until a deposit is credited; needed without a preset",
        example: "12",
      }),
      ...display,
      "chain-id": optional(kind.chainId, {
        help: "read from the node if not given; must match the node's",
        example: "1",
      }),
      "native-symbol": optional(kind.symbol, { help: "the native coin's symbol", example: "ETH" }),
      "native-decimals": optional(kind.decimals, { help: "18 if not given", example: "18" }),
      "start-block": withFallback(kind.blockOrLatest, {
        help: "the first block to read; latest: the one after the current tip",
        example: "19000000",
        fallback: "latest",
      }),
      quorum: withFallback(QUORUM, {
        help: "how many endpoints must have a block before a deposit in it is credited",
        example: "2",
        fallback: 1,
      }),
      traces: withFallback(TRACES, {
        help:
          "look for native coins sent by contracts; auto: if a node can trace, on: a node must, off: never",
        example: "auto",
        fallback: "auto",
      }),
    },
    examples: [
      "network add --preset ETH --rpc-url https://rpc.example.com",
      "network add --code ETH --family evm --rpc-url https://rpc.example.com --min-confirmations 12",
    ],
    run: async (context, { flags }) => {
      const { rpcUrl: rpcUrls, ...rest } = camelCased(flags);
      const plan = planNetwork({ ...rest, rpcUrls });
      const order = { plan, actor: ACTOR, listener: context };
      return await shapeOf(context, await addPlannedNetwork(await context.deps(), order));
    },
  }),
  command({
    words: ["network", "set"],
    summary: "Changes a network; a running server applies it within a second",
    positionals: [CODE],
    flags: {
      active: optional(kind.onOff, { help: "off: accepts no new payments", example: "off" }),
      "rpc-url": repeated(kind.webUrl, {
        help: "a node's JSON-RPC endpoint; these replace all earlier ones",
        example: "https://rpc.example.com",
      }),
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
    },
    examples: ["network set ETH --active off", "network set ETH --min-confirmations 20"],
    run: async (context, { flags, positionals }) => {
      const deps = await context.deps();
      const network = await findNetwork(deps, first(positionals));
      const { active, rpcUrl, gasPriceMax, ...fields } = camelCased(flags);
      const rpcUrls = [...new Set(rpcUrl)];
      const change = given({
        ...fields,
        isActive: active,
        rpcUrls: rpcUrls.length === 0 ? undefined : rpcUrls,
        gasPriceMaxRaw: gasPriceMaxOf(gasPriceMax, network.family),
      });
      if (Object.keys(change).length === 0) throw new UsageError("network set: nothing to change");
      checkQuorum(change.quorum ?? network.quorum, change.rpcUrls ?? network.rpcUrls);
      const planned = { ...network, ...change };
      await checkNodes(deps, { network: planned, before: network, listener: context });
      const changed = await setNetwork(deps, { code: network.code, change, actor: ACTOR });
      return await shapeOf(context, changed);
    },
  }),
  command({
    words: ["network", "list"],
    summary: "Lists the networks, how far each was read, and how its endpoints are doing",
    flags: {},
    examples: ["network list"],
    columns: [
      "code",
      "name",
      "chain_id",
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
  command({
    words: ["network", "gas-wallet"],
    summary: "Shows the operator's wallet that pays gas top-ups",
    positionals: [CODE],
    flags: {},
    examples: ["network gas-wallet ETH"],
    run: async (context, { positionals }) =>
      await gasWallet(await context.deps(), { network: first(positionals), actor: ACTOR }),
  }),
  command({
    words: ["network", "resume"],
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
      const order = { network: first(positionals), fromBlock: flags["from-block"], actor: ACTOR };
      const { network } = await resumeNetwork(deps, order);
      return await shapeOf(context, await findNetwork(deps, network));
    },
  }),
];

function presetKind(): Kind<string> {
  const is = `one of ${PRESET_NAMES.join(", ")}`;
  return { word: "NAME", is, values: PRESET_NAMES, read: presetName };
}

async function shapeOf(context: Context, network: NetworkRow) {
  const deps: Deps = await context.deps();
  const [cursor, endpoints, gaps] = await Promise.all([
    deps.db.get(NetworkCursors, [network.code]),
    endpointsOf(deps.db, network.code),
    scanGaps(deps.db),
  ]);
  return networkShape(network, {
    cursor,
    endpoints,
    gaps: gaps.get(network.code) ?? [],
    nowMs: deps.clock.nowMs(),
  });
}
