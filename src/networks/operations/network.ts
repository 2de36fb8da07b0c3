import { first } from "../../base/lists.ts";
import { distinctUrls } from "../../base/net/distinct_urls.ts";
import { findNetwork } from "../../books/find.ts";
import type { Deps } from "../../deps/deps.ts";
import { FAMILY_NAMES } from "../../domain/families.ts";
import * as kind from "../../domain/kinds.ts";
import type { Kind } from "../../domain/kinds.ts";
import { resumeNetwork } from "../../following/resume_network.ts";
import { collectorOf, mustCollect } from "../../collectors/known.ts";
import { NetworkCursors } from "../../following/table.ts";
import { countJudgedAgain } from "../../invoices/reads/listed.ts";
import { addPlannedNetwork } from "../add_planned.ts";
import { checkNodes } from "../check_nodes.ts";
import { endpointLine } from "../endpoint_shapes.ts";
import {
  checkQuorum,
  gasPriceMaxOf,
  keptSockets,
  planNetwork,
  PRESET_NAMES,
  presetName,
  socketsFor,
} from "../plan.ts";
import { FEE_TARGET, FINAL_BLOCKS, mustFit } from "../fitting.ts";
import { withLogins } from "../logins.ts";
import { endpointsOf, scanGaps } from "../reads/health.ts";
import { removeNetwork } from "../remove.ts";
import { COLLECT, COLLECT_WAIT } from "../collecting.ts";
import { aboutCoins } from "../test_networks.ts";
import { setNetwork } from "../set.ts";
import { networkShape } from "../shapes.ts";
import type { NetworkRow } from "../table.ts";
import { asking } from "../../operations/confirm.ts";
import { camelCased, given } from "../../operations/given.ts";
import {
  type Asking,
  operation,
  optional,
  repeated,
  UsageError,
  withFallback,
} from "../../operations/operation.ts";
import { gasWallet } from "../../wallets/gas_wallet.ts";
import { NETWORK_ENERGY } from "../../energy/operations.ts";

const CONFIRMATIONS = kind.integer({ min: 1, max: 1_000_000 });
const POLL_INTERVAL = kind.integer({ min: 50, max: 3_600_000 });
const QUORUM = kind.integer({ min: 1, max: 20 });
const FINALITY: Kind<NetworkRow["finality"] | number> = {
  word: "none|finalized|N",
  values: ["none", "finalized"],
  is: "none, finalized, or a number of blocks",
  read: (text) =>
    text === "none" || text === "finalized" ? text : FINAL_BLOCKS.read(text) ?? undefined,
};
const TRACES = kind.choice(["auto", "on", "off"]);
const FEE_MODEL = kind.choice(["l1", "op_stack", "arbitrum"]);
const NETWORK_NAME = kind.text({ max: 100 });

const SOCKETS = repeated(kind.socketUrl, {
  help: 'where a node pushes new heads: one for each --rpc-url, in order; "" for none',
  example: "wss://rpc.example.com",
});

const display = {
  name: optional(NETWORK_NAME, { help: "for display", example: "Ethereum" }),
  "poll-interval-ms": optional(POLL_INTERVAL, {
    help: "time between two polls of the chain",
    example: "2000",
  }),
  finality: optional(FINALITY, {
    help:
      "finalized: a deposit also waits for the chain's own finalized tag; on Bitcoin and Litecoin " +
      "the number of blocks from which on nothing is undone",
    example: "finalized",
  }),
  "fee-target": optional(FEE_TARGET, {
    help: "in how many blocks a payment should be mined, on Bitcoin and Litecoin; 3 if not given",
    example: "6",
  }),
  "fee-model": optional(FEE_MODEL, {
    help: "what a transaction costs besides its gas; known chains have their own default",
    example: "op_stack",
  }),
  "gas-price-max": optional(kind.gasPrice, {
    help:
      "the most that a unit of gas may cost, in gwei (TRON: of energy, in sun; Bitcoin: a virtual byte, in satoshi); 0: no limit",
    example: "200",
  }),
  "fee-max": optional(kind.feeMax, {
    help:
      "the most coins that one transaction may cost, including all its bids; none: the chain's default",
    example: "0.05",
  }),
  test: optional(kind.onOff, {
    help: "on: its coins are worth nothing; off: they are real; its chain id says it if not given",
    example: "on",
  }),
  "hot-gas-target": optional(kind.amount, {
    help:
      "the gas wallet fills hot wallets below half of this up to this many coins, for fees only; 0: never",
    example: "0.1",
  }),
};

const FORCE = optional(kind.present, {
  help: "also with nodes that don't answer or with few confirmations",
  example: "",
});

export const NETWORK_ADD = operation({
  words: ["network", "add"],
  changes: "operate",
  summary: "Adds a network with its native coin; a preset adds its usual tokens",
  flags: {
    "rpc-url": repeated(kind.webUrl, {
      help: "a node's JSON-RPC endpoint; at least one",
      example: "https://rpc.example.com",
    }),
    "ws-url": SOCKETS,
    preset: optional(presetKind(), {
      help: `takes everything else from the catalogue: ${PRESET_NAMES.join(", ")}`,
      example: "ETH",
    }),
    code: optional(kind.networkCode, {
      help: "its name in the API; needed without a preset",
      example: "ETH",
    }),
    family: optional(kind.choice(FAMILY_NAMES), {
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
    "native-decimals": optional(kind.decimals, {
      help: "as its chain has if not given",
      example: "18",
    }),
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
    force: optional(kind.present, { help: "also with few confirmations, unasked", example: "" }),
  },
  examples: [
    "network add --preset ETH --rpc-url https://rpc.example.com",
    "network add --preset ETH --rpc-url https://rpc.example.com --ws-url wss://rpc.example.com",
    "network add --preset LTC --rpc-url http://user:password@127.0.0.1:9332",
    "network add --code ETH --family evm --rpc-url https://rpc.example.com --min-confirmations 12",
  ],
  run: async (context, { flags }) => {
    const { rpcUrl, wsUrl, test: isTest, force: isForced = false, ...rest } = camelCased(flags);
    const { finality, ...fields } = rest;
    const plan = planNetwork({
      ...fields,
      ...finalityOf(finality),
      ...{ rpcUrls: rpcUrl, wsUrls: wsUrl, isTest },
    });
    const order = { plan, actor: context.actor, listener: asking(context, { isForced }) };
    return await shapeOf(context, await addPlannedNetwork(await context.deps(), order));
  },
});

const CODE = { name: "CODE", help: "the network's code, such as ETH" };

function aboutJudgedAgain(count: number): string {
  if (count === 0) return "No open invoice has payments there";
  const invoices = count === 1 ? "1 open invoice" : `${count} open invoices`;
  return `${invoices} with payments there are judged again by that; what is paid stays paid`;
}

/** A number is one of blocks. */
function finalityOf(said: NetworkRow["finality"] | number | undefined) {
  return typeof said === "number" ? { finalBlocks: said } : given({ finality: said });
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

export const NETWORK_RESUME = operation({
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
});

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
      collect: optional(COLLECT, {
        help: "single: each sweep is a transaction; batch: many share one; auto: the cheaper one",
        example: "auto",
      }),
      "collect-wait": optional(COLLECT_WAIT, {
        help: "how long a sweep waits for others at most; 10m if not given",
        example: "15m",
      }),
      force: FORCE,
    },
    examples: [
      "network set ETH --active off",
      "network set ETH --min-confirmations 20",
      "network set ETH --ws-url wss://rpc.example.com",
      "network set ETH --test off",
      "network set ETH --collect auto --collect-wait 15m",
      "network set LTC --fee-target 6 --finality 24",
    ],
    run: async (context, { flags, positionals }) => {
      const deps = await context.deps();
      const network = deps.nodeUrls.of(await findNetwork(deps, first(positionals)));
      const { rpcUrl: nodes, wsUrl: sockets, ...others } = camelCased(flags);
      const { active, gasPriceMax, collectWait, test, force, finality, ...fields } = others;
      const rpcUrl = withLogins(nodes, network.rpcUrls);
      const wsUrl = withLogins(sockets, network.wsUrls ?? []);
      const rpcUrls = distinctUrls(rpcUrl);
      const change = given({
        ...fields,
        ...finalityOf(finality),
        isActive: active,
        isTest: test,
        rpcUrls: rpcUrls.length === 0 ? undefined : rpcUrls,
        wsUrls: newSockets(network, { rpcUrl, wsUrl }),
        gasPriceMaxRaw: gasPriceMaxOf(gasPriceMax, network.family),
        collectWaitMs: collectWait,
      });
      if (Object.keys(change).length === 0) throw new UsageError("network set: nothing to change");
      const planned = { ...network, ...change };
      checkQuorum(planned, network);
      mustFit(network, change);
      await mustCollect(deps, { network, change });
      const isForced = force ?? false;
      const listener = asking(context, { isForced });
      await checkNodes(deps, { network: planned, before: network, listener, isForced });
      const changed = await setNetwork(deps, { code: network.code, change, actor: context.actor });
      if (change.collect === "auto" && !await collectorOf(deps, changed)) {
        context.note(
          `Until a contract is deployed ("network collector ${changed.code} --deploy on"), sweeps ` +
            "go one by one",
        );
      }
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
      "collect",
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
  NETWORK_ENERGY,
  NETWORK_RESUME,
];

function presetKind(): Kind<string> {
  const is = `one of ${PRESET_NAMES.join(", ")}`;
  return { word: "NAME", is, values: PRESET_NAMES, read: presetName };
}

async function shapeOf(context: Asking, network: NetworkRow) {
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
