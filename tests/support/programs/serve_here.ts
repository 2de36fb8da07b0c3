import { readConfig } from "../../../src/app/config/config.ts";
import { serve } from "../../../src/app/serve.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { createLog } from "../../../src/base/log.ts";

interface ServedHere {
  readonly url: string;
  /** Also when it has stopped. */
  readonly logged: () => string;
  stop(): Promise<void>;
}

/** As the program would, in this process: after a kill, loading another one costs most of a test. */
export async function serveHere(env: Record<string, string>): Promise<ServedHere> {
  const lines: string[] = [];
  const config = readConfig({ CPG_PORT: "0", CPG_LOG_LEVEL: "warn", ...env });
  const write = (line: () => string) => void lines.push(line());
  const log = createLog({ level: config.logLevel, clock: systemClock, write });
  const serving = await serve({ ...config, log });
  return { url: serving.url, logged: () => lines.join(""), stop: () => serving.stop() };
}
