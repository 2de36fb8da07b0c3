import { NetworkCursors } from "../store/chain_tables.ts";
import type { NetworkRow } from "../store/rows.ts";
import { Addresses } from "../store/tables.ts";
import { foreignSpendsOf } from "../store/transfer_reads.ts";
import { read } from "../store/workspace.ts";
import { alertRead, closeAlert } from "./_alerts.ts";
import { recordAudit } from "./_records.ts";
import type { Actor, Deps } from "./deps.ts";
import { cursorOf } from "./follow_network.ts";

const TRIES_MAX = 5;

/**
 * A deposit address whose every spend is explained signs again. Other wallets wait for "wallet resume":
 * only their operator knows whether all that was paid is booked.
 */
export async function letSign(
  deps: Deps,
  { network, address, actor }: { network: NetworkRow; address: string; actor: Actor },
): Promise<void> {
  const wallet = await deps.db.find(Addresses, [network.code, address], "address");
  if (wallet?.purpose !== "deposit" || wallet.haltedReason === null) return;
  for (let tries = 1; tries <= TRIES_MAX; tries++) {
    const { scanHeight } = await cursorOf(deps, network);
    const { nonceFloor } = wallet;
    const foreign = { network: network.code, sender: address, fromNonce: nonceFloor };
    if ((await foreignSpendsOf(deps.db, foreign)).length > 0) return;
    const isDone = await deps.db.write({
      reads: [
        read(NetworkCursors, [network.code]),
        read(Addresses, [wallet.id]),
        alertRead("wallet_halted", address),
      ],
      decide: (view) => {
        // What was read meanwhile may have another one.
        if (view.find(NetworkCursors, [network.code])!.scanHeight !== scanHeight) return false;
        const row = view.find(Addresses, [wallet.id])!;
        if (row.haltedReason === null) return true;
        const nowMs = deps.clock.nowMs();
        closeAlert(view, { kind: "wallet_halted", subject: address, nowMs });
        const detail = { reason: row.haltedReason, nonce: row.nonceFloor };
        const subject = `address:${address}`;
        recordAudit(view, { actor, action: "wallet.resumed", subject, detail, nowMs });
        view.update(Addresses, row, { haltedReason: null });
        return true;
      },
    });
    if (isDone) return;
  }
}
