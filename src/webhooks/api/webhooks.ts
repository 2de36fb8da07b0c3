import { z } from "zod";
import { genuine } from "../../books/tampered.ts";
import type { Deps } from "../../deps/deps.ts";
import { addWebhook } from "../add.ts";
import {
  findWebhook,
  removeWebhook,
  rotateWebhookSecret,
  updateWebhook,
} from "../manage_webhooks.ts";
import { testWebhook } from "../send_test.ts";
import { Refused } from "../../domain/refusal.ts";
import { endpointPage } from "../reads/endpoints.ts";
import { WebhookEndpoints } from "../tables/webhooks.ts";
import { accountOf, idParam } from "../../http/caller.ts";
import { strict } from "../../http/endpoint.ts";
import { list } from "../../http/lists/list.ts";
import { ok } from "../../http/reply.ts";
import { nextOf } from "./_paging.ts";
import { asRefused, URGENT, writerOf } from "../../http/routes/writer.ts";
import {
  NewWebhook,
  Webhook,
  WEBHOOK_EXAMPLE,
  WebhookChange,
  webhookEntry,
  WebhookTest,
  WebhookWithSecret,
} from "./_schemas.ts";

const SECRET_EXAMPLE = {
  ...WEBHOOK_EXAMPLE,
  secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=",
};
const ALL = { permission: "manage_webhooks", tag: "Webhooks", path: "/v1/webhooks" } as const;
const ONE = { ...ALL, path: "/v1/webhooks/{webhook_id}", refusals: ["not_found"] } as const;
const PATH = { webhook_id: WEBHOOK_EXAMPLE.webhook_id };

export const createWebhook = strict({
  ...ALL,
  method: "POST",
  operationId: "createWebhook",
  summary: "Add a webhook",
  description:
    "Sends the account's events to a URL from now on. Only this response contains the secret. An account has at most 20 webhooks.\n\nThe demo, like any gateway started with `CPG_WEBHOOK_ALLOW_PRIVATE=true`, also takes http addresses and those of your own machine, such as `http://127.0.0.1:9000/hook`.",
  body: NewWebhook,
  data: WebhookWithSecret,
  refusals: [],
  example: {
    body: { url: WEBHOOK_EXAMPLE.url, events: WEBHOOK_EXAMPLE.events },
    data: SECRET_EXAMPLE,
  },
  handle: (deps) => async (c, { body: { url, events } }) => {
    checkTarget(deps, url);
    const order = { ...await writerOf(deps, c), url, eventTypes: events ?? null };
    const { row, secret } = await asRefused(addWebhook(deps, order));
    return ok(c, { ...webhookEntry(row), secret });
  },
});

/** What a name resolves to is checked at each delivery. */
function checkTarget({ webhooks }: Deps, url: string): void {
  const why = webhooks.refusalOf(url);
  if (why === undefined) return;
  const fields = [{ field: "url", message: `Nothing can be sent there: ${why}` }];
  throw new Refused("validation_failed", { fields });
}

export const listWebhooks = list({
  ...ALL,
  operationId: "listWebhooks",
  summary: "List webhooks",
  description: "The account's webhooks, newest first, without their secrets.",
  query: z.object({}),
  data: Webhook,
  refusals: [],
  example: { data: WEBHOOK_EXAMPLE },
  page: async (deps, { accountId, cursor, limit }) => {
    const found = await endpointPage(deps.db, { accountId, cursor, limit });
    const rows = await genuine(deps, WebhookEndpoints, found);
    return { rows: rows.map(webhookEntry), next: nextOf(rows, limit)?.id ?? null };
  },
});

export const readWebhook = strict({
  ...ONE,
  method: "GET",
  operationId: "readWebhook",
  summary: "Read a webhook",
  description: "Without its secret.",
  data: Webhook,
  example: { path: PATH, data: WEBHOOK_EXAMPLE },
  handle: (deps) => async (c) => {
    const asked = { id: idParam(c, "webhook_id"), accountId: accountOf(c) };
    const row = await asRefused(findWebhook(deps, asked));
    await genuine(deps, WebhookEndpoints, [row]);
    return ok(c, webhookEntry(row));
  },
});

export const changeWebhook = strict({
  ...ONE,
  method: "PATCH",
  operationId: "changeWebhook",
  summary: "Change a webhook",
  description: "Fields that aren't given stay as they are. Waiting events go to the new URL.",
  body: WebhookChange,
  data: Webhook,
  example: { path: PATH, body: { active: true }, data: WEBHOOK_EXAMPLE },
  handle: (deps) => async (c, { body: { url, events, active } }) => {
    if (url !== undefined) checkTarget(deps, url);
    const order = { ...await writerOf(deps, c), id: idParam(c, "webhook_id") };
    const change = { url, eventTypes: events, isActive: active };
    return ok(c, webhookEntry(await asRefused(updateWebhook(deps, { order, change }))));
  },
});

export const deleteWebhook = strict({
  ...ONE,
  method: "DELETE",
  operationId: "deleteWebhook",
  summary: "Remove a webhook",
  description: "Events that wait for it are dropped. Returns the webhook as it was.",
  data: Webhook,
  example: { path: PATH, data: WEBHOOK_EXAMPLE },
  handle: (deps) => async (c) => {
    const order = { ...await writerOf(deps, c, URGENT), id: idParam(c, "webhook_id") };
    return ok(c, webhookEntry(await asRefused(removeWebhook(deps, order))));
  },
});

export const rotateSecret = strict({
  ...ONE,
  method: "POST",
  path: `${ONE.path}/rotate`,
  operationId: "rotateWebhookSecret",
  summary: "Rotate a webhook's secret",
  description:
    "Only this response contains the new secret. For 24 hours, events are also signed with the previous one. A second rotation ends that.",
  data: WebhookWithSecret,
  example: {
    path: PATH,
    data: { ...SECRET_EXAMPLE, old_secret_until: "2026-02-01T12:00:00+00:00" },
  },
  handle: (deps) => async (c) => {
    const order = { ...await writerOf(deps, c), id: idParam(c, "webhook_id") };
    const { row, secret } = await asRefused(rotateWebhookSecret(deps, order));
    return ok(c, { ...webhookEntry(row), secret });
  },
});

export const tryWebhook = strict({
  ...ONE,
  method: "POST",
  path: `${ONE.path}/test`,
  operationId: "testWebhook",
  summary: "Send a ping to a webhook",
  description:
    "Sends a signed event of type `ping` immediately, and returns the status of the response but not its body. It isn't retried. At most 20 a minute.",
  data: WebhookTest,
  example: {
    path: PATH,
    data: {
      webhook_id: 3,
      url: WEBHOOK_EXAMPLE.url,
      event_id: "evt_c29tZSBieXRlcyBvZiBhbiBpZA",
      delivered: true,
      status: 200,
      latency_ms: 84,
      error: null,
    },
  },
  handle: (deps) => async (c) => {
    const order = { ...await writerOf(deps, c), id: idParam(c, "webhook_id") };
    const { row, eventId, attempt } = await asRefused(testWebhook(deps, order));
    const { status, latencyMs, error } = attempt;
    return ok(c, {
      ...{ webhook_id: row.id, url: row.url, event_id: eventId },
      ...{ delivered: error === null, status, latency_ms: latencyMs, error },
    });
  },
});
