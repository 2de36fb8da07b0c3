import type { Deps } from "../deps/deps.ts";
import { createLog } from "../base/log.ts";

/** For commands that print themselves what would be logged. */
export function silenced(deps: Deps): Deps {
  return { ...deps, log: createLog({ level: "silent", clock: deps.clock, write: () => {} }) };
}
