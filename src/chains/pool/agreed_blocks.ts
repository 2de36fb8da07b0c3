import type { HeightRange, ReadBlock } from "../chain.ts";
import { NodeError } from "../faults.ts";
import { readAgreed } from "./agreed.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Pool } from "./endpoints.ts";
import type { Named } from "./protocol.ts";

const OUTVOTED_FOR_MS = 60_000;

/**
 * All of a range comes from one endpoint. With a quorum, that many endpoints read it independently
 * and must agree: a shared hash alone doesn't prove that the content is right.
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
  const onAgreed = (endpoint: Endpoint<N>, agrees: boolean) => note(pool, endpoint, agrees);
  return await readAgreed(pool, { height: range.to, ask, textOf, lane: "bulk", onAgreed });
}

/** Who was outvoted would be asked in vain each time, so it is asked last for a while. */
function note<N extends Named>(pool: Pool<N>, endpoint: Endpoint<N>, agrees: boolean): void {
  pool.note(endpoint, "endpoint reads blocks otherwise than the others", !agrees);
  endpoint.seen.outvotedUntilMs = agrees ? 0 : pool.nowMs() + OUTVOTED_FOR_MS;
}

/** Because blocks are linked up to the tip, one block's hash vouches for the whole range. */
function checkIsFollowed<N extends Named>(
  { endpoints, followed }: Pool<N>,
  { host, last }: { host: string; last: ReadBlock | undefined },
): void {
  if (endpoints.length === 1 || !last || last.ref.height !== followed?.height) return;
  if (last.ref.hash === followed.hash) return;
  throw new NodeError(`${host} has another block ${last.ref.height} than the reported tip`);
}

/**
 * Nodes write a transaction's price in different ways, and no payment depends on it. What is watched,
 * the books say, which may change between two nodes' answers.
 */
function textOf(blocks: readonly ReadBlock[]): string {
  return JSON.stringify(
    blocks,
    (key, value) =>
      key === "paidRaw" || key === "spent"
        ? undefined
        : typeof value === "bigint"
        ? `${value}n`
        : value,
  );
}
