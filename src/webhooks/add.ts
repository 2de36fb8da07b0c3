import { randomToken } from "../base/bytes.ts";
import type { EventType } from "./rules/events.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { WebhookEndpoints, webhookSecretContext } from "./tables/webhooks.ts";
import type { WebhookEndpointRow } from "./tables/webhooks.ts";
import { webhookEndpoints } from "./reads/due.ts";
import type { View } from "../store/engine/workspace.ts";
import { newSecret } from "./post/sign.ts";
import { findAccount } from "../books/find.ts";
import { recordAudit } from "../books/records.ts";
import { checkUrl } from "./check_url.ts";
import { webhookSubject } from "./signing.ts";
import type { Actor, Deps } from "../deps/deps.ts";

const SECRET_NAME_BYTES = 12;
/** Each event is written and sent once for each of them. */
const WEBHOOKS_PER_ACCOUNT_MAX = 20;

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

/** Gets events from now on. */
export async function addWebhook(deps: Deps, webhook: NewWebhook): Promise<AddedWebhook> {
  return await deps.memory.webhookTurns.run(String(webhook.accountId), () => addOne(deps, webhook));
}

async function addOne(deps: Deps, webhook: NewWebhook): Promise<AddedWebhook> {
  const { accountId, url } = webhook;
  await findAccount(deps, accountId);
  checkUrl(url);
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
    decide: (view) => insertWebhook(view, { webhook, secretName, secretSealed, nowMs }),
  });
  return { row, secret, blockedBy: deps.webhooks.refusalOf(url), twins: sameTarget(known, url) };
}

function insertWebhook(
  view: View,
  { webhook, secretName, secretSealed, nowMs }: {
    webhook: NewWebhook;
    secretName: string;
    secretSealed: string;
    nowMs: number;
  },
): WebhookEndpointRow {
  const { accountId, url, eventTypes, actor } = webhook;
  const asked = { accountId, url, eventTypes };
  const row = view.insert(WebhookEndpoints, {
    ...asked,
    secretName,
    secretSealed,
    oldSecretSealed: null,
    oldSecretUntilMs: null,
    leaseOwner: null,
    leaseUntilMs: 0,
    failures: 0,
    pausedUntilMs: 0,
    failingSinceMs: null,
    failedEventId: null,
    disabledAtMs: null,
    disabledReason: null,
    createdAtMs: nowMs,
  });
  const { subject } = webhookSubject(row.id);
  recordAudit(view, { actor, action: "webhook.added", subject, detail: asked, nowMs });
  return row;
}

function sameTarget(known: readonly WebhookEndpointRow[], url: string): WebhookEndpointRow[] {
  const { href } = new URL(url);
  return known.filter((row) => new URL(row.url).href === href);
}
