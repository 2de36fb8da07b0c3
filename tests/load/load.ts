import { SERVE, startHelper, startProgram } from "../bench/processes.ts";
import type { Answers, Volley } from "./drive.ts";
import type { ProbeOrder, Waited } from "./probe.ts";
import { casesOf } from "./cases.ts";
import type { Worst } from "./worst.ts";

export interface Measured extends Waited, Answers {
  readonly name: string;
}

const HERE = new URL(".", import.meta.url).href;
const SECONDS = 60;
const WARM_UPS = 2;
const WARM_UP_REQUESTS = 20;

/**
 * One volley after the other, at the program as it is started by its users. Behind a proxy, because
 * whoever connects directly has a limit of connections too.
 */
export async function measureLoad(
  worst: Worst,
  { only = /./, onMeasured = () => {} }: {
    only?: RegExp;
    onMeasured?: (one: Measured) => void;
  } = {},
): Promise<{ measured: Measured[]; log: string }> {
  const env = { ...worst.env, CPG_WORKER: "true", CPG_TRUSTED_PROXIES: "127.0.0.1" };
  await using gateway = await startProgram({ args: SERVE, env });
  await using crowd = startHelper<Volley, Answers>(`${HERE}drive.ts`);
  await using probe = startHelper<ProbeOrder, Waited>(`${HERE}probe.ts`);
  const { port, pid } = gateway;
  const look = () => probe.run({ port, pid, key: worst.otherKey });
  const cases = casesOf(worst).filter(({ name }) => only.test(name));
  const few = cases.flatMap(({ requests }) => requests.slice(0, 1)).slice(0, WARM_UP_REQUESTS);
  await look();
  for (let i = 0; i < WARM_UPS; i++) await crowd.run({ port, requests: few, seconds: SECONDS });
  const measured: Measured[] = [];
  for (const { name, requests, seconds = SECONDS } of cases) {
    await look();
    const answers = await crowd.run({ port, requests, seconds });
    const one = { name, ...answers, ...await look() };
    measured.push(one);
    onMeasured(one);
  }
  return { measured, log: await gateway.log() };
}
