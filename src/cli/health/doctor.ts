import { command } from "../../operations/command.ts";
import type { Finding } from "../../operations/host.ts";
import { showStages } from "../../operations/screen/progress.ts";
import { oneLine } from "../../operations/screen/render.ts";
import { type Colour, padded, paint, wrapped } from "../../operations/screen/screen.ts";
import type { Screen } from "../../operations/operation.ts";

const STATES = { ok: "ok", warning: "warning", failed: "FAILED" };
const COLOURS: Record<Finding["state"], Colour> = { ok: "green", warning: "yellow", failed: "red" };
const STATE_WIDTH = 9;
const GAP = 2;

export const DOCTOR_COMMAND = command({
  words: ["doctor"],
  here: "it looks at this machine",
  summary: "Checks configuration, key, database, nodes, clock and webhooks, and says what to do; " +
    "exit code 1 if a check fails, and 0 with mere warnings",
  flags: {},
  examples: ["doctor", "doctor --json"],
  run: async (context) => {
    const { host } = context;
    const checks = await showStages(context.tally(), (stages) => {
      stages.next("Checking");
      return host.diagnose();
    });
    const ok = checks.every(({ state }) => state !== "failed");
    if (!ok) context.exitWith(1);
    context.answer({ ok, checks }, (screen) => doctorText(checks, screen));
  },
});

export function doctorText(checks: readonly Finding[], screen: Screen): string {
  const width = Math.max(...checks.map(({ check }) => check.length)) + GAP;
  const indent = STATE_WIDTH + width;
  const room = (screen.columns ?? Infinity) - indent;
  return checks.map(({ check, state, message, advice }) => {
    const lines = [
      ...wrapped(oneLine(message), room),
      ...advice === null ? [] : wrapped(oneLine(`-> ${advice}`), room),
    ];
    const head = paint(padded(STATES[state], STATE_WIDTH), COLOURS[state], screen);
    return `${head}${padded(check, width)}${lines.join(`\n${" ".repeat(indent)}`)}\n`;
  }).join("");
}
