import { findProgram } from "../../support/programs/needed.ts";
import { startLitecoind } from "../../support/nodes/litecoind.ts";
import { atLeast, namesOf, noneOf, rowOf } from "../far/goal.ts";
import { makeInstallation } from "../installation.ts";
import type { LoadOrder } from "../load.ts";
import type { Missing, PartOrder } from "../part.ts";
import { SERVE, startLoad, startProgram } from "../processes.ts";
import type { Row } from "../row.ts";

const GOALS = {
  alone: atLeast(5, "payouts/s", "payouts from one hot wallet on Litecoin, one after the other"),
  together: atLeast(20, "payouts/s", "payouts from one hot wallet on Litecoin, 64 at once"),
};
export const PAYOUT_ROWS = namesOf(GOALS);

const SECONDS = 4;
/** A wallet at work has several; each may have 20 payouts that are in no block. */
const COINS = 40;
const MINED_EVERY_MS = 1_000;
const BLOCKS = 110;

/** Signed, saved, sent and answered. A block a second takes what waits. */
export async function* measurePayouts({ rounds }: PartOrder): AsyncGenerator<Row | Missing> {
  if (await findProgram("litecoind") === undefined) {
    return yield* noneOf(GOALS, "litecoind isn't installed");
  }
  await using node = await startLitecoind({ blocks: BLOCKS });
  await using installation = await makeInstallation({
    rpcUrl: node.url,
    chain: {
      ...{ family: "bitcoin", chainId: "LTC-REGTEST", code: "LTC", symbol: "LTC" },
      ...{ finality: "none", decimals: 8, minConfirmations: 2, startHeight: BLOCKS },
    },
  });
  const { env, key, hotWallet } = installation;
  for (let i = 0; i < COINS; i++) await node.pay(hotWallet, 10);
  await node.mine(3);
  await using gateway = await startProgram({ args: SERVE, env: { ...env, CPG_WORKER: "true" } });
  await using load = startLoad();
  const to: string = await node.rpc("getnewaddress", [], "payer");
  const order: LoadOrder = {
    port: gateway.port,
    connections: 1,
    seconds: SECONDS,
    method: "POST",
    target: "/v1/withdrawals",
    key,
    body: JSON.stringify({
      ...{ network: "LTC", currency: "LTC", to_address: to, amount: "0.01" },
      client_reference: "#",
    }),
  };
  const miner = setInterval(() => void node.mine(1).catch(() => {}), MINED_EVERY_MS);
  try {
    for (const [goal, connections] of [[GOALS.alone, 1], [GOALS.together, 64]] as const) {
      const rates: number[] = [];
      for (let round = -1; round < rounds; round++) {
        const { perSecond } = await load.run({ ...order, connections });
        if (round >= 0) rates.push(perSecond);
      }
      yield rowOf(goal, ...rates);
    }
  } finally {
    clearInterval(miner);
  }
}
