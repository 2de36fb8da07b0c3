import { type Child, startChild } from "./child.ts";
import type { FollowReport } from "./follow_program.ts";
import type { Place } from "./place.ts";
import { figureRow, type GrowthRow, type Pair, ratioRow } from "./row.ts";

const MEMORY_MAX_MB = 150;

/** What a block costs, and how much memory watching takes, by how many addresses are watched. */
export async function measureFollowing(
  { small, large, rounds }: { small: Place; large: Place; rounds: number },
): Promise<GrowthRow[]> {
  await using few = await startFollower(small);
  await using many = await startFollower(large);
  const pairs: Pair[] = [];
  const memory: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const [one, other] = [await follow(few), await follow(many)];
    if (round === 0) continue;
    pairs.push({ small: one.ms / one.blocks, large: other.ms / other.blocks });
    memory.push(other.residentMb - one.residentMb);
  }
  const mb = {
    name: "memory that watching 10^6 addresses takes",
    unit: "MB",
    limit: MEMORY_MAX_MB,
  };
  return [ratioRow("a block followed, of 20 transactions", "ms", pairs), figureRow(mb, memory)];
}

function startFollower({ installation: { env } }: Place): Promise<Child> {
  return startChild("follow_program.ts", { env });
}

async function follow(follower: Child): Promise<FollowReport> {
  return JSON.parse(await follower.ask());
}
