import type { Db } from "../../store/engine/db.ts";
import { WebhookAttempts, type WebhookEndpointRow, WebhookEndpoints } from "../tables/webhooks.ts";

/** What the receiver answered to the last failed attempt. */
interface LastAnswer {
  readonly atMs: number;
  /** Null if no answer came. */
  readonly status: number | null;
  /** In words, such as "HTTP 500". */
  readonly error: string;
  /** The beginning of the answer's body: text of a stranger. */
  readonly response: string | null;
}

interface FailingWebhook {
  readonly endpoint: WebhookEndpointRow;
  /** Undefined once the attempt was deleted, after 30 days. */
  readonly last: LastAnswer | undefined;
}

/** Webhooks whose last attempt failed, by id. `accountId` null: of all accounts. */
export async function failingWebhooks(
  db: Db,
  { accountId, limit }: { accountId: number | null; limit: number },
): Promise<FailingWebhook[]> {
  const rows = accountId === null
    ? await db.rows(
      WebhookEndpoints,
      "INDEXED BY webhook_endpoints_failing WHERE failures > 0 ORDER BY account_id, id LIMIT ?",
      [limit],
    )
    : await db.rows(
      WebhookEndpoints,
      `INDEXED BY webhook_endpoints_failing
WHERE failures > 0 AND account_id = ? ORDER BY id LIMIT ?`,
      [accountId, limit],
    );
  return await Promise.all(
    rows.map(async (endpoint) => ({ endpoint, last: await lastAnswer(db, endpoint) })),
  );
}

/** Of a webhook that fails. */
export async function lastAnswer(
  db: Db,
  { id, failedEventId }: WebhookEndpointRow,
): Promise<LastAnswer | undefined> {
  if (failedEventId === null) return undefined;
  const rows = await db.rows(
    WebhookAttempts,
    `WHERE event_id = ? AND endpoint_id = ? AND error IS NOT NULL
ORDER BY id DESC LIMIT 1`,
    [failedEventId, id],
  );
  return rows.map(({ atMs, status, error, response }) => ({
    atMs,
    status,
    error: error ?? "it failed",
    response,
  }))[0];
}
