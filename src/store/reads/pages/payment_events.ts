import type { DeliveryState } from "../../../webhooks/rules/webhook_schedule.ts";
import { deliveryState } from "../../../webhooks/rules/webhook_schedule.ts";
import { orNull } from "../../connection/connection.ts";
import type { Db, SqlValue } from "../../engine/db.ts";

/** An event about a payment, for each webhook that it was sent to. */
export interface PaymentEvent {
  readonly id: number;
  readonly type: string;
  readonly createdAtMs: number;
  /** Null: no webhook wanted it. */
  readonly endpointId: number | null;
  readonly state: DeliveryState | null;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
  /** The beginning of its body. */
  readonly lastResponse: string | null;
}

const SHOWN_MAX = 50;

/** Events about a payment, in order. */
export function eventsOfPayment(
  db: Db,
  { createdAtMs, confirmedAtMs, ...row }: Owned & Times<"createdAtMs" | "confirmedAtMs">,
): Promise<PaymentEvent[]> {
  const times = [createdAtMs, confirmedAtMs];
  return eventsAt(db, { of: "transaction_id", row, times });
}

/** The same for a payout; `endedAtMs` is when its hold was released. */
export function eventsOfPayout(
  db: Db,
  { requestedAtMs, broadcastAtMs, confirmedAtMs, endedAtMs, ...row }:
    & Owned
    & Times<"requestedAtMs" | "broadcastAtMs" | "confirmedAtMs" | "endedAtMs">,
): Promise<PaymentEvent[]> {
  const times = [requestedAtMs, broadcastAtMs, confirmedAtMs, endedAtMs];
  return eventsAt(db, { of: "withdrawal_id", row, times });
}

interface Owned {
  readonly id: number;
  readonly accountId: number | null;
}

type Times<Name extends string> = Readonly<Record<Name, number | null>>;

/** The same for an invoice, whose number is in what was sent. */
export function eventsOfInvoice(
  db: Db,
  { id, accountId }: { id: number; accountId: number },
): Promise<PaymentEvent[]> {
  return eventsWhere(db, {
    index: "events_invoice",
    where: `e.type >= 'invoice.' AND e.type < 'invoice/'
  AND e.account_id = ? AND e.payload ->> '$.data.invoice_id' = ?`,
    args: [accountId, id],
  });
}

/** Written with what they report, so its times lead to them, and nothing pays for another index. */
async function eventsAt(
  db: Db,
  { of, row: { id, accountId }, times }: {
    of: "transaction_id" | "withdrawal_id";
    row: Owned;
    times: readonly (number | null)[];
  },
): Promise<PaymentEvent[]> {
  const known = [...new Set(times)].filter((atMs) => atMs !== null);
  return await eventsWhere(db, {
    index: "events_created",
    where:
      `e.created_at_ms IN (SELECT value FROM json_each(?)) AND e.${of} = ? AND e.account_id = ?`,
    args: [JSON.stringify(known), id, accountId],
  });
}

async function eventsWhere(
  db: Db,
  { index, where, args }: { index: string; where: string; args: readonly SqlValue[] },
): Promise<PaymentEvent[]> {
  const rows = await db.query(
    `SELECT e.id, e.type, e.created_at_ms, d.endpoint_id, d.state, a.status, a.error,
  substr(a.response, 1, 200) AS response
FROM events AS e INDEXED BY ${index}
LEFT JOIN webhook_deliveries AS d ON d.event_id = e.id
LEFT JOIN webhook_attempts AS a ON a.id = (
  SELECT max(id) FROM webhook_attempts WHERE event_id = d.event_id AND endpoint_id = d.endpoint_id
)
WHERE ${where}
ORDER BY e.id, d.endpoint_id
LIMIT ${SHOWN_MAX}`,
    [...args],
  );
  return rows.map((row) => ({
    id: Number(row.id),
    type: String(row.type),
    createdAtMs: Number(row.created_at_ms),
    endpointId: orNull(row.endpoint_id, Number),
    state: row.state === null ? null : deliveryState(row.state),
    lastStatus: orNull(row.status, Number),
    lastError: orNull(row.error, String),
    lastResponse: orNull(row.response, String),
  }));
}
