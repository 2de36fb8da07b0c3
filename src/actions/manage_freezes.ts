import { assetOf } from "../domain/amount.ts";
import { OperatorError } from "../domain/refusal.ts";
import type { FreezeRow } from "../store/rows.ts";
import { Freezes } from "../store/tables.ts";
import { read } from "../store/workspace.ts";
import { alertRead, closeAlert } from "./_alerts.ts";
import { booksDiffer } from "./_freeze.ts";
import { recordAudit } from "./_records.ts";
import type { Actor, Deps } from "./deps.ts";
import { findAccount } from "./manage_accounts.ts";
import { findCurrency } from "./manage_networks.ts";

export interface UnfreezeOrder {
  readonly accountId: number;
  readonly network: string;
  readonly currency: string;
  readonly actor: Actor;
}

/** An operator has looked. What still differs is found again, and freezes again. */
export async function unfreeze(deps: Deps, order: UnfreezeOrder): Promise<FreezeRow> {
  const { accountId, actor } = order;
  await findAccount(deps, accountId);
  const { network, symbol: currency } = await findCurrency(deps, {
    network: order.network,
    symbol: order.currency,
  });
  const asset = { accountId, network, currency };
  const alert = booksDiffer(asset);
  const key = [accountId, network, currency];
  const nowMs = deps.clock.nowMs();
  const row = await deps.db.write({
    reads: [read(Freezes, key), alertRead(alert.kind, alert.subject)],
    decide: (view) => {
      const freeze = view.find(Freezes, key);
      if (!freeze) return undefined;
      view.remove(Freezes, freeze);
      closeAlert(view, { ...alert, nowMs });
      const detail = { network, currency, reason: freeze.reason };
      const subject = `account:${accountId}`;
      recordAudit(view, { actor, action: "account.unfrozen", subject, detail, nowMs });
      return freeze;
    },
  });
  if (!row) {
    throw new OperatorError(
      `Withdrawals of ${assetOf(asset)} are not paused for account ${accountId}`,
    );
  }
  return row;
}
