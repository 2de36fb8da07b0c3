import { type Child, startChild } from "../growth/child.ts";
import { fillTables, FIRST_ID } from "../growth/fill.ts";
import type { FollowReport } from "../growth/follow_program.ts";
import { forgetSeals, withGateway } from "../growth/place.ts";
import { type Installation, makeInstallation } from "../installation.ts";
import { atMost, namesOf, rowOf } from "../far/goal.ts";
import type { PartOrder } from "../part.ts";
import type { Row } from "../row.ts";
import { type BlockNode, startBlockNode } from "./block_node.ts";

const [FEW, MANY] = [1_000, 1_000_000];
const BLOCKS = 5;
const AT = 1_767_225_600_000;

const GOALS = {
  seconds: atMost(2, "s", "a block of 4 MB (5,000 transactions), beside 10^6 addresses, outputs"),
  stall: atMost(50, "ms", "the longest stall meanwhile"),
  memory: atMost(400, "MB", "memory on top meanwhile"),
  growth: atMost(1.3, "times", "the same beside 10^6 instead of 10^3 addresses, outputs"),
};

export const BLOCK_ROWS = namesOf(GOALS);

/** Each round reads the whole chain of five. */
export async function* measureBlocks({ rounds, say }: PartOrder): AsyncGenerator<Row> {
  say("bitcoin: making blocks of 4 MB");
  await using node = startBlockNode({ blocks: BLOCKS });
  say(`bitcoin: they have ${Math.round(node.bytesPerBlock / 1_000)} kB; making 10^6 addresses`);
  await using small = await makeFilled(node, FEW);
  await using large = await makeFilled(node, MANY);
  await using few = await startFollower(small);
  await using many = await startFollower(large);
  const growth: number[] = [];
  const reports: FollowReport[] = [];
  let idleMb = Infinity;
  for (let round = 0; round <= rounds; round++) {
    const [one, other] = [await follow(few), await follow(many)];
    idleMb = Math.min(idleMb, other.residentMb);
    if (round === 0) continue;
    growth.push(other.ms / one.ms);
    reports.push(other);
  }
  yield rowOf(GOALS.seconds, ...reports.map(({ ms, blocks }) => ms / blocks / 1_000));
  yield rowOf(GOALS.stall, ...reports.map(({ stallMs }) => stallMs));
  yield rowOf(GOALS.memory, ...reports.map(({ mostMb }) => mostMb - idleMb));
  yield rowOf(GOALS.growth, ...growth);
}

function startFollower({ env }: Installation): Promise<Child> {
  return startChild("follow_program.ts", { env });
}

async function follow(follower: Child): Promise<FollowReport> {
  return JSON.parse(await follower.ask());
}

/** A merchant with so many addresses, each of which has an output. */
async function makeFilled({ url }: BlockNode, rows: number): Promise<Installation> {
  const chain = { family: "bitcoin", chainId: "BTC-REGTEST", code: "BTC", symbol: "BTC" } as const;
  const installation = await makeInstallation({
    rpcUrl: url,
    chain: { ...chain, finality: "none", decimals: 8, minConfirmations: 2 },
  });
  const { env, accountId } = installation;
  await withGateway(env, forgetSeals);
  const address = "'bcrt1q' || printf('%038d', n)";
  await fillTables(env.CPG_DATABASE_URL!, [
    {
      table: "addresses",
      rows,
      columns: `id, account_id, network, purpose, address, key_coin_type, key_account, key_branch,
  key_index, user_identifier, nonce_floor, created_at_ms`,
      values: `${FIRST_ID} + n, ${accountId}, 'BTC', 'deposit', ${address}, 1, ${accountId}, 0, n,
  'customer-' || n, 0, ${AT} + n`,
    },
    {
      table: "outputs",
      rows,
      columns: `network, tx_hash, position, address, amount_raw, is_own, block_number, block_hash,
  open`,
      values: `'BTC', lower(hex(randomblob(32))), n % 5, ${address}, '100000', 0, 0,
  lower(hex(randomblob(32))), 1`,
    },
  ]);
  // It seals them.
  await withGateway(env, () => Promise.resolve());
  return installation;
}
