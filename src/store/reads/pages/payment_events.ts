import type { DeliveryState } from "../../../domain/messages/webhook_schedule.ts";
import { deliveryState } from "../../../domain/messages/webhook_schedule.ts";
import { orNull } from "../../connection/connection.ts";
import type { Db } from "../../engine/db.ts";
import type { TransactionRow } from "../../tables/transactions.ts";

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
}

const SHOWN_MAX = 50;

/** Written with the credit, so its time leads to it, and no credit pays for another index. */
export async function eventsOfPayment(
  db: Db,
  { id, accountId, confirmedAtMs }: Pick<TransactionRow, "id" | "accountId" | "confirmedAtMs">,
): Promise<PaymentEvent[]> {
  if (confirmedAtMs === null) return [];
  const rows = await db.query(
    `SELECT e.id, e.type, e.created_at_ms, d.endpoint_id, d.state, a.status, a.error
FROM events AS e INDEXED BY events_created
LEFT JOIN webhook_deliveries AS d ON d.event_id = e.id
LEFT JOIN webhook_attempts AS a ON a.id = (
  SELECT max(id) FROM webhook_attempts WHERE event_id = d.event_id AND endpoint_id = d.endpoint_id
)
WHERE e.created_at_ms = ? AND e.transaction_id = ? AND e.account_id = ?
ORDER BY e.id, d.endpoint_id
LIMIT ${SHOWN_MAX}`,
    [confirmedAtMs, id, accountId],
  );
  return rows.map((row) => ({
    id: Number(row.id),
    type: String(row.type),
    createdAtMs: Number(row.created_at_ms),
    endpointId: orNull(row.endpoint_id, Number),
    state: row.state === null ? null : deliveryState(row.state),
    lastStatus: orNull(row.status, Number),
    lastError: orNull(row.error, String),
  }));
}
