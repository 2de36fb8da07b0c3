/** Follows a chain from its first block for each line that it reads, and reports the cost. */
import { followNetwork } from "../../../src/following/follow_network.ts";
import { present } from "../../../src/base/assert.ts";
import { readConfig } from "../../../src/app/config/config.ts";
import { openGateway } from "../../../src/app/gateway.ts";
import { TextLineStream } from "../lines.ts";
import { residentMb } from "./resident.ts";

export interface FollowReport {
  readonly blocks: number;
  readonly ms: number;
  readonly residentMb: number;
  /** The most meanwhile. */
  readonly mostMb: number;
  /** The longest time in which nothing else had its turn. */
  readonly stallMs: number;
}

const LOOK_EVERY_MS = 5;

const config = readConfig({ ...Deno.env.toObject(), CPG_LOG_LEVEL: "silent" });
const { deps } = await openGateway(config, { isExclusive: true });
const network = present((await deps.catalog.current()).networks[0], "It was added");

// deno-lint-ignore no-console -- tells whoever started it that it is ready
console.log("http://127.0.0.1:0");
const lines = Deno.stdin.readable.pipeThrough(new TextDecoderStream())
  .pipeThrough(new TextLineStream());
for await (const _ of lines) {
  await deps.db.execute([
    { sql: "DELETE FROM network_blocks" },
    { sql: "UPDATE network_cursors SET scan_height = 0, top_height = 0, tip_height = 0" },
  ]);
  const meanwhile = looking();
  const startedAt = performance.now();
  let blocks = 0;
  for (;;) {
    const { toHeight, isCaughtUp } = await followNetwork(deps, network);
    blocks = toHeight;
    if (isCaughtUp) break;
  }
  const ms = performance.now() - startedAt;
  const most = await meanwhile.end();
  const report: FollowReport = { blocks, ms, residentMb: await residentMb(Deno.pid), ...most };
  // deno-lint-ignore no-console -- the report of this program
  console.log(JSON.stringify(report));
}

/** How late a timer is, and what is in memory. */
function looking() {
  let [stallMs, mostMb, last] = [0, 0, performance.now()];
  const timer = setInterval(() => {
    const now = performance.now();
    stallMs = Math.max(stallMs, now - last - LOOK_EVERY_MS);
    mostMb = Math.max(mostMb, Deno.memoryUsage().rss / 2 ** 20);
    last = now;
  }, LOOK_EVERY_MS);
  return {
    end: async () => {
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
      clearInterval(timer);
      return { stallMs, mostMb };
    },
  };
}
