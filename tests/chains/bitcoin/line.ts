import { type BitcoinNode, openNode } from "../../../src/chains/bitcoin/node/node.ts";
import { type BitcoinPreset, PRESETS } from "../../../src/chains/bitcoin/params.ts";

const client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
/** Keeps no connection open, for which a node that is told to stop would wait. */
const closing: typeof fetch = (input, init) => fetch(input, { ...init, client });

/** What the pool gives a node, without its pace. */
export function nodeAt(
  url: string,
  { preset = "LTC-REGTEST" as BitcoinPreset, timeoutMs = 15_000 } = {},
): BitcoinNode {
  return openNode(PRESETS[preset])(url)({ fetch: closing, timeoutMs, gate: (send) => send() });
}
