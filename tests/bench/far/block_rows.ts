import { ROUND_TRIP_MS } from "../../support/nodes/far_node.ts";
import { startReceiver } from "../../support/programs/receiver.ts";
import { allocate } from "../../support/views.ts";
import { makeWebhook } from "../../support/webhooks.ts";
import type { PartOrder } from "../part.ts";
import type { Row } from "../row.ts";
import { BLOCK_MS, sendAll, startFarWorld } from "./far_world.ts";
import { atMost, mustBecome, namesOf, rowOf } from "./goal.ts";

const PUSHED_MS = 2.5 * ROUND_TRIP_MS + 60;
const PUSHED = {
  ETH: atMost(PUSHED_MS, "ms", "a pushed block to the merchant's webhook, coins"),
  USDT: atMost(PUSHED_MS, "ms", "a pushed block to the merchant's webhook, tokens"),
};
const POLLED = {
  ETH: atMost(500, "ms", "a block to the merchant's webhook without push, coins"),
  USDT: atMost(500, "ms", "a block to the merchant's webhook without push, tokens"),
};
export const BLOCK_ROWS = [...namesOf(PUSHED), ...namesOf(POLLED)];

/** Another than the chain's own pace. */
const POLL_INTERVAL_MS = 5_000;
const BLOCKS = 5;
/** Until a socket is open, and the next block is known to come then. */
const BLOCKS_BEFORE = 4;

/** From the block that makes a payment deep enough to the merchant who hears of it. */
export async function* measureBlocks({ names, say }: PartOrder): AsyncGenerator<Row> {
  for (const goals of [PUSHED, POLLED]) {
    if (!namesOf(goals).some((name) => names.has(name))) continue;
    const isPushed = goals === PUSHED;
    const waits = await waitsOf(isPushed);
    say(`far: ${isPushed ? "pushed" : "polled"}, ${JSON.stringify(waits)}`);
    yield rowOf(goals.ETH, ...waits.ETH);
    yield rowOf(goals.USDT, ...waits.USDT);
  }
}

async function waitsOf(isPushed: boolean): Promise<Readonly<Record<"ETH" | "USDT", number[]>>> {
  await using receiver = startReceiver();
  await using far = await startFarWorld({
    minConfirmations: 1,
    pollIntervalMs: POLL_INTERVAL_MS,
    isPushed,
  });
  const { world: { deps, merchant: { accountId, api } }, anvil, madeAt } = far;
  const heardAt = new Map<string, number>();
  receiver.answer = ({ event }) => {
    heardAt.set(event.data.tx_hash, performance.now());
    return new Response("ok");
  };
  await makeWebhook(deps, { url: receiver.url, accountId, eventTypes: ["deposit.confirmed"] });
  const coins = await allocate(api);
  const tokens = await allocate(api, { currency: "USDT" });
  await mustBecome("blocks are made", () => madeAt.size >= BLOCKS_BEFORE);
  const waits = { ETH: [] as number[], USDT: [] as number[] };
  for (let block = 0; block < 2 * BLOCKS; block++) {
    const isToken = block % 2 === 1;
    const to = isToken ? tokens.address : coins.address;
    const made = madeAt.size;
    const [hash] = await sendAll(far, [{ to, isToken }]);
    await mustBecome("it is told", () => heardAt.has(hash!), 30);
    const { blockNumber } = await anvil.rpc("eth_getTransactionReceipt", [hash]);
    waits[isToken ? "USDT" : "ETH"].push(heardAt.get(hash!)! - madeAt.get(Number(blockNumber))!);
    // The next payment is in another block.
    await mustBecome("the next block", () => madeAt.size > made, 2 * BLOCK_MS / 1_000);
  }
  return waits;
}
