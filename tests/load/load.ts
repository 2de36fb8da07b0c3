import { startChild } from "../bench/growth/child.ts";
import { SERVE_PART, startHelper } from "../bench/processes.ts";
import { casesOf } from "./cases.ts";
import type { Answers, Volley } from "./drive.ts";
import type { ProbeOrder, Waited } from "./probe.ts";
import type { Computed } from "./serve_program.ts";
import type { Worst } from "./worst.ts";

export interface Measured extends Waited, Answers, Computed {
  readonly name: string;
}

const HERE = new URL(".", import.meta.url).href;
const SECONDS = 60;
const WARM_UPS = 2;
const WARM_UP_REQUESTS = 20;
const QUIET_LOOK_MS = 2_000;
/** Without a crowd. On a machine that has other things to do, answers take longer than this. */
const QUIET_MS = 30;

/**
 * One volley after the other. Behind a proxy, because whoever connects directly has a limit of
 * connections too.
 */
export async function measureLoad(
  worst: Worst,
  { only = /./, onMeasured = () => {} }: {
    only?: RegExp;
    onMeasured?: (one: Measured) => void;
  } = {},
): Promise<{ measured: Measured[]; isQuiet: boolean }> {
  const env = { ...worst.env, CPG_WORKER: "true", CPG_TRUSTED_PROXIES: "127.0.0.1" };
  const flags = SERVE_PART.filter((word) => word.startsWith("--v8"));
  await using gateway = await startChild(`${HERE}serve_program.ts`, { env, flags });
  await using crowd = startHelper<Volley, Answers>(`${HERE}drive.ts`);
  await using probe = startHelper<ProbeOrder, Waited>(`${HERE}probe.ts`);
  const port = Number(new URL(gateway.greeting).port);
  const look = async () => ({
    ...await probe.run({ port, key: worst.otherKey }),
    ...JSON.parse(await gateway.ask()) as Computed,
  });
  const cases = casesOf(worst).filter(({ name }) => only.test(name));
  const few = cases.flatMap(({ requests }) => requests.slice(0, 1)).slice(0, WARM_UP_REQUESTS);
  await look();
  for (let i = 0; i < WARM_UPS; i++) await crowd.run({ port, requests: few, seconds: SECONDS });
  await look();
  await new Promise((resolve) => setTimeout(resolve, QUIET_LOOK_MS));
  const { healthMs, pingMs } = await look();
  const measured: Measured[] = [];
  for (const { name, requests, seconds = SECONDS } of cases) {
    await look();
    const answers = await crowd.run({ port, requests, seconds });
    const one = { name, ...answers, ...await look() };
    measured.push(one);
    onMeasured(one);
  }
  return { measured, isQuiet: Math.max(healthMs, pingMs) <= QUIET_MS };
}
