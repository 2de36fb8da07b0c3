import { assetOf } from "../domain/money/amount.ts";
import { type ActionRefused, refuse } from "../domain/refusals/refuse.ts";
import { openTampered } from "../alerts/reads.ts";
import { type BalanceKey, type FreezeRow, Freezes } from "../books/table.ts";
import { read } from "../store/engine/workspace.ts";
import { alertRead, closeAlert } from "../books/alerts.ts";
import { booksDiffer, keepFrozen } from "../integrity/freeze.ts";
import { accountFailing } from "../integrity/pause_failing.ts";
import { recordAudit } from "../books/records.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { findAccount } from "../books/find.ts";
import { findCurrency } from "../books/find.ts";
import { lookAgain, type Reconciled } from "./reconcile.ts";

interface UnfreezeOrder {
  readonly accountId: number;
  readonly network: string;
  readonly currency: string;
  readonly actor: Actor;
}

interface Unfrozen {
  /** As it still is, or was until now. */
  readonly freeze: FreezeRow;
  /** False: something still differs. */
  readonly isLifted: boolean;
  /** What was found now. */
  readonly found: Reconciled;
}

/**
 * Checks books and chain once more before lifting the pause: what still differs stays paused. A
 * chain that doesn't answer is no reason to stay paused.
 */
export async function unfreeze(deps: Deps, order: UnfreezeOrder): Promise<Unfrozen> {
  const { accountId } = order;
  await findAccount(deps, accountId);
  const place = { network: order.network, symbol: order.currency };
  const { network, symbol: currency } = await findCurrency(deps, place);
  const asset = { accountId, network, currency };
  await mustBeFrozen(deps, asset);
  if ((await openTampered(deps.db, accountId)).length > 0) {
    throw refuse("rows_tampered", { accountId });
  }
  const found = await lookAgain(deps, asset);
  const isLifted = found.differences.length === 0;
  const freeze = isLifted
    ? await lift(deps, { asset, actor: order.actor })
    : await keepFrozen(deps, found.differences);
  if (!freeze) throw notFrozen(asset);
  return { freeze, isLifted, found };
}

async function mustBeFrozen(deps: Deps, asset: BalanceKey): Promise<void> {
  if (!await deps.db.find(Freezes, keyOf(asset))) throw notFrozen(asset);
}

async function lift(
  deps: Deps,
  { asset, actor }: { asset: BalanceKey; actor: Actor },
): Promise<FreezeRow | undefined> {
  const alerts = [booksDiffer(asset), accountFailing(asset)];
  const nowMs = deps.clock.nowMs();
  return await deps.db.write({
    reads: [
      read(Freezes, keyOf(asset)),
      ...alerts.map(({ kind, subject }) => alertRead(kind, subject)),
    ],
    decide: (view) => {
      const freeze = view.find(Freezes, keyOf(asset));
      if (!freeze) return undefined;
      view.remove(Freezes, freeze);
      for (const alert of alerts) closeAlert(view, { ...alert, nowMs });
      const { network, currency } = asset;
      const detail = { network, currency, before: { pausedFor: freeze.reason }, after: null };
      const subject = `account:${asset.accountId}`;
      recordAudit(view, { actor, action: "account.unfrozen", subject, detail, nowMs });
      return freeze;
    },
  });
}

function keyOf({ accountId, network, currency }: BalanceKey) {
  return [accountId, network, currency];
}

function notFrozen(key: BalanceKey): ActionRefused {
  return refuse("not_frozen", { accountId: key.accountId, asset: assetOf(key) });
}
