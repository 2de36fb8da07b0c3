import { first, last } from "../base/lists.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { isCausedByPayers } from "./rules/events.ts";
import { type EventRow, Events } from "./tables/events.ts";
import { deadDeliveries, eventsBetween } from "./reads/events.ts";
import { webhookEndpoints } from "./reads/due.ts";
import { WebhookDeliveries, WebhookEndpoints } from "./tables/webhooks.ts";
import type { WebhookEndpointRow } from "./tables/webhooks.ts";
import { readAll, type View } from "../store/engine/workspace.ts";
import { recordAudit } from "../books/records.ts";
import { takeBulkRedelivery, takeRedelivery } from "./_allowance.ts";
import type { Actor, Deps } from "../deps/deps.ts";

const PAGE = 200;
/** About, with as much of an answer as is kept. */
const ATTEMPT_BYTES_MAX = 1_200;

/** Operators may redeliver every account's events, merchants their own. */
interface Redelivery {
  readonly accountId?: number | undefined;
  readonly actor: Actor;
}

interface Pair {
  readonly eventId: number;
  readonly endpointId: number;
}

/** Sends it again to every endpoint of the account that takes its type now. */
export async function redeliverEvent(
  deps: Deps,
  { eventId, accountId, actor }: Redelivery & { eventId: string },
): Promise<number> {
  const event = await deps.db.find(Events, [eventId], "eventId");
  if (!event || (accountId !== undefined && event.accountId !== accountId)) {
    throw refuse("event_unknown", { eventId });
  }
  const endpoints = await webhookEndpoints(deps.db, event.accountId);
  const pairs = pairsOf([event], endpoints);
  if (pairs.length === 0) {
    throw refuse("event_not_taken", { accountId: event.accountId, type: event.type });
  }
  await takeRedelivery(deps, accountId);
  const isOwn = accountId !== undefined;
  return await sendAgain(deps, { pairs, actor, isOwn, subject: `event:${eventId}` });
}

export async function redeliverBetween(
  deps: Deps,
  { fromMs, toMs, accountId, actor }: Redelivery & { fromMs: number; toMs: number },
): Promise<number> {
  await takeBulkRedelivery(deps, accountId);
  const endpoints = await webhookEndpoints(deps.db, accountId);
  let count = 0;
  let after = { id: 0, createdAtMs: fromMs };
  for (;;) {
    const events = await eventsBetween(deps.db, { accountId, after, toMs, limit: PAGE });
    if (events.length === 0) return count;
    after = last(events);
    const pairs = pairsOf(events, endpoints);
    count += await sendAgain(deps, {
      pairs,
      actor,
      subject: `events:${first(events).id}-${after.id}`,
    });
  }
}

/** Everything that was given up. */
export async function redeliverDead(
  deps: Deps,
  { accountId, actor }: Redelivery,
): Promise<number> {
  await takeBulkRedelivery(deps, accountId);
  let count = 0;
  for (;;) {
    const pairs = await deadDeliveries(deps.db, { accountId, limit: PAGE });
    const again = pairs.length === 0
      ? 0
      : await sendAgain(deps, { pairs, actor, subject: `events:${first(pairs).eventId}-` });
    if (again === 0) return count;
    count += again;
  }
}

function pairsOf(
  events: readonly { id: number; accountId: number; type: string }[],
  endpoints: readonly WebhookEndpointRow[],
): Pair[] {
  const byAccount = Map.groupBy(endpoints, ({ accountId }) => accountId);
  return events.flatMap(({ id, accountId, type }) =>
    (byAccount.get(accountId) ?? [])
      .filter(({ eventTypes }) => eventTypes === null || eventTypes.some((one) => one === type))
      .map((endpoint) => ({ eventId: id, endpointId: endpoint.id }))
  );
}

/** Returns how many will be sent, without events and endpoints that were removed meanwhile. */
async function sendAgain(
  deps: Deps,
  { pairs, actor, subject, isOwn = false }: {
    pairs: readonly Pair[];
    actor: Actor;
    subject: string;
    /** The account itself asks. */
    isOwn?: boolean;
  },
): Promise<number> {
  if (pairs.length === 0) return 0;
  const nowMs = deps.clock.nowMs();
  const eventIds = new Set(pairs.map(({ eventId }) => eventId));
  const endpointIds = new Set(pairs.map(({ endpointId }) => endpointId));
  return await deps.db.write({
    reads: [
      ...readAll(Events, [...eventIds].map((id) => [id])),
      ...readAll(WebhookEndpoints, [...endpointIds].map((id) => [id])),
      ...readAll(WebhookDeliveries, pairs.map((pair) => [pair.eventId, pair.endpointId])),
    ],
    decide: (view) => {
      const again = pairs.filter((pair) => makePending(view, { pair, nowMs }));
      const count = again.length;
      if (isOwn) {
        for (const { eventId } of again) countAgain(view, view.raw.get(Events, [eventId]));
      }
      endPauses(view, { endpointIds, nowMs });
      const detail = { deliveries: count };
      if (count > 0) {
        recordAudit(view, { actor, action: "webhook.redelivered", subject, detail, nowMs });
      }
      return count;
    },
  });
}

/** The first attempts for what payers cause aren't counted, but nobody asked for those. */
export function countAgain(
  view: View,
  { type, accountId }: Pick<EventRow, "type" | "accountId">,
): void {
  view.charge(accountId);
  if (isCausedByPayers(type)) view.countAhead(accountId, ATTEMPT_BYTES_MAX);
}

function makePending(view: View, { pair, nowMs }: { pair: Pair; nowMs: number }): boolean {
  const { eventId, endpointId } = pair;
  if (!view.raw.find(Events, [eventId]) || !view.raw.find(WebhookEndpoints, [endpointId])) {
    return false;
  }
  const fresh = { state: "pending", attempts: 0, nextTryAtMs: nowMs, settledAtMs: null } as const;
  const row = view.find(WebhookDeliveries, [eventId, endpointId]);
  if (row) view.update(WebhookDeliveries, row, fresh);
  else view.insertKeyed(WebhookDeliveries, { ...pair, ...fresh });
  return true;
}

/** Whoever asks for it wants an attempt now. If it fails, the next pause begins. */
function endPauses(
  view: View,
  { endpointIds, nowMs }: { endpointIds: ReadonlySet<number>; nowMs: number },
): void {
  for (const id of endpointIds) {
    const row = view.raw.find(WebhookEndpoints, [id]);
    if (row && row.pausedUntilMs > nowMs) view.update(WebhookEndpoints, row, { pausedUntilMs: 0 });
  }
}
