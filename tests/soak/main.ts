import { parseArgs } from "node:util";
import process from "node:process";
import { soak } from "./soak.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    minutes: { type: "string", default: "5" },
    faults: { type: "string", default: "0.1" },
  },
});
const seed = Number(values.seed ?? crypto.getRandomValues(new Uint32Array(1))[0]);
const tell = (line: string) => void process.stdout.write(`${line}\n`);

tell(`seed ${seed}, ${values.minutes} minutes`);
const { totals, findings } = await soak({
  seed,
  busyMs: Number(values.minutes) * 60_000,
  faultRate: Number(values.faults),
  settlingMsMax: 120_000,
  tell,
});
tell(JSON.stringify(totals));
tell(findings.length === 0 ? "Every coin is where it must be" : findings.join("\n"));
Deno.exit(findings.length === 0 ? 0 : 1);
