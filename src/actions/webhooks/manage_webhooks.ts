import { randomToken } from "../../base/bytes.ts";
import type { EventType } from "../../domain/events.ts";
import { refuse } from "../../domain/refusals/refuse.ts";
import { WebhookEndpoints, webhookSecretContext } from "../../store/tables/webhooks.ts";
import type { WebhookEndpointRow } from "../../store/tables/webhooks.ts";
import { webhookEndpoints } from "../../store/reads/webhooks.ts";
import { read, type View } from "../../store/engine/workspace.ts";
import { malformedUrl } from "../../webhooks/allowed_target.ts";
import { newSecret } from "../../webhooks/sign.ts";
import { alertRead, closeAlert } from "../books/alerts.ts";
import { recordAudit } from "../books/records.ts";
import { webhookSubject } from "./signing.ts";
import type { Actor, Deps } from "../deps.ts";
import { findAccount } from "../books/find.ts";

const SECRET_NAME_BYTES = 12;
/** Each event is written and sent once for each of them. */
const WEBHOOKS_PER_ACCOUNT_MAX = 20;
/** How long the previous secret also signs after a rotation. */
const OLD_SECRET_MS = 24 * 3_600_000;

interface NewWebhook {
  readonly accountId: number;
  readonly url: string;
  /** Null: all of them. */
  readonly eventTypes: readonly EventType[] | null;
  readonly actor: Actor;
}

export interface AddedWebhook {
  readonly row: WebhookEndpointRow;
  /** The only time it is shown: it is stored sealed. */
  readonly secret: string;
  /** Why nothing can be sent there now. */
  readonly blockedBy: string | undefined;
  /** The account's other webhooks to the same target, which may be intended. */
  readonly twins: readonly WebhookEndpointRow[];
}

/** Gets events from now on. Whether its target is allowed is checked again at each delivery. */
export async function addWebhook(deps: Deps, webhook: NewWebhook): Promise<AddedWebhook> {
  return await deps.memory.webhookTurns.run(String(webhook.accountId), () => addOne(deps, webhook));
}

async function addOne(
  deps: Deps,
  { accountId, url, eventTypes, actor }: NewWebhook,
): Promise<AddedWebhook> {
  await findAccount(deps, accountId);
  const malformed = malformedUrl(url);
  if (malformed !== undefined) throw refuse("webhook_url_wrong", { url, why: malformed });
  const known = await webhookEndpoints(deps.db, accountId);
  if (known.length >= WEBHOOKS_PER_ACCOUNT_MAX) {
    const webhooks = known.length;
    throw refuse("webhooks_too_many", { accountId, webhooks, max: WEBHOOKS_PER_ACCOUNT_MAX });
  }
  const secret = newSecret();
  const secretName = randomToken(SECRET_NAME_BYTES);
  const secretSealed = await deps.vault.seal(secret, webhookSecretContext(secretName));
  const nowMs = deps.clock.nowMs();
  const row = await deps.db.write({
    reads: [],
    decide: (view) => {
      const row = view.insert(WebhookEndpoints, {
        accountId,
        url,
        eventTypes,
        secretName,
        secretSealed,
        oldSecretSealed: null,
        oldSecretUntilMs: null,
        leaseOwner: null,
        leaseUntilMs: 0,
        failures: 0,
        pausedUntilMs: 0,
        disabledAtMs: null,
        disabledReason: null,
        createdAtMs: nowMs,
      });
      const detail = { accountId, url: row.url, eventTypes };
      recordAudit(view, {
        actor,
        action: "webhook.added",
        ...webhookSubject(row.id),
        detail,
        nowMs,
      });
      return row;
    },
  });
  return { row, secret, blockedBy: deps.webhooks.refusalOf(url), twins: sameTarget(known, url) };
}

function sameTarget(known: readonly WebhookEndpointRow[], url: string): WebhookEndpointRow[] {
  const { href } = new URL(url);
  return known.filter((row) => new URL(row.url).href === href);
}

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
