import { finishRotation, rotateMasterKey } from "../rotate_master_key.ts";
import { command } from "../../operations/command.ts";
import { optional } from "../../operations/operation.ts";
import * as kind from "../../domain/kinds.ts";

export const MASTER_KEY_COMMANDS = [
  command({
    words: ["rotate-master-key"],
    here: "it writes a file",
    summary: "Seals every secret with a new master key while servers run; safe to repeat",
    flags: {
      finish: optional(kind.present, {
        help: "once every program has the new key in CPG_MASTER_KEY: makes the old one useless",
        example: "",
      }),
    },
    examples: ["rotate-master-key", "rotate-master-key --finish"],
    run: async (context, { flags }) => {
      const deps = await context.deps();
      if (flags.finish) {
        const { resealed } = await finishRotation(deps, { actor: context.actor });
        return { finished: true, resealed };
      }
      context.host.checkKeyFile();
      context.note(
        "Keep the old key: backups made before now, and other databases that it sealed, open only " +
          "with it. Make a new backup now.",
      );
      const { masterKey, resealed } = await rotateMasterKey(deps, { actor: context.actor });
      const kept = await context.host.keepMasterKey(masterKey);
      if (kept) {
        await finishRotation(deps, { actor: context.actor, hasNewKey: true });
        const { file, oldFile } = kept;
        return { finished: true, resealed, file, ...(oldFile ? { old_key_file: oldFile } : {}) };
      }
      context.note(
        "Set CPG_MASTER_KEY to the new key and restart each program in your own time; " +
          "then run: rotate-master-key --finish.",
      );
      return { finished: false, resealed, master_key: masterKey };
    },
  }),
];
