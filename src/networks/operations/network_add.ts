import { CONFIRMATIONS, display, QUORUM, SOCKETS, TRACES } from "./_fields.ts";
import { shapeOf } from "./_shape.ts";
import { addPlannedNetwork } from "../add_planned.ts";
import { operation, optional, repeated, withFallback } from "../../operations/operation.ts";
import { asking } from "../../operations/confirm.ts";
import { camelCased } from "../../operations/given.ts";
import { FAMILY_NAMES } from "../../domain/families.ts";
import type { Kind } from "../../domain/kinds.ts";
import * as kind from "../../domain/kinds.ts";
import { planNetwork, PRESET_NAMES, presetName } from "../plan.ts";

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
    force: optional(kind.present, { help: "also with few confirmations, unasked", example: "" }),
  },
  examples: [
    "network add --preset ETH --rpc-url https://rpc.example.com",
    "network add --preset ETH --rpc-url https://rpc.example.com --ws-url wss://rpc.example.com",
    "network add --code ETH --family evm --rpc-url https://rpc.example.com --min-confirmations 12",
  ],
  run: async (context, { flags }) => {
    const { rpcUrl, wsUrl, test: isTest, force: isForced = false, ...rest } = camelCased(flags);
    const plan = planNetwork({ ...rest, rpcUrls: rpcUrl, wsUrls: wsUrl, isTest });
    const order = { plan, actor: context.actor, listener: asking(context, { isForced }) };
    return await shapeOf(context, await addPlannedNetwork(await context.deps(), order));
  },
});

function presetKind(): Kind<string> {
  const is = `one of ${PRESET_NAMES.join(", ")}`;
  return { word: "NAME", is, values: PRESET_NAMES, read: presetName };
}
