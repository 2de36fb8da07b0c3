import type { Component } from "../../base/html.ts";
import type { WebhookEndpointRow } from "../tables/webhooks.ts";
import { WebhookEndpoints } from "../tables/webhooks.ts";
import type { Attempt } from "../post/send.ts";
import { BASE, type Visit } from "../../dashboard/visit.ts";
import { CopyButton, Status } from "../../dashboard/parts/facts.tsx";

export const WEBHOOKS_UP = { path: "/webhooks", label: "Webhooks" };

/** The webhook in the path. */
export async function ownWebhook(visit: Visit): Promise<WebhookEndpointRow> {
  return visit.own(await visit.deps.db.find(WebhookEndpoints, [visit.id()]));
}

/** For actions, which check the owner again in their unit. */
export function orderOf(visit: Visit, { id }: Pick<WebhookEndpointRow, "id">) {
  return { id, accountId: visit.accountId ?? undefined, actor: visit.actor };
}

export function isPaused({ pausedUntilMs }: WebhookEndpointRow, nowMs: number): boolean {
  return pausedUntilMs > nowMs;
}

/** In one word; the webhook's page says since when, and what was answered. */
export const Health: Component<{ row: WebhookEndpointRow }> = ({ row }) => {
  if (row.disabledAtMs !== null) return <Status value="disabled" />;
  return <Status value={row.failures > 0 ? "failing" : "active"} />;
};

export const EndpointLink: Component<{ id: number; text?: string }> = (
  { id, text = String(id) },
) => <a href={`${BASE}/webhooks/${id}`}>{text}</a>;

/** The answer as text: a receiver's HTML must never become ours. */
export const Outcome: Component<{ attempt: Pick<Attempt, "status" | "error" | "response"> }> = (
  { attempt: { status, error, response } },
) => (
  <>
    <p>
      <Status value={error === null ? "delivered" : "failed"} /> {error ?? `HTTP ${status}`}
    </p>
    {response !== null && response !== "" && <pre>{response}</pre>}
  </>
);

export const Secret: Component<{ secret: string }> = ({ secret }) => (
  <>
    <p class="message warn">
      This secret is shown only once. Store it where only your server can read it.
    </p>
    <p class="secret">
      <code class="whole" id="secret">{secret}</code> <CopyButton text={secret} />
    </p>
  </>
);
