import { type HeightRange, NodeError, type ReadBlock, type Watch } from "../chain.ts";
import type { Endpoints, Pool } from "./endpoints.ts";
import { readBlocks } from "./read_blocks.ts";
import type { Rpc } from "./rpc.ts";
import type { Tracer } from "./traces.ts";

/** Polygon and its testnet leave the logs of the bridge's transactions out of the header's bloom. */
const BLOOM_LACKS_LOGS: ReadonlySet<string> = new Set(["137", "80002"]);

/**
 * Everything about a range comes from one endpoint. With a quorum, so many read it each on its own,
 * and must find the same: a hash that they share says nothing about who told the content.
 */
export async function readAgreedBlocks(
  pool: Pool,
  { range, watch, tracer }: { range: HeightRange; watch: Watch; tracer: Tracer },
): Promise<ReadBlock[]> {
  const isBloomWhole = !BLOOM_LACKS_LOGS.has(pool.expected?.chainId ?? "");
  const ask = async (rpc: Rpc) => {
    const blocks = await readBlocks(onlyOne(rpc), { range, watch, tracer, isBloomWhole });
    checkIsFollowed(pool, { host: rpc.host, last: blocks.at(-1) });
    return blocks;
  };
  const need = { height: range.to, lane: "bulk" } as const;
  if (pool.quorum === 1) return await pool.read(ask, need);
  return await pool.agreed(ask, { ...need, likeness: textOf });
}

function onlyOne(rpc: Rpc): Endpoints {
  return {
    read: (ask) => ask(rpc),
    each: async (ask) => [{ host: rpc.host, ok: true, value: await ask(rpc) }],
  };
}

/** The links up to the tip make one block's hash vouch for all of the range. */
function checkIsFollowed(
  { endpoints, followed }: Pool,
  { host, last }: { host: string; last: ReadBlock | undefined },
): void {
  if (endpoints.length === 1 || !last || last.ref.height !== followed?.height) return;
  if (last.ref.hash === followed.hash) return;
  throw new NodeError(`${host} has another block ${last.ref.height} than the tip that was told`);
}

function textOf(blocks: readonly ReadBlock[]): string {
  return JSON.stringify(blocks, (_, value) => typeof value === "bigint" ? `${value}n` : value);
}
