import { type HeightRange, NodeError, type ReadBlock } from "../chain.ts";
import type { Pool } from "./endpoints.ts";
import type { Named } from "./protocol.ts";

/**
 * Everything about a range comes from one endpoint. With a quorum, so many read it each on its own,
 * and must find the same: a hash that they share says nothing about who told the content.
 */
export async function readAgreedBlocks<N extends Named>(
  pool: Pool<N>,
  { range, readOn }: { range: HeightRange; readOn: (node: N) => Promise<ReadBlock[]> },
): Promise<ReadBlock[]> {
  const ask = async (node: N) => {
    const blocks = await readOn(node);
    checkIsFollowed(pool, { host: node.host, last: blocks.at(-1) });
    return blocks;
  };
  const need = { height: range.to, lane: "bulk" } as const;
  if (pool.quorum === 1) return await pool.read(ask, need);
  return await pool.agreed(ask, { ...need, likeness: textOf });
}

/** The links up to the tip make one block's hash vouch for all of the range. */
function checkIsFollowed<N extends Named>(
  { endpoints, followed }: Pool<N>,
  { host, last }: { host: string; last: ReadBlock | undefined },
): void {
  if (endpoints.length === 1 || !last || last.ref.height !== followed?.height) return;
  if (last.ref.hash === followed.hash) return;
  throw new NodeError(`${host} has another block ${last.ref.height} than the tip that was told`);
}

function textOf(blocks: readonly ReadBlock[]): string {
  return JSON.stringify(blocks, (_, value) => typeof value === "bigint" ? `${value}n` : value);
}
