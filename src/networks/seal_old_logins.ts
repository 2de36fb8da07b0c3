import type { Log } from "../base/log.ts";
import type { Db } from "../store/engine/db.ts";
import { read } from "../store/engine/workspace.ts";
import { hasLogins } from "./logins.ts";
import type { NodeUrls } from "./node_urls.ts";
import { type NetworkRow, Networks } from "./table.ts";

/**
 * Earlier versions stored names and passwords of nodes in clear, and a migration has no key to seal
 * them with. If interrupted, the next start goes on. A tampered row is left as it is.
 */
export async function sealOldLogins(
  { db, nodeUrls, log }: { db: Db; nodeUrls: NodeUrls; log: Log },
): Promise<void> {
  const networks = await db.rows(Networks, "");
  for (const network of networks) {
    if (!hasLogins(network) || !db.isGenuine(Networks, network)) continue;
    const { code } = network;
    const sealed = await nodeUrls.sealed(code, network);
    const isSealed = await db.write({
      reads: [read(Networks, [code])],
      decide: (view) => {
        const row = view.find(Networks, [code]);
        if (!row || !hasSameUrls(row, network)) return false;
        view.update(Networks, row, sealed);
        return true;
      },
    });
    if (isSealed) {
      log.warn(
        "names and passwords of nodes are sealed now: older backups have them in clear",
        { network: code },
      );
    }
  }
}

/** Another program may have sealed or changed them meanwhile. */
function hasSameUrls(row: NetworkRow, { rpcUrls, wsUrls }: NetworkRow): boolean {
  return JSON.stringify([row.rpcUrls, row.wsUrls]) === JSON.stringify([rpcUrls, wsUrls]);
}
