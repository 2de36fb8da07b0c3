import { SERVE, startLoad, startProgram } from "../processes.ts";
import { figureRow, type Row, slopeRow } from "../row.ts";
import { startChild } from "./child.ts";
import type { GrowthOrder, GrowthRows } from "./growth_rows.ts";

const CONNECTIONS = 64;
const READS_A_STEP = 50_000;
const WARM_UP_STEPS = 4;
const STEPS = 10;
const STARTED = {
  name: "from the start to the first signed answer, workers on, with 10^6 rows",
  unit: "s",
  must: 1,
  isAtMost: true,
};
const LEFT = {
  name: "memory that a million signed GET /v1/balances leave, by half a million",
  unit: "MB",
  must: 20,
  isAtMost: true,
};

/** From the program's start, background work included, to its first answer to a merchant. */
export const START: GrowthRows = { names: [STARTED.name], measure: measureStart };

async function* measureStart({ large, rounds }: GrowthOrder): AsyncGenerator<Row> {
  const { env, key } = large.installation;
  await using load = startLoad();
  const seconds: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const startedAt = performance.now();
    const all = { ...env, CPG_WORKER: "true" };
    await using gateway = await startProgram({ args: SERVE, env: all });
    const limits = { port: gateway.port, connections: 1, seconds: 60, requests: 1 };
    await load.run({ ...limits, method: "GET", target: "/v1/balances", key });
    if (round > 0) seconds.push((performance.now() - startedAt) / 1_000);
  }
  yield figureRow(STARTED, seconds);
}

/** Memory growth per million reads, once the heap has settled. */
export const LEAK: GrowthRows = { names: [LEFT.name], measure: measureLeak };

async function* measureLeak({ large }: GrowthOrder): AsyncGenerator<Row> {
  const { env, key } = large.installation;
  const flags = ["--v8-flags=--expose-gc"];
  await using gateway = await startChild("serve_program.ts", { env, flags });
  await using load = startLoad();
  const port = Number(new URL(gateway.greeting).port);
  const limits = { port, connections: CONNECTIONS, seconds: 60, requests: READS_A_STEP };
  const points: number[] = [];
  for (let step = 0; step < WARM_UP_STEPS + STEPS; step++) {
    await load.run({ ...limits, method: "GET", target: "/v1/balances", key });
    if (step >= WARM_UP_STEPS - 1) points.push(Number(await gateway.ask()));
  }
  const slopes = points.flatMap((later, j) =>
    points.slice(0, j).map((earlier, i) => (later - earlier) / (j - i))
  ).map((slope) => slope * 1_000_000 / READS_A_STEP);
  yield slopeRow(LEFT, slopes);
}
