import { settingSet, settingsOf } from "../require_second_factor.ts";
import * as kind from "../../domain/kinds.ts";
import type { SettingsRow } from "../tables/users.ts";
import { operation, optional, UsageError } from "../../operations/operation.ts";
import { given } from "../../operations/given.ts";
import { changeOrPropose, DUAL_CONTROL } from "../../operations/propose.ts";

export const SETTING_COMMANDS = [
  operation({
    words: ["setting", "set"],
    changes: "operate",
    summary: "Changes what counts for the whole installation",
    flags: {
      "require-second-factor": optional(kind.onOff, {
        help: "operators, approvers and auditors without one must set it up before anything else",
        example: "on",
      }),
      "dual-control": optional(kind.onOff, {
        help: `whether a second person must approve ${DUAL_CONTROL}, of what isn't one account's`,
        example: "on",
      }),
    },
    examples: ["setting set --require-second-factor on"],
    run: async (context, { flags }) => {
      const change = given({
        requiresSecondFactor: flags["require-second-factor"],
        dualControl: flags["dual-control"],
      });
      if (Object.keys(change).length === 0) throw new UsageError("setting set: nothing to change");
      const wanted = { change };
      return await changeOrPropose(context, settingSet, { wanted, shape: settingsShape });
    },
  }),
  operation({
    words: ["setting", "show"],
    reads: "see_gateway",
    summary: "Shows what counts for the whole installation",
    flags: {},
    examples: ["setting show"],
    run: async (context) => settingsShape(await settingsOf(await context.deps())),
  }),
];

function settingsShape({ requiresSecondFactor, dualControl }: SettingsRow) {
  return { require_second_factor: requiresSecondFactor, dual_control: dualControl === true };
}
