import { receiverOf } from "../accounts/receiver.ts";
import { ReceivingWallets } from "../accounts/tables/accounts.ts";
import { present } from "../base/assert.ts";
import { alertRead, closeAlert, type NewAlert } from "../books/alerts.ts";
import { eachGenuine } from "../books/tampered.ts";
import type { Deps } from "../deps/deps.ts";
import type { NetworkRow } from "../networks/table.ts";
import { read } from "../store/engine/workspace.ts";
import { Sweeps } from "../sweeps/table.ts";
import { unsettledPayments } from "../transfers/reads/transfers.ts";
import { type SignedPaymentRow, SignedPayments, SignedTransactions } from "../transfers/table.ts";
import { loadOwners } from "./_owners.ts";
import { settleOwner } from "./_settle_owners.ts";

/**
 * Owners whose batch was settled without them. Perhaps their rows are genuine now, or their account
 * has the receiving wallet that was paid.
 */
export async function settleUnsettled(deps: Deps, network: NetworkRow): Promise<void> {
  const payments = await unsettledPayments(deps.db, network.code);
  await eachGenuine(payments, (payment) => settleLate(deps, { network, payment }));
}

/** It closes once the account's receiving wallet is the one that was paid. */
export function sweptElsewhere(
  { network, txHash, fromAddress }: { network: string; txHash: string; fromAddress: string },
): Pick<NewAlert, "kind" | "subject"> {
  return { kind: "swept_elsewhere", subject: `${network} ${txHash} ${fromAddress}` };
}

async function settleLate(
  deps: Deps,
  { network, payment }: { network: NetworkRow; payment: SignedPaymentRow },
): Promise<void> {
  const { id, signedId, fromAddress } = payment;
  const tx = await deps.db.get(SignedTransactions, [signedId]);
  const owners = await loadOwners(deps, { network, bids: [{ tx, payments: [payment] }] });
  const sweep = await deps.db.get(Sweeps, [present(payment.sweepId, "Only sweeps are late")]);
  const walletKey = [sweep.accountId, network.code];
  const elsewhere = sweptElsewhere({ network: network.code, txHash: tx.txHash, fromAddress });
  const nowMs = deps.clock.nowMs();
  await deps.db.write({
    reads: [
      read(SignedTransactions, [signedId]),
      read(ReceivingWallets, walletKey),
      alertRead(elsewhere.kind, elsewhere.subject),
      ...owners.reads,
    ],
    decide: (view) => {
      const tx = view.get(SignedTransactions, [signedId]);
      const current = view.get(SignedPayments, [id]);
      // If a reorganisation has opened it again, it isn't mined for good.
      if (tx.state === "open" || current.unsettled === null) return;
      if (current.unsettled === "other_wallet") {
        const wallet = view.find(ReceivingWallets, walletKey);
        if (!wallet || receiverOf(network, wallet.address).sweptTo !== current.toAddress) return;
      }
      const payment = view.update(SignedPayments, current, { unsettled: null });
      const winner = { tx, payments: [payment] };
      const isMined = tx.state === "settled";
      settleOwner(view, { network, tx, payment, winner, isMined, owners, nowMs });
      closeAlert(view, { ...elsewhere, nowMs });
    },
  });
}
