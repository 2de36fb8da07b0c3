import { startLoad, startProgram } from "../processes.ts";
import type { Place } from "./place.ts";
import { figureRow, type GrowthRow, slopeRow } from "./row.ts";
import { startChild } from "./child.ts";

const SERVE = ["run", "-q", "-P", "main.ts", "serve"];
const START_MAX_S = 1;
const LEAK_MAX_MB = 20;
const CONNECTIONS = 64;
const READS_A_STEP = 50_000;
const WARM_UP_STEPS = 3;
const STEPS = 8;

/** From the start of the program, with all that runs by itself, to the first answer that a merchant gets. */
export async function measureStart(
  place: Place,
  { rounds }: { rounds: number },
): Promise<GrowthRow> {
  const { env, key } = place.installation;
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
  const name = "from the start to the first signed answer, with 10^6 rows";
  return figureRow({ name, unit: "s", limit: START_MAX_S }, seconds);
}

/** The slope of memory over reads, after the heap has found its size; told for a million. */
export async function measureLeak(place: Place): Promise<GrowthRow> {
  const { env, key } = place.installation;
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
  const name = `memory that a million signed reads leave, by ${STEPS * READS_A_STEP / 1_000},000`;
  return slopeRow({ name, unit: "MB", limit: LEAK_MAX_MB }, slopes);
}
