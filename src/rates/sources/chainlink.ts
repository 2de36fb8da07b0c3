import { first } from "../../base/lists.ts";
import { findNetwork } from "../../books/find.ts";
import { NodeError } from "../../chains/faults.ts";
import { rulesOf } from "../../chains/registry.ts";
import type { Deps } from "../../deps/deps.ts";
import * as kind from "../../domain/kinds.ts";
import { refuse } from "../../domain/refusals/refuse.ts";
import { CATALOGUE } from "../../networks/catalogue.ts";
import { priceOfNodes } from "../rules/feed_round.ts";
import type { Reading } from "../rules/reading.ts";
import { MAX_AGE, sourceKind } from "./source.ts";

interface Feed {
  readonly network: string;
  readonly feed: string;
  readonly maxAgeMs: number;
}

export const CHAINLINK = sourceKind({
  name: "chainlink",
  what: "a Chainlink feed",
  short: "Chainlink",
  fields: {
    network: { kind: kind.networkCode, help: "where the feed is", example: "ETH" },
    feed: {
      kind: kind.text({ max: 64, word: "ADDRESS" }),
      help: "the address of the feed's proxy contract",
      example: "0x5f4eC3Df9cbd43714FE2740f5E3616155c5b8419",
      label: "Address of the feed's proxy contract",
      hint: "From Chainlink's own list of price feeds",
    },
    "max-age": MAX_AGE,
  },
  usual: { "max-age": "3900" },
  choices: ({ networks }) => ({
    network: networks.filter(({ family }) => family === "evm")
      .map(({ code, name }) => ({ value: code, label: `${name} (${code})` })),
  }),
  order: ({ network, feed, "max-age": maxAgeMs }): Feed => ({ network, feed, maxAgeMs }),
  checked: async (deps, order) => {
    const network = await findNetwork(deps, order.network);
    const { code, family } = network;
    if (family !== "evm") throw refuse("rate_feed_refused", { network: code });
    const { feed } = order;
    const rules = rulesOf(network);
    if (!rules.isAddress(feed)) throw refuse("address_wrong", { text: feed, network: code });
    return { ...order, network: code, feed: rules.canonicalAddress(feed) };
  },
  originOf: ({ network, feed }) => `the Chainlink feed ${feed} on ${network}`,
  reads: {
    readAs: ({ network, feed }) => `${network}/${feed}`,
    together: ({ network }) => `feeds of ${network}`,
    everyMs: 15_000,
    prices: (deps, sources) =>
      pricesOn(deps, first(sources).network, sources.map(({ feed }) => feed)),
  },
  /** The feeds of the networks in use, as far as they are the real ones. */
  presets: ({ networks }) =>
    networks.filter(({ isActive }) => isActive).flatMap(({ code, family, chainId }) => {
      const preset = CATALOGUE.find((it) => it.family === family && it.chainId === chainId);
      return (preset?.feeds ?? []).map(({ base, address, maxAgeMs }) => {
        const feed = rulesOf({ family, chainId }).canonicalAddress(address);
        return { base, quote: "USD", network: code, feed, maxAgeMs };
      });
    }),
});

/** In one request to each node. */
async function pricesOn(deps: Deps, code: string, feeds: readonly string[]): Promise<Reading[]> {
  const network = (await deps.catalog.current()).network(code);
  if (!network?.isActive) return feeds.map(() => ({ fault: `${code} is not in use` }));
  try {
    const rounds = await deps.chains.of(network).feedRounds?.(feeds) ?? feeds.map(() => []);
    return rounds.map((nodes) => priceOfNodes(nodes, deps.clock.nowMs()));
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    return feeds.map(() => ({ fault: error.message }));
  }
}
