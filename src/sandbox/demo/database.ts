import {
  DEMO_DATABASE_URL,
  DEMO_FOLDER,
  filePathOf,
} from "../../store/connection/database_folder.ts";
import { assertOwn } from "../../store/connection/whose.ts";
import type { CliHost, Env } from "../../operations/host.ts";

/** A database that the operator named is kept; the demo's own starts anew each time. */
export async function freshDatabase(
  { env, checkPorts }: Pick<CliHost, "env" | "checkPorts">,
  { isQuiet }: { isQuiet: boolean },
): Promise<Env> {
  const defaults = {
    CPG_LOG_LEVEL: env.CPG_LOG_LEVEL || (isQuiet ? "silent" : "warn"),
    ...allowPrivateWebhooks(env),
  };
  if (!env.CPG_DATABASE_URL) await mustNotBeServed();
  // Before anything is removed or set up.
  await checkPorts();
  if (env.CPG_DATABASE_URL) return defaults;
  await Deno.remove(DEMO_FOLDER, { recursive: true });
  await Deno.mkdir(DEMO_FOLDER, { recursive: true });
  return { ...defaults, CPG_DATABASE_URL: DEMO_DATABASE_URL };
}

/** Another demo may still be using it. */
async function mustNotBeServed(): Promise<void> {
  assertOwn(filePathOf(DEMO_DATABASE_URL));
  await Deno.mkdir(DEMO_FOLDER, { recursive: true });
  const { takeServeLock } = await import("../../store/connection/serve_lock.ts");
  (await takeServeLock(DEMO_DATABASE_URL)).release();
}

/** The webhook receiver of a demo runs on this machine, and the demo has nothing worth attacking. */
export function allowPrivateWebhooks(env: Env): Env {
  return { CPG_WEBHOOK_ALLOW_PRIVATE: env.CPG_WEBHOOK_ALLOW_PRIVATE || "true" };
}
