import { figureRow, ratioRow, type Round, type Row } from "../row.ts";
import { type Child, startChild } from "./child.ts";
import type { FollowReport } from "./follow_program.ts";
import type { GrowthOrder, GrowthRows } from "./growth_rows.ts";
import { RATIO_MAX } from "./latency.ts";
import type { Place } from "./place.ts";

const BLOCK = {
  name: "a block followed, of 20 transactions",
  unit: "ms",
  must: RATIO_MAX,
  isAtMost: true,
};
const MEMORY = {
  name: "memory that watching 10^6 addresses takes",
  unit: "MB",
  must: 150,
  isAtMost: true,
};

/** The cost of a block, and the memory for watching, by number of watched addresses. */
export const FOLLOWING: GrowthRows = {
  names: [BLOCK.name, MEMORY.name],
  measure: measureFollowing,
};

async function* measureFollowing(
  { small, large, names, rounds }: GrowthOrder,
): AsyncGenerator<Row> {
  await using few = await startFollower(small);
  await using many = await startFollower(large);
  const measured: Round[] = [];
  const memory: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const [one, other] = [await follow(few), await follow(many)];
    if (round === 0) continue;
    measured.push({ limit: one.ms / one.blocks, ours: other.ms / other.blocks });
    memory.push(other.residentMb - one.residentMb);
  }
  if (names.has(BLOCK.name)) yield ratioRow(BLOCK, measured);
  if (names.has(MEMORY.name)) yield figureRow(MEMORY, memory);
}

function startFollower({ installation: { env } }: Place): Promise<Child> {
  return startChild("follow_program.ts", { env });
}

async function follow(follower: Child): Promise<FollowReport> {
  return JSON.parse(await follower.ask());
}
