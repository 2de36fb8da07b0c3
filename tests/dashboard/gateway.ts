import type { Deps } from "../../src/deps/deps.ts";
import { createLog } from "../../src/base/log.ts";
import { openGateway } from "../../src/app/gateway.ts";
import { testConfig } from "../support/gateway.ts";
import { makeFilePlace } from "../support/database/database.ts";

interface StillGateway extends AsyncDisposable {
  readonly deps: Deps;
  /** Moves the gateway's clock, which otherwise stands still. */
  moveMs(ms: number): void;
}

/** A gateway without a server, with its own clock. */
export async function openStillGateway(): Promise<StillGateway> {
  const place = await makeFilePlace({ isMigrated: true });
  let nowMs = 1_767_225_600_000;
  const clock = { nowMs: () => nowMs };
  const config = testConfig(place.env);
  const log = createLog({ level: "silent", clock, write: () => {} });
  const gateway = await openGateway(config, { clock, log });
  return {
    deps: gateway.deps,
    moveMs: (ms) => void (nowMs += ms),
    [Symbol.asyncDispose]: async () => {
      await gateway.close();
      await place.remove();
    },
  };
}
