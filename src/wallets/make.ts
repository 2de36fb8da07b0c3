import { Addresses, type AddressRow } from "./tables/addresses.ts";
import { read } from "../store/engine/workspace.ts";
import {
  type AddressPlan,
  deriveFreshAddress,
  insertAddress,
  keysShowOwners,
} from "./addresses.ts";
import { alertRead, insertAlert, logAlert } from "../books/alerts.ts";
import { haltAlert, MADE_AGAIN } from "./halt.ts";
import { recordAudit } from "../books/records.ts";
import type { Actor, Deps } from "../deps/deps.ts";

/**
 * Creates a hot wallet or the gas wallet. If its owner is older than a restore, it may have existed
 * since the backup: the seed derives the same key, which may already have paid what is requested
 * again. Accounts created after the restore have new numbers, and so new keys where paths contain
 * those.
 */
export async function makeWallet(
  deps: Deps,
  { actor, ...plan }: AddressPlan & { readonly actor: Actor },
): Promise<AddressRow> {
  const { network: { code }, accountId, purpose } = plan;
  const fresh = await deriveFreshAddress(deps, plan);
  const { address } = fresh;
  const { numberedFrom } = await deps.catalog.current();
  const isSure = numberedFrom === 0 ||
    keysShowOwners(plan.network) && (accountId ?? 0) >= numberedFrom;
  const alert = isSure ? undefined : haltAlert({ network: code, address }, MADE_AGAIN);
  const row = await deps.db.write({
    reads: [
      read(Addresses, [code, address], "address"),
      ...(alert ? [alertRead(alert.kind, address)] : []),
    ],
    decide: (view) => {
      const nowMs = deps.clock.nowMs();
      const detail = { network: code, purpose, accountId };
      const subject = `address:${address}`;
      recordAudit(view, { actor, action: "wallet.created", subject, detail, nowMs });
      if (alert) insertAlert(view, { ...alert, nowMs });
      return insertAddress(view, {
        ...plan,
        ...fresh,
        halt: isSure ? null : MADE_AGAIN,
        nowMs,
      });
    },
  });
  if (alert) logAlert(deps, alert);
  return row;
}
