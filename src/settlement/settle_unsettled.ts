import { eachGenuine } from "../books/tampered.ts";
import type { Deps } from "../deps/deps.ts";
import type { NetworkRow } from "../networks/table.ts";
import { read } from "../store/engine/workspace.ts";
import { unsettledPayments } from "../transfers/reads/transfers.ts";
import { type SignedPaymentRow, SignedPayments, SignedTransactions } from "../transfers/table.ts";
import { loadOwners } from "./_owners.ts";
import { settleOwner } from "./_settle_owners.ts";

/** Owners whose batch was settled without them: their rows weren't genuine. Perhaps they are now. */
export async function settleUnsettled(deps: Deps, network: NetworkRow): Promise<void> {
  const payments = await unsettledPayments(deps.db, network.code);
  await eachGenuine(payments, (payment) => settleLate(deps, { network, payment }));
}

async function settleLate(
  deps: Deps,
  { network, payment: { id, signedId } }: { network: NetworkRow; payment: SignedPaymentRow },
): Promise<void> {
  const [tx, payment] = await Promise.all([
    deps.db.get(SignedTransactions, [signedId]),
    deps.db.get(SignedPayments, [id]),
  ]);
  const owners = await loadOwners(deps, { network, bids: [{ tx, payments: [payment] }] });
  const nowMs = deps.clock.nowMs();
  await deps.db.write({
    reads: [read(SignedTransactions, [signedId]), ...owners.reads],
    decide: (view) => {
      const tx = view.get(SignedTransactions, [signedId]);
      const current = view.get(SignedPayments, [id]);
      // If a reorganisation has opened it again, it is settled with all others.
      if (tx.state === "open" || current.unsettled === null) return;
      const payment = view.update(SignedPayments, current, { unsettled: null });
      const winner = { tx, payments: [payment] };
      const isMined = tx.state === "settled";
      settleOwner(view, { network, tx, payment, winner, isMined, owners, nowMs });
    },
  });
}
