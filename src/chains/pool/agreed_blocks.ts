import { first } from "../../base/lists.ts";
import type { HeightRange, ReadBlock } from "../chain.ts";
import { NodeError } from "../faults.ts";
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
  const need = { height: range.to, lane: "bulk" } as const;
  if (pool.quorum === 1) return await pool.read(ask, need);
  const { values, errors } = await pool.several(
    async (node, endpoint) => readingOf(await ask(node), endpoint),
    {
      height: range.to,
      missing: (readings) => pool.quorum - mostAlike(readings).length,
    },
  );
  const alike = mostAlike(values);
  if (alike.length >= pool.quorum) {
    noteOutvoted(pool, { readings: values, text: first(alike).text });
    return first(alike).blocks;
  }
  const reasons = errors.map((error) => `; ${error.message}`).join("");
  const text = `${pool.quorum} endpoints must agree about block ${range.to}, ` +
    `${alike.length} do${reasons}`;
  throw new NodeError(text, { cause: errors });
}

interface Reading<N extends Named> {
  readonly endpoint: Endpoint<N>;
  readonly blocks: ReadBlock[];
  readonly text: string;
}

function mostAlike<N extends Named>(readings: readonly Reading<N>[]): readonly Reading<N>[] {
  const sides = [...Map.groupBy(readings, ({ text }) => text).values()];
  return sides.toSorted((a, b) => b.length - a.length)[0] ?? [];
}

/** Who was outvoted would be asked in vain each time, so it is asked last for a while. */
function noteOutvoted<N extends Named>(
  pool: Pool<N>,
  { readings, text }: { readings: readonly Reading<N>[]; text: string },
): void {
  for (const reading of readings) {
    const isOutvoted = reading.text !== text;
    pool.note(reading.endpoint, "endpoint reads blocks otherwise than the others", isOutvoted);
    reading.endpoint.seen.outvotedUntilMs = isOutvoted ? pool.nowMs() + OUTVOTED_FOR_MS : 0;
  }
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

function readingOf<N extends Named>(blocks: ReadBlock[], endpoint: Endpoint<N>): Reading<N> {
  // Nodes write a transaction's price in different ways, and no payment depends on it.
  const text = JSON.stringify(
    blocks,
    (key, value) => key === "paidRaw" ? undefined : typeof value === "bigint" ? `${value}n` : value,
  );
  return { endpoint, blocks, text };
}
