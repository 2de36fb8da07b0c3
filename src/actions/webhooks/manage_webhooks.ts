import { refuse } from "../../domain/refusals/refuse.ts";
import { WebhookEndpoints, webhookSecretContext } from "../../store/tables/webhooks.ts";
import type { WebhookEndpointRow } from "../../store/tables/webhooks.ts";
import { read, type View } from "../../store/engine/workspace.ts";
import { newSecret } from "../../webhooks/sign.ts";
import { alertRead, closeAlert } from "../books/alerts.ts";
import { recordAudit } from "../books/records.ts";
import { webhookSubject } from "./signing.ts";
import type { Actor, Deps } from "../deps.ts";

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
    action: "webhook.removed",
    change: (view, row) => {
      view.remove(WebhookEndpoints, row);
      return row;
    },
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
    action: "webhook.rotated",
    change: (view, row) =>
      view.update(WebhookEndpoints, row, {
        secretSealed,
        oldSecretSealed: row.secretSealed,
        oldSecretUntilMs,
      }),
  });
  return { row, secret };
}

/** After a 410, or to end a pause at once. Waiting events are sent now. */
export async function enableWebhook(deps: Deps, order: WebhookOrder): Promise<WebhookEndpointRow> {
  return await changeWebhook(deps, {
    order,
    action: "webhook.enabled",
    change: (view, row) =>
      view.update(WebhookEndpoints, row, {
        failures: 0,
        pausedUntilMs: 0,
        disabledAtMs: null,
        disabledReason: null,
      }),
  });
}

export async function findWebhook(
  deps: Deps,
  { id, accountId }: Pick<WebhookOrder, "id" | "accountId">,
): Promise<WebhookEndpointRow> {
  return owned(await deps.db.find(WebhookEndpoints, [id]), { id, accountId });
}

async function changeWebhook(
  deps: Deps,
  { order, action, change }: {
    order: WebhookOrder;
    action: string;
    change(view: View, row: WebhookEndpointRow): WebhookEndpointRow;
  },
): Promise<WebhookEndpointRow> {
  const { id, actor } = order;
  const { subject } = webhookSubject(id);
  return await deps.db.write({
    reads: [read(WebhookEndpoints, [id]), alertRead("webhook_disabled", subject)],
    decide: (view) => {
      const row = owned(view.find(WebhookEndpoints, [id]), order);
      const nowMs = deps.clock.nowMs();
      recordAudit(view, { actor, action, subject, nowMs });
      const changed = change(view, row);
      if (action !== "webhook.rotated") {
        closeAlert(view, { kind: "webhook_disabled", subject, nowMs });
      }
      return changed;
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
