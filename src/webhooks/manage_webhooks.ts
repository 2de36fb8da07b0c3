import type { Deed } from "../audit/rules/deeds.ts";
import type { EventType } from "./rules/events.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { WebhookEndpoints, webhookSecretContext } from "./tables/webhooks.ts";
import type { WebhookEndpointRow } from "./tables/webhooks.ts";
import { read, type View } from "../store/engine/workspace.ts";
import { newSecret } from "./post/sign.ts";
import { alertRead, closeAlert } from "../books/alerts.ts";
import { recordAudit } from "../books/records.ts";
import { checkUrl } from "./check_url.ts";
import { webhookSubject } from "./signing.ts";
import type { Actor, Deps } from "../deps/deps.ts";

/** How long the previous secret also signs after a rotation. */
const OLD_SECRET_MS = 24 * 3_600_000;

/** Of any account for the operator, only their own for merchants. */
export interface WebhookOrder {
  readonly id: number;
  readonly accountId?: number | undefined;
  readonly actor: Actor;
}

/** Deliveries still waiting are dropped. */
export async function removeWebhook(deps: Deps, order: WebhookOrder): Promise<WebhookEndpointRow> {
  return await changeWebhook(deps, {
    order,
    steps: [{
      action: "webhook.removed",
      change: (view, row) => {
        view.remove(WebhookEndpoints, row);
        return row;
      },
    }],
  });
}

/** The previous secret also signs for another day, so that receivers can switch over. */
export async function rotateWebhookSecret(
  deps: Deps,
  order: WebhookOrder,
): Promise<{ row: WebhookEndpointRow; secret: string }> {
  const { secretName } = await findWebhook(deps, order);
  const secret = newSecret();
  const secretSealed = await deps.vault.seal(secret, webhookSecretContext(secretName));
  const oldSecretUntilMs = deps.clock.nowMs() + OLD_SECRET_MS;
  const row = await changeWebhook(deps, {
    order,
    steps: [{
      action: "webhook.rotated",
      change: (view, row) =>
        view.update(WebhookEndpoints, row, {
          secretSealed,
          oldSecretSealed: row.secretSealed,
          oldSecretUntilMs,
        }),
    }],
  });
  return { row, secret };
}

/** After a 410, or to end a pause at once. Waiting events are sent now. */
export async function enableWebhook(deps: Deps, order: WebhookOrder): Promise<WebhookEndpointRow> {
  return await changeWebhook(deps, { order, steps: [activation(deps, true)] });
}

interface WebhookChange {
  readonly url?: string | undefined;
  readonly eventTypes?: readonly EventType[] | undefined;
  /** Its events wait while it isn't active. */
  readonly isActive?: boolean | undefined;
}

/** What isn't given stays as it is. */
export async function updateWebhook(
  deps: Deps,
  { order, change: { url, eventTypes, isActive } }: {
    order: WebhookOrder;
    change: WebhookChange;
  },
): Promise<WebhookEndpointRow> {
  if (url !== undefined) checkUrl(url);
  const fields = {
    ...url === undefined ? {} : { url },
    ...eventTypes === undefined ? {} : { eventTypes },
  };
  const steps = [
    ...Object.keys(fields).length === 0 ? [] : [changed(fields)],
    ...isActive === undefined ? [] : [activation(deps, isActive)],
  ];
  return await changeWebhook(deps, { order, steps });
}

/** Part of a change, with its row in the audit log. */
interface Step {
  readonly action: Deed;
  change(view: View, row: WebhookEndpointRow): WebhookEndpointRow;
}

function changed(fields: Partial<Pick<WebhookEndpointRow, "url" | "eventTypes">>): Step {
  return {
    action: "webhook.changed",
    change: (view, row) => view.update(WebhookEndpoints, row, fields),
  };
}

/** As after a success. */
export const HEALTHY = {
  failures: 0,
  pausedUntilMs: 0,
  failingSinceMs: null,
  failedEventId: null,
} as const;

function activation({ clock }: Deps, isActive: boolean): Step {
  const next = isActive
    ? { ...HEALTHY, disabledAtMs: null, disabledReason: null }
    : { disabledAtMs: clock.nowMs(), disabledReason: "it was switched off" };
  return {
    action: isActive ? "webhook.enabled" : "webhook.disabled",
    change: (view, row) => view.update(WebhookEndpoints, row, next),
  };
}

export async function findWebhook(
  deps: Deps,
  { id, accountId }: Pick<WebhookOrder, "id" | "accountId">,
): Promise<WebhookEndpointRow> {
  return owned(await deps.db.find(WebhookEndpoints, [id]), { id, accountId });
}

/** Somebody has dealt with the webhook, so the alert that it was switched off is closed. */
const REMOVED = "webhook.removed";
const SETTLES_ALERT = [REMOVED, "webhook.enabled", "webhook.disabled"];

function shownOf(row: WebhookEndpointRow) {
  const { url, eventTypes, disabledAtMs, disabledReason, oldSecretUntilMs } = row;
  return { url, eventTypes, disabledAtMs, disabledReason, oldSecretUntilMs };
}

async function changeWebhook(
  deps: Deps,
  { order, steps }: { order: WebhookOrder; steps: readonly Step[] },
): Promise<WebhookEndpointRow> {
  const { id, actor } = order;
  const { subject } = webhookSubject(id);
  return await deps.db.write({
    reads: [read(WebhookEndpoints, [id]), alertRead("webhook_disabled", subject)],
    decide: (view) => {
      let row = owned(view.raw.find(WebhookEndpoints, [id]), order);
      const nowMs = deps.clock.nowMs();
      for (const { action, change } of steps) {
        const before = shownOf(row);
        row = change(view, row);
        const after = action === REMOVED ? null : shownOf(row);
        recordAudit(view, { actor, action, subject, detail: { before, after }, nowMs });
        if (SETTLES_ALERT.includes(action)) {
          closeAlert(view, { kind: "webhook_disabled", subject, nowMs });
        }
      }
      return row;
    },
  });
}

/** Another account's row and a missing one get the same answer. */
function owned(
  row: WebhookEndpointRow | undefined,
  { id, accountId }: Pick<WebhookOrder, "id" | "accountId">,
): WebhookEndpointRow {
  if (row && (accountId === undefined || row.accountId === accountId)) return row;
  throw refuse("webhook_unknown", { id });
}
