import { findStop, resumeSigning, stopSigning } from "../manage_stop.ts";
import * as kind from "../../domain/kinds.ts";
import { operation, optional } from "../../operations/operation.ts";
import { silenced } from "../../operations/silenced.ts";
import { isoUtcOrNull } from "../../domain/time.ts";
import type { StopRow } from "../table.ts";

export const STOP = operation({
  words: ["stop"],
  changes: "stop",
  summary: 'Emergency stop: no payout, sweep or gas top-up is signed until "resume"',
  flags: {
    reason: optional(kind.text({ max: 500 }), {
      help: "for other operators; merchants don't see it",
      hint: "For other operators; merchants don't see it",
      example: '"a key may have leaked"',
    }),
  },
  examples: ["stop", 'stop --reason "a key may have leaked"'],
  run: async (context, { flags: { reason = null } }) => {
    // What its alert would say in the log is the command's answer.
    const deps = await context.deps();
    const quiet = context.caller ? deps : silenced(deps);
    return stopShape(await stopSigning(quiet, { reason, actor: context.actor }));
  },
});

export const RESUME = operation({
  words: ["resume"],
  changes: "operate",
  summary: "Ends the emergency stop and pays the withdrawals that waited",
  flags: {},
  examples: ["resume"],
  run: async (context) => {
    const deps = await context.deps();
    await resumeSigning(deps, { actor: context.actor });
    return stopShape(await findStop(deps.db));
  },
});

export const STOP_COMMANDS = [STOP, RESUME];

function stopShape(row: StopRow | undefined) {
  return {
    stopped: row !== undefined,
    reason: row?.reason ?? null,
    stopped_at: isoUtcOrNull(row?.stoppedAtMs ?? null),
  };
}
