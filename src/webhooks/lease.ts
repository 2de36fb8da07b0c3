import { type WebhookEndpointRow, WebhookEndpoints } from "./tables/webhooks.ts";
import { readAll } from "../store/engine/workspace.ts";
import { reportTampered } from "../books/tampered.ts";
import { tampered } from "../store/engine/tampered_row.ts";
import type { Deps } from "../deps/deps.ts";

/** Longer than any attempt, so that nobody sends while another attempt is running. */
export const LEASE_MS = 20_000;

/**
 * Only the holder of an endpoint's lease sends to it. Taking it again renews it; a lease that
 * expired, or whose server can't be running any more, is taken over.
 */
export async function leaseEndpoints(
  deps: Deps,
  { ids, owner }: { ids: readonly number[]; owner: string },
): Promise<WebhookEndpointRow[]> {
  const { leased, forged } = await deps.db.write({
    reads: readAll(WebhookEndpoints, ids.map((id) => [id])),
    decide: (view) => {
      const nowMs = deps.clock.nowMs();
      const rows = ids.map((id) => view.raw.find(WebhookEndpoints, [id]))
        .filter((row) => row !== undefined);
      const isOurs = (row: WebhookEndpointRow) => view.isGenuine(WebhookEndpoints, row);
      const lease = { leaseOwner: owner, leaseUntilMs: nowMs + LEASE_MS };
      const leased = rows.filter((row) => isOurs(row) && isFree(deps, { row, owner, nowMs }))
        .map((row) => view.update(WebhookEndpoints, row, lease));
      return { leased, forged: rows.filter((row) => !isOurs(row)) };
    },
  });
  for (const row of forged) await reportTampered(deps, tampered(WebhookEndpoints, row));
  return leased;
}

function isFree(
  { exclusiveSinceMs }: Deps,
  { row, owner, nowMs }: { row: WebhookEndpointRow; owner: string; nowMs: number },
): boolean {
  const { disabledAtMs, leaseOwner, leaseUntilMs } = row;
  if (disabledAtMs !== null) return false;
  if (leaseOwner === null || leaseOwner === owner || exclusiveSinceMs !== null) return true;
  return leaseUntilMs <= nowMs || leaseUntilMs > nowMs + LEASE_MS;
}

export async function releaseEndpoints(
  { db }: Deps,
  { ids, owner }: { ids: readonly number[]; owner: string },
): Promise<void> {
  await db.write({
    reads: readAll(WebhookEndpoints, ids.map((id) => [id])),
    decide: (view) => {
      for (const id of ids) {
        const row = view.raw.find(WebhookEndpoints, [id]);
        if (row?.leaseOwner !== owner) continue;
        view.update(WebhookEndpoints, row, { leaseOwner: null, leaseUntilMs: 0 });
      }
    },
  });
}
