import { optional, repeated } from "../../operations/operation.ts";
import * as kind from "../../domain/kinds.ts";

export const CONFIRMATIONS = kind.integer({ min: 1, max: 1_000_000 });
const POLL_INTERVAL = kind.integer({ min: 50, max: 3_600_000 });
export const QUORUM = kind.integer({ min: 1, max: 20 });
const FINALITY = kind.choice(["none", "finalized"]);
export const TRACES = kind.choice(["auto", "on", "off"]);
const FEE_MODEL = kind.choice(["l1", "op_stack", "arbitrum"]);
const NETWORK_NAME = kind.text({ max: 100 });

export const SOCKETS = repeated(kind.socketUrl, {
  help: 'where a node pushes new heads: one for each --rpc-url, in order; "" for none',
  example: "wss://rpc.example.com",
});

export const display = {
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

export const FORCE = optional(kind.present, {
  help: "also with nodes that don't answer or with few confirmations",
  example: "",
});
