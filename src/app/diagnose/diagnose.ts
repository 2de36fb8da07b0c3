import { deadlineIn } from "../../base/waiting/deadline.ts";
import { messageOf } from "../../store/connection/connect.ts";
import type { Finding } from "../../operations/host.ts";
import type { Env } from "../config/variables.ts";
import { checkConfiguration } from "./configuration.ts";
import { checkDatabase, type OpenedDatabase } from "./database.ts";
import { checkKeyFile } from "./key_file.ts";
import { checkNodes } from "./nodes.ts";
import { checkUse } from "./use.ts";

const CHECK_MS = 20_000;

/** Each check stands alone, so that one that fails, or hangs, doesn't hide the others. */
export async function diagnose(env: Env): Promise<Finding[]> {
  const { config, wrong, findings } = checkConfiguration(env);
  const isKeyWrong = wrong.includes("CPG_MASTER_KEY");
  const keyFile = isKeyWrong ? [] : await checked("key file", () => checkKeyFile(config));
  if (wrong.includes("CPG_DATABASE_URL") || wrong.includes("CPG_DATABASE_TOKEN")) {
    return [...findings, ...keyFile];
  }
  let opened: OpenedDatabase | undefined;
  try {
    const database = await checked("database", async () => {
      const found = await checkDatabase(config, { isKeyKnown: !isKeyWrong });
      opened = found.opened;
      return found.findings;
    });
    const { db } = opened ?? {};
    const rest = db === undefined ? [] : await Promise.all([
      checked("nodes", () => checkNodes(db)),
      checked("use", () => checkUse(db)),
    ]);
    return [...findings, ...keyFile, ...database, ...rest.flat()];
  } finally {
    await opened?.db.close();
  }
}

async function checked(check: string, work: () => Promise<Finding[]>): Promise<Finding[]> {
  const deadline = deadlineIn(CHECK_MS);
  try {
    return await deadline.race(work());
  } catch (error) {
    return [{ check, state: "failed", message: messageOf(error), advice: null }];
  } finally {
    deadline.cancel();
  }
}
