import { reportStatus } from "../../upkeep/report_status.ts";
import { operation } from "../../operations/operation.ts";
import { problemsOf } from "./problems.ts";
import { statusShape, statusText } from "./status_shape.ts";

const NODE_MS = 5_000;

export const STATUS_COMMAND = operation({
  words: ["status"],
  reads: "see_gateway",
  summary: "Shows whether everything is all right; exit code 1 if payments or credits are impaired",
  flags: {},
  examples: ["status", "status --json"],
  run: async (context) => {
    const databaseUrl = context.databaseUrl();
    const status = await reportStatus(await context.deps(), { waitMs: NODE_MS, databaseUrl });
    const problems = problemsOf(status);
    if (problems.length > 0) context.exitWith(1);
    const shape = statusShape(status, problems);
    context.answer(shape, (screen) => statusText(shape, screen));
  },
});
