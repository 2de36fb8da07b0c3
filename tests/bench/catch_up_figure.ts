import { followNetwork } from "../../src/following/follow_network.ts";
import { waitForReadAhead } from "../../src/following/read_ahead.ts";
import { present } from "../../src/base/assert.ts";
import { readConfig } from "../../src/app/config/config.ts";
import { openGateway } from "../../src/app/gateway.ts";
import { enable, makeMerchant, makeNetwork, makeToken } from "../support/gateway.ts";
import { type Bench, type Figure, perSecond } from "./figure.ts";
import { type HistoryNode, startHistoryNode } from "./history_node.ts";
import { type Installation, makeInstallation } from "./installation.ts";

/** Blocks per round; five rounds make 2,000. */
const BLOCKS = 400;
const WARM_UP_BLOCKS = 100;
const BODIES_AT_ONCE = 2;

export const CATCH_UP_FIGURE: Figure = {
  name: "catching up 2,000 blocks of 20 transactions",
  limit: "a bare loop of the same requests",
  unit: "blocks/s",
  must: 0.8,
  beyond: 0.95,
  prepare,
};

/**
 * The whole chain exists before the first round, and each round continues where the last one ended.
 */
async function prepare(rounds: number): Promise<Bench> {
  await using stack = new AsyncDisposableStack();
  const height = WARM_UP_BLOCKS + BLOCKS * rounds;
  const node = stack.use(await startHistoryNode({ blocks: height }));
  const recorder = stack.use(recordBodies(node.url));
  const installation = stack.use(await makeInstallation());
  const follower = stack.use(await startFollower(installation, node));
  let end = 0;
  let count = 0;
  const all = stack.move();
  return {
    ours: async () => {
      count = end === 0 ? WARM_UP_BLOCKS : BLOCKS;
      end += count;
      recorder.bodies.length = 0;
      return { perSecond: await perSecond(count, () => follower.followTo(end)) };
    },
    // The same requests as just before, so that node and machine are in the same state.
    limit: async () => ({
      perSecond: await perSecond(count, () => bareLoop(node.url, recorder.bodies)),
    }),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

interface Follower extends AsyncDisposable {
  followTo(height: number): Promise<void>;
}

/** Read and recorded by the gateway's own steps. */
async function startFollower(
  { env }: Installation,
  { url, token }: HistoryNode,
): Promise<Follower> {
  const gateway = await openGateway(readConfig({ ...env, CPG_LOG_LEVEL: "silent" }));
  const { deps } = gateway;
  const { accountId } = await makeMerchant({ deps, url: "" });
  const code = await makeNetwork(deps, { code: "LOCAL", rpcUrls: [url] });
  await makeToken(deps, { network: code, contract: token.address });
  await enable(deps, { accountId, network: code, currency: "USDT" });
  const network = present((await deps.catalog.current()).network(code), "It was added");
  return {
    followTo: async (height) => {
      for (;;) {
        const { toHeight, isCaughtUp } = await followNetwork(deps, network);
        if (toHeight >= height || isCaughtUp) break;
      }
      // Blocks that are read ahead belong to this round, and so do their requests.
      await waitForReadAhead(deps, network);
    },
    [Symbol.asyncDispose]: () => gateway.close(),
  };
}

/** Records what this process asks the node, so that the bare requests can be sent again. */
function recordBodies(url: string): Disposable & { readonly bodies: string[] } {
  const bodies: string[] = [];
  const original = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    if (input === url && typeof init?.body === "string") bodies.push(init.body);
    return original(input, init);
  };
  return { bodies, [Symbol.dispose]: () => void (globalThis.fetch = original) };
}

async function bareLoop(url: string, bodies: readonly string[]): Promise<void> {
  const asked = [...bodies];
  let next = 0;
  const worker = async () => {
    while (next < asked.length) await (await ask(url, asked[next++]!)).json();
  };
  await Promise.all(Array.from({ length: BODIES_AT_ONCE }, worker));
}

function ask(url: string, body: string): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return fetch(url, { method: "POST", headers, body });
}
