import { PAY_IN } from "../accounts/rules/usable.ts";
import type { Db } from "../store/engine/db.ts";
import { type SignedTransactionRow, SignedTransactions } from "../transfers/table.ts";
import { type CollectorRow, Collectors } from "./table.ts";

/** Newest first. */
export function collectorRows(db: Db, network: string): Promise<CollectorRow[]> {
  return db.rows(
    Collectors,
    "WHERE network = ? ORDER BY created_at_ms DESC, nonce DESC",
    [network],
  );
}

/** The transaction that deploys it, in a block or not; undefined if it failed or never will be. */
export async function deploymentOf(
  db: Db,
  { network, owner, nonce }: Pick<CollectorRow, "network" | "owner" | "nonce">,
): Promise<SignedTransactionRow | undefined> {
  const [tx] = await db.rows(
    SignedTransactions,
    `WHERE network = ? AND sender = ? AND place = ? AND is_foreign = 0 AND payment_count = 0
  AND state IN ('open', 'settled') AND is_successful IS NOT 0
ORDER BY block_hash IS NULL, id DESC LIMIT 1`,
    [network, owner, nonce],
  );
  return tx;
}

/** All that customers were ever given on this network. */
export async function depositAddresses(db: Db, network: string): Promise<string[]> {
  const rows = await db.query(
    "SELECT address FROM addresses WHERE purpose = 'deposit' AND network = ? ORDER BY id",
    [network],
  );
  return rows.map(({ address }) => String(address));
}

/** What collecting has cost: all that gas wallets signed but what sends coins or nothing. */
export async function collectingFees(db: Db, network: string): Promise<bigint> {
  const rows = await db.query(
    `SELECT t.fee_raw
FROM addresses AS a
CROSS JOIN signed_transactions AS t ON t.network = a.network AND t.sender = a.address
WHERE a.network = ? AND a.purpose = 'gas' AND t.is_foreign = 0 AND t.fee_raw IS NOT NULL
  AND t.block_hash IS NOT NULL AND NOT EXISTS (
    SELECT 1
    FROM signed_payments AS p
    WHERE p.signed_id = t.id AND p.from_address = t.sender)`,
    [network],
  );
  return rows.reduce((sum, row) => sum + BigInt(String(row.fee_raw)), 0n);
}

/** Sweeps of an address that have begun. */
export async function sweepsUnderWay(db: Db, addressId: number): Promise<number[]> {
  const rows = await db.query(
    `SELECT id
FROM sweeps
WHERE address_id = ? AND open = 1 AND state IN ('funding', 'sweeping')
ORDER BY id`,
    [addressId],
  );
  return rows.map(({ id }) => Number(id));
}

/** Of these accounts, those whose customers may pay the network's coin. */
export async function accountsWithCoin(
  db: Db,
  { network, symbol, accountIds }: {
    network: string;
    symbol: string;
    accountIds: readonly number[];
  },
): Promise<ReadonlySet<number>> {
  const rows = await db.query(
    `SELECT account_id
FROM account_currencies
WHERE account_id IN (SELECT value FROM json_each(?)) AND network = ? AND currency = ?
  AND ${PAY_IN.isOnSql}`,
    [JSON.stringify(accountIds), network, symbol],
  );
  return new Set(rows.map(({ account_id }) => Number(account_id)));
}
