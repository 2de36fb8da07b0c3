import { backUp, type OpenAt, restore } from "../../src/restore/back_up.ts";
import { readConfig } from "../../src/app/config/config.ts";
import { openGateway } from "../../src/app/gateway.ts";
import type { Clock } from "../../src/base/clock.ts";
import type { DatabasePlace } from "../../src/store/connection/connect.ts";
import { makePlace, type Place, TEST_MASTER_KEY } from "./database/database.ts";
import type { BareWorld } from "./world.ts";

/** A copy of a world's books at one moment, and the way back to it. */
interface Backup extends AsyncDisposable {
  /** The world continues with the old books on the current chain. */
  bringBack(): Promise<void>;
}

export async function takeBackup(world: BareWorld): Promise<Backup> {
  const folder = await Deno.makeTempDir({ prefix: "cpg-backup-" });
  const file = `${folder}/books.db`;
  await backUp(placeOf(world.place), { file, openAt });
  return {
    bringBack: () =>
      world.restart(async () => {
        const place = await makePlace();
        const times = (restores.get(world) ?? 0) + 1;
        restores.set(world, times);
        const clock = { nowMs: () => Date.now() + times * LATER_MS };
        await restore(file, { to: placeOf(place), openAt: (at) => openAt(at, clock) });
        return place;
      }),
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}

/** Chain time at which bytes signed before the newest restore have expired. */
export async function lastedUntilMs({ deps }: BareWorld): Promise<number> {
  const { numberedFrom } = await deps.catalog.current();
  return Date.UTC(2026, 0, 1) + numberedFrom * 1000 + 600_000;
}

/** Further ahead than the clocks of the tests' rounds. */
const LATER_MS = 6 * 3_600_000;
const restores = new WeakMap<BareWorld, number>();

function openAt({ url, token = "" }: DatabasePlace, clock?: Clock): ReturnType<OpenAt> {
  const config = readConfig({
    CPG_DATABASE_URL: url,
    CPG_DATABASE_TOKEN: token,
    CPG_MASTER_KEY: TEST_MASTER_KEY,
    CPG_LOG_LEVEL: "silent",
  });
  return openGateway(config, clock ? { clock } : {});
}

function placeOf({ env }: Pick<Place, "env">) {
  return { url: env.CPG_DATABASE_URL, token: env.CPG_DATABASE_TOKEN || undefined };
}
