import { importSeed, showSeed } from "../../upkeep/open_key_ring.ts";
import { OperatorError } from "../../domain/refusal.ts";
import { isEmbedded } from "../../store/connection/connect.ts";
import { servingInstances } from "../../upkeep/membership.ts";
import { command, type Context } from "../../operations/command.ts";
import { optional } from "../../operations/operation.ts";
import * as kind from "../../domain/kinds.ts";

const yes = optional(kind.present, {
  help: "don't ask for confirmation (for scripts)",
  example: "",
});

export const SEED_COMMANDS = [
  command({
    words: ["seed", "show"],
    here: "it shows a secret",
    summary: "Shows the wallet's recovery phrase, from which every address can be derived",
    flags: { yes },
    examples: ["seed show"],
    run: async (context, { flags }) => {
      await context.gateway();
      const warning =
        "Anyone who reads the recovery phrase can take all the money of all accounts.";
      if (!flags.yes) await context.confirm({ word: "show", warning });
      return { recovery_phrase: await showSeed(await context.deps(), { actor: context.actor }) };
    },
  }),
  command({
    words: ["seed", "import"],
    here: "it takes a secret",
    summary: "Imports a recovery phrase from standard input, before the first address is derived",
    flags: { yes },
    examples: ["seed import", "seed import --yes < phrase.txt"],
    run: async (context, { flags }) => {
      // Fails if there is no database, before a lock file is created beside it.
      await context.gateway();
      const warning = "This replaces the recovery phrase. No server may run on this database.";
      if (!flags.yes) await context.confirm({ word: "import", warning });
      return await withoutServer(context, async () => {
        if (context.host.isTerminal) context.host.writeError("Recovery phrase: ");
        const phrase = await context.host.readLine() ?? "";
        await importSeed(await context.deps(), { text: phrase, actor: context.actor });
        return { imported: true };
      });
    },
  }),
];

/** A running server would keep deriving addresses from the seed it has opened. */
async function withoutServer<T>(context: Context, work: () => Promise<T>): Promise<T> {
  const url = context.host.databaseUrl();
  if (!isEmbedded(url)) {
    if ((await servingInstances(await context.deps())).length === 0) return await work();
    throw new OperatorError(
      "Another gateway is already serving this database, or was a moment ago: stop it first",
    );
  }
  const { takeServeLock } = await import("../../store/connection/serve_lock.ts");
  const lock = await takeServeLock(url);
  try {
    return await work();
  } finally {
    lock.release();
  }
}
