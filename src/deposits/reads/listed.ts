import { foldAscii } from "../../base/fold_ascii.ts";
import type { Db } from "../../store/engine/db.ts";
import { InvoicePayments } from "../../invoices/tables/invoices.ts";
import { type TransactionRow, Transactions } from "../tables/transactions.ts";
import { type Fact, hasOne, type Listing } from "../../store/lists/listing.ts";
import type { Condition } from "../../store/lists/order.ts";

const BELOW_MINIMUM = { columns: ["is_below_minimum"], where: "is_below_minimum = 1" };

export const TRANSACTIONS_LISTED: Listing<TransactionRow> = {
  table: Transactions,
  time: "created_at_ms",
  narrow: [
    [{ index: "transactions_movement", columns: ["network", "tx_hash"] }],
    [{ index: "transactions_address_newest", columns: ["address_id"] }],
    [{
      ...{ ...BELOW_MINIMUM, index: "transactions_account_below_minimum" },
      columns: ["account_id", "is_below_minimum"],
    }],
    [{ ...BELOW_MINIMUM, index: "transactions_below_minimum" }],
  ],
  ways: [
    ...["status", "currency", "network", "direction"].flatMap((column) => [
      [{ index: `transactions_account_${column}`, columns: ["account_id", column] }],
      [{ index: `transactions_${column}`, columns: [column] }],
    ]),
    [{
      index: "transactions_kind",
      columns: ["account_id", "direction", "status", "network", "currency"],
    }],
    [{ index: "transactions_account", columns: ["account_id"] }],
  ],
};

/** An invoice has few enough for a look-up of each. */
export async function isPaymentOf(db: Db, invoiceId: number): Promise<Fact> {
  const payments = await db.list(InvoicePayments, { invoiceId });
  return hasOne("id", payments.map(({ transactionId }) => transactionId));
}

/** More than these are looked for among the newest payments instead. */
const FEW_MAX = 1_000;
/** Sorts after every text. */
const LAST = "\u{10FFFF}";

/** As lists call an order that has a number: its reference may be that or just the number. */
const NUMBERED = /^order (?<number>\d+)$/;

/** Of invoices whose reference or customer begins like this, in any case; or what else is known. */
export async function isForOrder(
  db: Db,
  { accountId, text, or, fewMax = FEW_MAX }: {
    /** Null: of all accounts. */
    readonly accountId: number | null;
    readonly text: string;
    readonly or: Fact;
    readonly fewMax?: number;
  },
): Promise<Fact> {
  const folded = foldAscii(text);
  const number = NUMBERED.exec(folded)?.groups?.number;
  const begins = [
    ["reference", folded],
    ["customer", folded],
    ...number === undefined ? [] : [["reference", number] as const],
  ] as const;
  const ranges = begins.map(([column, begin]): Condition => [
    `lower(i.${column}) >= ? AND lower(i.${column}) < ?`,
    ...[begin, `${begin}${LAST}`],
  ]);
  const [owned, owner] = accountId === null ? ["", []] : ["i.account_id = ? AND ", [accountId]];
  const found = begins.map(([column], i) =>
    `SELECT id
  FROM (
    SELECT i.id
    FROM invoices AS i INDEXED BY ${INDEXES[column][accountId === null ? "all" : "own"]}
    WHERE ${owned}i.${column} IS NOT NULL AND ${ranges[i]![0]}
    LIMIT ?)`
  );
  const rows = await db.query(
    `SELECT p.transaction_id AS id
FROM (${found.join("\n  UNION ALL\n  ")}) AS i
LEFT JOIN invoice_payments AS p ON p.invoice_id = i.id
LIMIT ?`,
    [...ranges.flatMap(([, ...range]) => [...owner, ...range, fewMax + 1]), fewMax + 1],
  );
  if (rows.length <= fewMax) {
    const ids = rows.flatMap(({ id }) => id === null ? [] : Number(id));
    return { columns: [], values: [], either: [or, hasOne("id", ids)] };
  }
  const [column] = or.columns;
  const isEither = `(${column} IN (SELECT value FROM json_each(?)) OR EXISTS (
  SELECT 1
  FROM invoice_payments AS p
  CROSS JOIN invoices AS i ON i.id = p.invoice_id
  WHERE p.transaction_id = transactions.id AND (${ranges.map(([sql]) => sql).join(" OR ")})))`;
  const others: Condition[] = [[
    isEither,
    JSON.stringify(or.values.flat()),
    ...ranges.flatMap(([, ...range]) => range),
  ]];
  return { columns: [], values: [], others };
}

const INDEXES = {
  reference: { all: "invoices_text", own: "invoices_account_text" },
  customer: { all: "invoices_customer_text", own: "invoices_account_customer_text" },
} as const;

/** In any of the spellings that a hash is stored in. */
export function isMovementOf(hash: string): Fact {
  const [digits] = /(?<=^(0x)?)[0-9a-f]{64}$/.exec(hash.toLowerCase()) ?? [];
  return hasOne("tx_hash", digits === undefined ? [] : [`0x${digits}`, digits]);
}
