import { alertRead, closeAlert } from "../books/alerts.ts";
import { cursorOf } from "../books/find.ts";
import { recordAudit } from "../books/records.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { NetworkCursors } from "../following/table.ts";
import type { NetworkRow } from "../networks/table.ts";
import { read } from "../store/engine/workspace.ts";
import { foreignFrom } from "../transfers/reads/places.ts";
import { Addresses, type AddressRow } from "../wallets/tables/addresses.ts";
import { haltedFailing } from "../withdrawals/failing.ts";

const TRIES_MAX = 5;

/**
 * A deposit address signs again once all its transactions are explained. Other wallets wait for
 * "wallet resume", because only their operator knows whether all payments are booked.
 */
export async function letSign(
  deps: Deps,
  { network, address, actor }: { network: NetworkRow; address: string; actor: Actor },
): Promise<void> {
  const wallet = await deps.db.find(Addresses, [network.code, address], "address");
  if (wallet?.purpose !== "deposit" || wallet.haltedReason === null) return;
  await endHalt(deps, { network, wallet, nonce: wallet.nonceFloor, isAnyway: false, actor });
}

interface Ending {
  readonly network: NetworkRow;
  readonly wallet: AddressRow;
  /** The chain's next nonce. */
  readonly nonce: number;
  /** Even with unexplained transactions. */
  readonly isAnyway: boolean;
  readonly actor: Actor;
}

/** Undefined: its key has meanwhile sent something that nobody has explained. */
export async function endHalt(
  deps: Deps,
  { network, wallet, nonce, isAnyway, actor }: Ending,
): Promise<AddressRow | undefined> {
  const { address, nonceFloor: fromPlace } = wallet;
  const alerts = [
    { kind: "wallet_halted", subject: address } as const,
    ...wallet.purpose === "deposit" ? [] : [haltedFailing(wallet)],
  ];
  for (let tries = 1; tries <= TRIES_MAX; tries++) {
    const { scanHeight } = await cursorOf(deps, network);
    const order = { network: network.code, sender: address, fromPlace };
    if (!isAnyway && (await foreignFrom(deps.db, order)).length > 0) return undefined;
    const ended = await deps.db.write({
      reads: [
        read(NetworkCursors, [network.code]),
        read(Addresses, [wallet.id]),
        ...alerts.map(({ kind, subject }) => alertRead(kind, subject)),
      ],
      decide: (view) => {
        // Blocks read meanwhile may contain another unexplained transaction.
        if (view.get(NetworkCursors, [network.code]).scanHeight !== scanHeight) return undefined;
        const row = view.get(Addresses, [wallet.id]);
        if (row.haltedReason === null) return row;
        const nowMs = deps.clock.nowMs();
        for (const alert of alerts) closeAlert(view, { ...alert, nowMs });
        const { haltedReason } = row;
        const detail = { before: { haltedReason }, after: { haltedReason: null }, nonce };
        const subject = `address:${address}`;
        recordAudit(view, { actor, action: "wallet.resumed", subject, detail, nowMs });
        const nonceFloor = Math.max(row.nonceFloor, nonce);
        return view.update(Addresses, row, { haltedReason: null, haltedCode: null, nonceFloor });
      },
    });
    if (ended) return ended;
  }
  return undefined;
}
