import type { Db } from "../store/engine/db.ts";
import { gasClaim } from "../transfers/rules/claims.ts";
import type { PaidFor } from "./rules/hour.ts";
import { type CostHourRow, CostHours, type CostMarkRow, CostMarks } from "./table.ts";
import { NodeCalls, type NodeCallsRow } from "./table.ts";

interface Span {
  readonly network: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

export function costHours(db: Db, { network, fromMs, untilMs }: Span): Promise<CostHourRow[]> {
  return db.rows(
    CostHours,
    "WHERE network = ? AND starts_at_ms >= ? AND starts_at_ms < ?",
    [network, fromMs, untilMs],
  );
}

/** Oldest first. */
export function costMarks(db: Db, { limit }: { limit: number }): Promise<CostMarkRow[]> {
  return db.rows(CostMarks, "ORDER BY id LIMIT ?", [limit]);
}

export function nodeCalls(db: Db, { network, fromMs, untilMs }: Span): Promise<NodeCallsRow[]> {
  return db.rows(
    NodeCalls,
    "WHERE network = ? AND day_ms >= ? AND day_ms < ? ORDER BY host, day_ms",
    [network, fromMs, untilMs],
  );
}

/** Of these months, those in which something was swept or nodes have answered. */
export async function monthsWithCosts(
  db: Db,
  { network, months }: { network: string; months: readonly (Omit<Span, "network"> & Named)[] },
): Promise<Set<string>> {
  const rows = await db.query(
    `SELECT m.value ->> 'name' AS name
FROM json_each(?2) AS m
WHERE EXISTS (
  SELECT 1
  FROM cost_hours AS h
  WHERE h.network = ?1 AND h.starts_at_ms >= m.value ->> 'fromMs'
    AND h.starts_at_ms < m.value ->> 'untilMs'
) OR EXISTS (
  SELECT 1
  FROM node_calls AS n
  WHERE n.network = ?1 AND n.day_ms >= m.value ->> 'fromMs'
    AND n.day_ms < m.value ->> 'untilMs'
)`,
    [network, JSON.stringify(months)],
  );
  return new Set(rows.map(({ name }) => String(name)));
}

interface Named {
  readonly name: string;
}

/**
 * What the gas wallet and deposit addresses signed in this time and what is mined for good, with a
 * row for each payment. A transaction without payments lends energy to the address of its claim, or
 * takes it back, which is for that address's newest sweep; or it is the gas wallet's own affair. An
 * address that delegates with a shared transaction has a claim in it, "address/nonce".
 */
const PAID_FOR = `SELECT t.id, t.fee_raw, p.purpose, p.from_address, p.is_successful, p.sweep_id,
  p.from_address <> t.sender OR t.payment_count > 1 AS is_shared, p.contract_address IS NULL AS is_coin,
  CASE WHEN t.payment_count > 0 THEN s.currency
  ELSE (
    SELECT n.currency
    FROM claims AS c
    CROSS JOIN addresses AS b ON b.network = t.network AND b.address = substr(c.claim, ?6)
    CROSS JOIN sweeps AS n ON n.address_id = b.id
    WHERE c.signed_id = t.id AND c.claim >= ?4 AND c.claim < ?5
      AND n.created_at_ms <= t.created_at_ms
    ORDER BY n.id DESC
    LIMIT 1
  ) END AS currency,
  CASE WHEN p.from_address <> t.sender THEN EXISTS (
    SELECT 1
    FROM claims AS c
    WHERE c.signed_id = t.id AND c.claim >= p.from_address || '/'
      AND c.claim < p.from_address || '0'
  )
  ELSE NOT EXISTS (SELECT 1 FROM sweeps AS e WHERE e.address_id = s.address_id AND e.id < s.id)
  END AS is_first,
  EXISTS (
    SELECT 1
    FROM claims AS c
    CROSS JOIN signed_transactions AS l ON l.id = c.signed_id
    WHERE c.network = t.network AND c.claim = ?4 || p.from_address AND l.payment_count = 0
      AND l.state = 'settled' AND l.created_at_ms >= s.created_at_ms AND l.id < t.id
  ) AS is_lent,
  (
    SELECT count(*)
    FROM transactions AS d
    WHERE d.sweep_id = p.sweep_id AND d.direction = 'deposit' AND d.status = 'swept'
  ) AS deposits
FROM signed_transactions AS t INDEXED BY signed_transactions_costs
CROSS JOIN addresses AS a ON a.network = t.network AND a.address = t.sender
LEFT JOIN signed_payments AS p ON p.signed_id = t.id
LEFT JOIN sweeps AS s ON s.id = p.sweep_id
WHERE t.network = ?1 AND t.state = 'settled' AND t.created_at_ms >= ?2 AND t.created_at_ms < ?3
  AND t.is_foreign = 0 AND t.fee_raw IS NOT NULL AND a.purpose <> 'hot'
ORDER BY t.created_at_ms, t.id, p.position`;

/** By sender of each payment: how many outputs of its address a transaction spends, if any. */
const SIZES = `SELECT t.id, o.address, count(*) AS size
FROM signed_transactions AS t INDEXED BY signed_transactions_costs
CROSS JOIN claims AS c ON c.signed_id = t.id
CROSS JOIN outputs AS o ON o.network = t.network AND o.tx_hash = substr(c.claim, 1, 64)
  AND o.position = CAST(substr(c.claim, 66) AS INTEGER)
WHERE t.network = ?1 AND t.state = 'settled' AND t.created_at_ms >= ?2 AND t.created_at_ms < ?3
  AND t.is_foreign = 0 AND t.fee_raw IS NOT NULL AND substr(c.claim, 65, 1) = ':'
GROUP BY t.id, o.address`;

async function sizesOf(
  db: Db,
  { network, fromMs, untilMs }: Span,
): Promise<(signedId: number, address: string) => number> {
  const rows = await db.query(SIZES, [network, fromMs, untilMs]);
  const sizes = new Map(rows.map(({ id, address, size }) => [`${id} ${address}`, Number(size)]));
  return (signedId, address) => sizes.get(`${signedId} ${address}`) ?? 1;
}

export async function paidFor(
  db: Db,
  { hasOutputs, ...span }: Span & {
    /** Parts are as large as what they spend. */
    readonly hasOutputs: boolean;
  },
): Promise<PaidFor[]> {
  const { network, fromMs, untilMs } = span;
  const sizeOf = hasOutputs ? await sizesOf(db, span) : () => 1;
  const prefix = gasClaim("").claim;
  const after = prefix.replace(/.$/, (last) => String.fromCharCode(last.charCodeAt(0) + 1));
  const rows = await db.query(
    PAID_FOR,
    [network, fromMs, untilMs, prefix, after, prefix.length + 1],
  );
  return rows.map((row) => ({
    signedId: Number(row.id),
    feeRaw: BigInt(String(row.fee_raw)),
    purpose: row.purpose === null ? null : String(row.purpose) as PaidFor["purpose"],
    currency: row.currency === null ? null : String(row.currency),
    isSuccessful: row.is_successful === 1,
    isShared: row.is_shared === 1,
    isCoin: row.is_coin === 1,
    isFirst: row.is_first === 1,
    isLent: row.is_lent === 1,
    deposits: Number(row.deposits),
    size: sizeOf(Number(row.id), String(row.from_address)),
  }));
}

/** What lies on deposit addresses beyond deposits, in parts that add up to it, by the books. */
interface KeptPart {
  readonly kind: string;
  readonly amount: string;
  readonly sign: 1 | -1;
  /** Not added up yet, so that fees are in the smallest unit. */
  readonly isNew: boolean;
}

export async function keptOnAddresses(
  db: Db,
  { network, currency, newMax }: { network: string; currency: string; newMax: number },
): Promise<KeptPart[]> {
  const rows = await db.query(
    `SELECT network, currency, kind, amount, 1 AS sign, 0 AS is_new
FROM coin_sums
WHERE network = ?1 AND currency = ?2
UNION ALL
SELECT *
FROM (
  SELECT network, currency, kind, amount, sign, 1 AS is_new
  FROM coin_moves
  ORDER BY id
  LIMIT ?3
)`,
    [network, currency, newMax],
  );
  return rows.filter((row) => row.network === network && row.currency === currency)
    .map((row) => ({
      kind: String(row.kind),
      amount: String(row.amount),
      sign: row.sign === -1 ? -1 : 1,
      isNew: row.is_new === 1,
    }));
}
