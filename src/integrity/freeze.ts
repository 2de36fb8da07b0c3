import { first } from "../base/lists.ts";
import { assetOf } from "../domain/money/amount.ts";
import type { Difference } from "../reconcile/rules/difference.ts";
import { type BalanceKey, type FreezeRow, Freezes } from "../books/table.ts";
import { read } from "../store/engine/workspace.ts";
import { alertRead, insertAlert, logAlert, type NewAlert } from "../books/alerts.ts";
import type { Deps } from "../deps/deps.ts";

export function booksDiffer(asset: BalanceKey): Pick<NewAlert, "kind" | "subject"> {
  return { kind: "books_differ", subject: `account:${asset.accountId} ${assetOf(asset)}` };
}

/** Pauses payouts of everything uncertain and alerts the operator. */
export async function freezeWhatDiffers(
  deps: Deps,
  differences: readonly Difference[],
): Promise<void> {
  const byAsset = Map.groupBy(differences, (one) => booksDiffer(one).subject);
  for (const group of byAsset.values()) await freeze(deps, group);
}

async function freeze(deps: Deps, differences: readonly Difference[]): Promise<void> {
  const { accountId, network, currency } = first(differences);
  const asset = { accountId, network, currency };
  const key = [accountId, network, currency];
  const reason = reasonOf(differences);
  const message = `Withdrawals of ${assetOf(asset)} are paused for account ${accountId}: ${reason}`;
  const alert = { ...booksDiffer(asset), message };
  const nowMs = deps.clock.nowMs();
  const isNew = await deps.db.write({
    reads: [read(Freezes, key), alertRead(alert.kind, alert.subject)],
    decide: (view) => {
      if (!view.find(Freezes, key)) {
        view.insertKeyed(Freezes, { ...asset, code: "books_differ", reason, createdAtMs: nowMs });
      }
      return insertAlert(view, { ...alert, nowMs });
    },
  });
  if (isNew) logAlert(deps, alert);
}

/** It stays paused, now because of these differences. */
export async function keepFrozen(
  deps: Deps,
  differences: readonly Difference[],
): Promise<FreezeRow | undefined> {
  const { accountId, network, currency } = first(differences);
  const key = [accountId, network, currency];
  const reason = reasonOf(differences);
  return await deps.db.write({
    reads: [read(Freezes, key)],
    decide: (view) => {
      const row = view.find(Freezes, key);
      return row && view.update(Freezes, row, { code: "books_differ", reason });
    },
  });
}

function reasonOf(differences: readonly Difference[]): string {
  const { detail, expected, found } = first(differences);
  const others = differences.length - 1;
  const more = others === 0 ? "" : `, and ${others} more`;
  return `${detail} (expected ${expected}, found ${found})${more}`;
}
