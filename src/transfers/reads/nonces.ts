import { type Db, queryOne } from "../../store/engine/db.ts";
import { type SignedTransferRow, SignedTransfers } from "../table.ts";

/** Transfers that occupy a nonce from this one on, pending or mined for good; lowest first. */
export function heldNoncesOf(
  db: Db,
  { network, sender, fromNonce }: { network: string; sender: string; fromNonce: number },
): Promise<SignedTransferRow[]> {
  return db.rows(
    SignedTransfers,
    `WHERE network = ? AND sender = ? AND nonce >= ? AND state IN ('open', 'settled')
ORDER BY nonce`,
    [network, sender, fromNonce],
  );
}

export type TransferCost = Pick<
  SignedTransferRow,
  "nonce" | "contractAddress" | "amountRaw" | "nativeCostMaxRaw"
>;

/** The same, but only the maximum cost of each: a busy wallet has thousands. */
export async function heldCostsOf(
  db: Db,
  { network, sender, fromNonce }: { network: string; sender: string; fromNonce: number },
): Promise<TransferCost[]> {
  const row = await queryOne(
    db,
    `SELECT json_group_array(
  json_array(nonce, contract_address, amount_raw, native_cost_max_raw)) AS costs
FROM signed_transfers
WHERE network = ? AND sender = ? AND nonce >= ? AND state IN ('open', 'settled')`,
    [network, sender, fromNonce],
  );
  const costs: [number, string | null, string, string][] = JSON.parse(String(row.costs));
  return costs.map(([nonce, contractAddress, amountRaw, nativeCostMaxRaw]) => ({
    nonce,
    contractAddress,
    amountRaw,
    nativeCostMaxRaw,
  }));
}

/** Nonces from this one on, whatever happened to the transfers signed with them. */
export async function signedNonces(
  db: Db,
  { network, sender, fromNonce }: { network: string; sender: string; fromNonce: number },
): Promise<number[]> {
  const rows = await db.query(
    `SELECT nonce
FROM signed_transfers
WHERE network = ? AND sender = ? AND nonce >= ? AND purpose <> 'foreign'`,
    [network, sender, fromNonce],
  );
  return rows.map(({ nonce }) => Number(nonce));
}

/** How many of a wallet's nonces in this range are known to be in blocks. */
export async function minedNonces(
  db: Db,
  { network, sender, fromNonce, belowNonce }: {
    network: string;
    sender: string;
    fromNonce: number;
    belowNonce: number;
  },
): Promise<number> {
  const row = await queryOne(
    db,
    `SELECT count(DISTINCT nonce) AS count
FROM signed_transfers
WHERE network = ? AND sender = ? AND nonce >= ? AND nonce < ? AND block_hash IS NOT NULL`,
    [network, sender, fromNonce, belowNonce],
  );
  return Number(row.count);
}

/** Transfers from this nonce on that were signed elsewhere with a wallet's key. */
export function foreignSpendsOf(
  db: Db,
  { network, sender, fromNonce }: { network: string; sender: string; fromNonce: number },
): Promise<SignedTransferRow[]> {
  return db.rows(
    SignedTransfers,
    "WHERE network = ? AND sender = ? AND nonce >= ? AND purpose = 'foreign' ORDER BY nonce",
    [network, sender, fromNonce],
  );
}

/**
 * Foreign transfers that nobody has explained yet, oldest first. Each was reported once; whether
 * that alert is still open says nothing about the books.
 */
export function unexplainedSpends(
  db: Db,
  { network, limit }: { network: string; limit: number },
): Promise<SignedTransferRow[]> {
  return db.rows(
    SignedTransfers,
    `INDEXED BY signed_transfers_hash
WHERE network = ? AND tx_hash IN (SELECT subject FROM alerts WHERE kind = 'foreign_spend')
  AND purpose = 'foreign'
ORDER BY block_number, nonce
LIMIT ?`,
    [network, limit],
  );
}

/** The highest nonce this installation ever used for the wallet. */
export async function lastUsedNonce(
  db: Db,
  { network, sender }: { network: string; sender: string },
): Promise<number | undefined> {
  const [row] = await db.query(
    `SELECT max(nonce) AS nonce
FROM signed_transfers
WHERE network = ? AND sender = ?`,
    [network, sender],
  );
  return row?.nonce === null || row?.nonce === undefined ? undefined : Number(row.nonce);
}

/** The wallet's first transaction that is in no block, if it has a lower nonce than this one. */
export async function transferAhead(
  db: Db,
  { network, sender, nonce }: Pick<SignedTransferRow, "network" | "sender" | "nonce">,
): Promise<SignedTransferRow | undefined> {
  const [row] = await db.rows(
    SignedTransfers,
    `INDEXED BY signed_transfers_open
WHERE network = ? AND sender = ? AND state = 'open' AND nonce < ?
  AND live_nonce IS NOT NULL AND block_hash IS NULL
ORDER BY nonce LIMIT 1`,
    [network, sender, nonce],
  );
  return row;
}
