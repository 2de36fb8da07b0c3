import { createClient } from "@libsql/client/sqlite3";
import { balanceAfter, LEDGER_AMOUNT, LEDGER_KIND } from "./ledger.ts";

/** The number of rows in a database. */
export interface Size {
  readonly transactions: number;
  readonly addresses: number;
  readonly accounts: number;
}

/** The account that the rows belong to. */
interface Owner {
  readonly accountId: number;
  readonly keyId: string;
  readonly hotWallet: string;
  readonly endpointId: number;
}

/** Ids from here on, above those of the rows that were made one by one. */
export const FIRST_ID = 1_000;
/** The fewest rows of a table with a history. */
const LEAST = 1_000;
const START_MS = 1_767_225_600_000;

/** Rows of a table that are made by one statement. */
interface Bulk {
  readonly table: string;
  readonly columns: string;
  /** The SQL values of row n, counted from 1. */
  readonly values: string;
  readonly rows: number;
}

/** A history like that of years of business. Nine of ten rows belong to one account. */
export async function fill(
  url: string,
  { size, owner }: { size: Size; owner: Owner },
): Promise<void> {
  await fillTables(url, bulksOf(size, owner));
  const client = createClient({ url, concurrency: 1 });
  try {
    const args = [balanceAfter(size.transactions), owner.accountId];
    await client.execute({ sql: "UPDATE balances SET balance = ? WHERE account_id = ?", args });
  } finally {
    client.close();
  }
}

/**
 * Past the gateway: indexes are dropped and built again at the end, which takes seconds instead of
 * hours.
 */
export async function fillTables(url: string, bulks: readonly Bulk[]): Promise<void> {
  const client = createClient({ url, concurrency: 1 });
  try {
    for (
      const pragma of ["synchronous = OFF", "foreign_keys = OFF", "cache_size = -500000"]
    ) await client.execute(`PRAGMA ${pragma}`);
    const tables = JSON.stringify(bulks.map(({ table }) => table));
    const { rows } = await client.execute({
      sql: `SELECT type, name, sql FROM sqlite_master
WHERE type IN ('index', 'trigger') AND sql IS NOT NULL
  AND tbl_name IN (SELECT value FROM json_each(?))
ORDER BY name`,
      args: [tables],
    });
    for (const { type, name } of rows) await client.execute(`DROP ${type} ${name}`);
    for (const { table, columns, values, rows } of bulks) {
      if (rows === 0) continue;
      await client.execute(`WITH RECURSIVE counted (n) AS (
  SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ${rows}
)
INSERT INTO ${table} (${columns})
SELECT ${values} FROM counted`);
    }
    for (const { sql } of rows) await client.execute(String(sql));
    await client.execute("PRAGMA wal_checkpoint(TRUNCATE)");
  } finally {
    client.close();
  }
}

/** Most rows belong to one account, and every account has some. */
const accountOf = ({ accounts }: Size, { accountId }: Owner) =>
  accounts === 1
    ? String(accountId)
    : `(CASE n % 10 WHEN 0 THEN ${FIRST_ID} + n / 10 % ${accounts - 1} ELSE ${accountId} END)`;

const HASH = "'0x' || lower(hex(randomblob(32)))";
const ADDRESS = "'0x' || lower(hex(randomblob(20)))";
const AT = `${START_MS} + n * 1000`;

function bulksOf(size: Size, owner: Owner): Bulk[] {
  return [...accountBulks(size), ...addressBulks(size, owner), ...historyBulks(size, owner)];
}

function accountBulks({ accounts }: Size): Bulk[] {
  const rows = accounts - 1;
  const id = `${FIRST_ID} + n - 1`;
  const of = (table: string, columns: string, values: string): Bulk => ({
    ...{ table, columns, values, rows },
  });
  return [
    of("accounts", "id, name, created_at_ms", `${id}, 'Merchant ' || n, ${AT}`),
    of(
      "account_currencies",
      "account_id, network, currency, is_deposit_enabled, is_withdrawal_enabled",
      `${id}, 'ETH', 'ETH', 1, 1`,
    ),
    of(
      "balances",
      "account_id, network, currency, balance, held",
      `${id}, 'ETH', 'ETH', n || '.25', '0'`,
    ),
    of(
      "api_keys",
      "key_id, account_id, label, secret_sealed, permissions, ip_list, rate_limit, created_at_ms",
      `'key-' || n, ${id}, 'main', 'sealed', '["read_balance"]', '[]', 600, ${AT}`,
    ),
    of("api_key_uses", "key_id, used_at_ms, ip", `'key-' || n, ${AT}, '10.0.0.1'`),
    of(
      "users",
      "email, role, account_id, totp_step, recovery_hashes, generation, created_at_ms",
      `'user' || n || '@example.com', 'merchant', ${id}, 0, '[]', 1, ${AT}`,
    ),
    of(
      "webhook_endpoints",
      `id, account_id, url, secret_name, secret_sealed, lease_until_ms, failures, paused_until_ms,
  created_at_ms`,
      `${id}, ${id}, 'https://shop' || n || '.example.com/hooks', 'secret-' || n, 'sealed', 0, 0, 0, ${AT}`,
    ),
    of(
      "addresses",
      `id, account_id, network, purpose, address, key_coin_type, key_account, key_branch, key_index,
  nonce_floor, created_at_ms`,
      `20000000 + n, ${id}, 'ETH', 'hot', ${ADDRESS}, 60, ${id}, 1, 0, 0, ${AT}`,
    ),
  ];
}

function addressBulks(size: Size, owner: Owner): Bulk[] {
  const account = accountOf(size, owner);
  const user = "CASE n % 2 WHEN 0 THEN 'customer-' || n END";
  return [
    {
      table: "addresses",
      rows: size.addresses,
      columns: `id, account_id, network, purpose, address, key_coin_type, key_account, key_branch,
  key_index, user_identifier, reusable_at_ms, current_request_id, nonce_floor, created_at_ms`,
      // Addresses of the pool are still in their windows.
      values: `${FIRST_ID} + n, ${account}, 'ETH', 'deposit', ${ADDRESS}, 60, ${account}, 0, n,
  ${user}, CASE n % 2 WHEN 1 THEN 9000000000000 END, ${FIRST_ID} + n, 0, ${AT}`,
    },
    {
      table: "deposit_requests",
      rows: size.addresses,
      columns: `id, account_id, key_id, network, currency, address_id, address, user_identifier,
  display_expires_at_ms, monitored_until_ms, created_at_ms`,
      values: `${FIRST_ID} + n, ${account}, '${owner.keyId}', 'ETH', 'ETH', ${FIRST_ID} + n,
  (SELECT address FROM addresses WHERE id = ${FIRST_ID} + n), ${user}, ${AT}, ${AT}, ${AT}`,
    },
  ];
}

/** Fewer rows of what is rarer than transactions, but as many as lists show and add up. */
const partOf = ({ transactions }: Size, part: number) => Math.max(LEAST, transactions / part);

function historyBulks(size: Size, owner: Owner): Bulk[] {
  const { transactions: rows, addresses } = size;
  const account = accountOf(size, owner);
  const id = `${FIRST_ID} + n`;
  // Below the first block of the chain that is followed later on.
  const block = `n - ${rows + 1}`;
  const isDeposit = "n % 10 > 3";
  const addressId = `${FIRST_ID} + 1 + n % ${addresses}`;
  return [
    {
      table: "transactions",
      rows,
      columns: `id, account_id, network, currency, direction, status, tx_hash, position, live,
  from_address, to_address, amount, block_number, block_hash, sender, sender_nonce, address_id,
  deposit_request_id, withdrawal_id, sweep_id, is_below_minimum, created_at_ms, confirmed_at_ms`,
      // Rare rows come first, where reads look last.
      values: `${id}, ${account}, 'ETH', 'ETH',
  CASE n % 10 WHEN 0 THEN 'withdrawal' WHEN 1 THEN 'withdrawal' WHEN 2 THEN 'sweep'
    WHEN 3 THEN 'gas_topup' ELSE 'deposit' END,
  CASE WHEN n <= 20 THEN 'failed' WHEN n <= 40 THEN 'detected' WHEN ${isDeposit} THEN 'swept'
    ELSE 'confirmed' END,
  ${HASH}, 0, 1, ${ADDRESS}, ${ADDRESS}, '1.25', ${block}, ${HASH}, ${ADDRESS}, n,
  CASE WHEN ${isDeposit} THEN ${addressId} END, CASE WHEN ${isDeposit} THEN ${addressId} END,
  CASE WHEN n % 10 < 2 THEN ${FIRST_ID} + n / 10 * 2 + n % 10 END, CASE WHEN n % 10 > 1 THEN ${FIRST_ID} + n / 10 END,
  n <= 40, ${AT}, ${AT}`,
    },
    {
      table: "withdrawals",
      rows: partOf(size, 5),
      columns:
        `id, account_id, key_id, client_reference, network, currency, to_address, amount, fee,
  status, tx_hash, requested_at_ms, broadcast_at_ms, confirmed_at_ms`,
      values: `${id}, ${account}, '${owner.keyId}', 'order-' || n, 'ETH', 'ETH', ${ADDRESS}, '1.25',
  '0.01', CASE WHEN n <= 20 THEN 'failed' ELSE 'confirmed' END, ${HASH}, ${AT}, ${AT}, ${AT}`,
    },
    {
      table: "sweeps",
      rows: partOf(size, 10),
      columns: `id, account_id, network, currency, address_id, state, failures, next_try_at_ms,
  created_at_ms`,
      values: `${id}, ${account}, 'ETH', 'ETH', ${addressId}, 'done', 0, 0, ${AT}`,
    },
    {
      table: "signed_transactions",
      rows: partOf(size, 5),
      columns:
        `id, network, sender, place, is_live, is_foreign, payment_count, tx_hash, raw, native_cost_max_raw,
  state, block_number, block_hash, is_successful, fee_raw, signed_at_height, created_at_ms,
  sent_at_ms`,
      values:
        `${id}, 'ETH', '${owner.hotWallet}', n, 1, 0, 1, ${HASH}, '0x', '1', 'settled', ${block},
  ${HASH}, 1, '1', ${block}, ${AT}, ${AT}`,
    },
    {
      table: "signed_payments",
      rows: partOf(size, 5),
      columns: `signed_id, position, network, purpose, withdrawal_id, from_address, to_address,
  amount_raw, is_successful`,
      values: `${id}, 0, 'ETH', 'withdrawal', ${id}, '${owner.hotWallet}', ${ADDRESS},
  '1250000000000000000', 1`,
    },
    {
      table: "claims",
      rows: partOf(size, 5),
      columns: "signed_id, claim, network, is_once, live_claim",
      values: `${id}, '${owner.hotWallet}/' || n, 'ETH', 1, '${owner.hotWallet}/' || n`,
    },
    {
      table: "ledger_entries",
      rows,
      columns: `account_id, network, currency, kind, amount, balance_after, held_after,
  transaction_id, created_at_ms`,
      values: `${owner.accountId}, 'ETH', 'ETH', ${LEDGER_KIND}, ${LEDGER_AMOUNT}, '1.25', '0',
  ${id}, ${AT}`,
    },
    ...reportedBulks(size, owner),
  ];
}

/** Rows about what merchants and operators were notified of, and who signed in. */
function reportedBulks(size: Size, owner: Owner): Bulk[] {
  const account = accountOf(size, owner);
  const rows = size.transactions;
  const id = `${FIRST_ID} + n`;
  return [
    {
      table: "events",
      rows,
      columns: "id, event_id, account_id, type, transaction_id, payload, created_at_ms",
      values: `${id}, 'evt_' || n, ${account}, 'deposit.confirmed', ${id},
  '{"id":"evt_' || n || '"}', ${AT}`,
    },
    {
      table: "webhook_deliveries",
      rows,
      columns: "event_id, endpoint_id, state, attempts, next_try_at_ms, settled_at_ms",
      values:
        `${id}, ${owner.endpointId}, CASE WHEN n <= 20 THEN 'dead' ELSE 'delivered' END, 1, ${AT}, ${AT}`,
    },
    {
      table: "webhook_attempts",
      rows: partOf(size, 5),
      columns: "event_id, endpoint_id, at_ms, latency_ms, status, response",
      values: `${FIRST_ID} + n * 5, ${owner.endpointId}, ${AT}, 12, 200, 'ok'`,
    },
    {
      table: "audit_log",
      rows: partOf(size, 5),
      columns: "at_ms, actor, action, subject, detail, hash",
      values:
        `${AT}, 'api:key-' || (n % 7), 'withdrawal.requested', 'withdrawal:' || n, '{}', lower(hex(randomblob(32)))`,
    },
    {
      table: "alerts",
      rows: rows / 1_000,
      columns: "kind, subject, message, created_at_ms, resolved_at_ms",
      values:
        `'deposit_reversed', 'transaction:' || n, 'It was taken out of the chain', ${AT}, ${AT}`,
    },
    { table: "volume_cursor", rows: 1, columns: "id, entry_id", values: `1, ${rows}` },
    // One row for the account, one for all accounts together.
    {
      table: "volumes",
      rows: 365 * 2,
      columns: "account_id, span, starts_at_ms, network, currency, direction, amount, movements",
      values: `CASE WHEN n > 365 THEN 0 ELSE ${owner.accountId} END, 'day',
  ${START_MS} + n % 365 * 86400000, 'ETH', 'ETH', 'deposit', '1.25', 1`,
    },
  ];
}
