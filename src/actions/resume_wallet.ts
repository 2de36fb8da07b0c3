import { OperatorError } from "../domain/refusal.ts";
import type { AddressRow } from "../store/rows.ts";
import { Addresses } from "../store/tables.ts";
import { read } from "../store/workspace.ts";
import { alertRead, closeAlert } from "./_alerts.ts";
import { recordAudit } from "./_records.ts";
import type { Actor, Deps } from "./deps.ts";
import { findNetwork } from "./manage_networks.ts";

/** An operator has found out who used a wallet's key: it goes on where the chain's count of it stands. */
export async function resumeWallet(
  deps: Deps,
  { actor, ...order }: { network: string; address: string; actor: Actor },
): Promise<AddressRow> {
  const network = await findNetwork(deps, order.network);
  const wallet = await deps.db.find(Addresses, [network.code, order.address], "address");
  if (!wallet) {
    throw new OperatorError(`${order.address} is no address of this gateway on ${network.code}`);
  }
  const { nonce } = await deps.chains.of(network).walletState(wallet.address, []);
  return await deps.db.write({
    reads: [read(Addresses, [wallet.id]), alertRead("wallet_halted", wallet.address)],
    decide: (view) => {
      const row = view.find(Addresses, [wallet.id])!;
      if (row.haltedReason === null) throw new OperatorError(`${wallet.address} is not halted`);
      const nowMs = deps.clock.nowMs();
      closeAlert(view, { kind: "wallet_halted", subject: wallet.address, nowMs });
      recordAudit(view, {
        actor,
        action: "wallet.resumed",
        subject: `address:${wallet.address}`,
        detail: { reason: row.haltedReason, nonce },
        nowMs,
      });
      return view.update(Addresses, row, {
        haltedReason: null,
        nonceFloor: Math.max(row.nonceFloor, nonce),
      });
    },
  });
}
