import { last } from "../base/lists.ts";
import type { Log } from "../base/log.ts";
import type { HaltCode } from "../domain/reason_codes.ts";
import type { Db } from "../store/engine/db.ts";
import { readAll } from "../store/engine/workspace.ts";
import { uncodedHalts } from "../wallets/reads/addresses.ts";
import { Addresses } from "../wallets/tables/addresses.ts";

const PAGE = 250;
const RESTORED = "The database was restored from a backup";
const MADE_AGAIN = "for blocks were read without this wallet";

/**
 * Wallets halted by an older version get the code of their reason. The code is sealed with the row, so
 * no statement of a migration can write it. A tampered row gets none: nothing is decided by it.
 */
export async function codeOldHalts({ db, log }: { db: Db; log: Log }): Promise<void> {
  let coded = 0;
  let left = 0;
  for (let afterId = 0;;) {
    const page = await uncodedHalts(db, { afterId, limit: PAGE });
    if (page.length === 0) break;
    afterId = last(page).id;
    const keys = page.map(({ id }) => [id]);
    const done = await db.write({
      reads: readAll(Addresses, keys),
      decide: (view) =>
        keys.filter((key) => {
          const row = view.raw.get(Addresses, key);
          const { haltedReason, haltedCode } = row;
          if (haltedReason === null || haltedCode !== null) return true;
          if (!view.isGenuine(Addresses, row)) return false;
          view.update(Addresses, row, { haltedCode: codeOf(haltedReason) });
          return true;
        }).length,
    });
    coded += done;
    left += page.length - done;
  }
  if (coded + left > 0) log.warn("halted wallets have codes now", { coded, tampered: left });
}

function codeOf(reason: string): HaltCode {
  if (!reason.startsWith(RESTORED)) return "used_elsewhere";
  return reason.includes(MADE_AGAIN) ? "made_again" : "restored";
}
