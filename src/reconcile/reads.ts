import type { KeyBranch } from "../wallets/rules/key_path.ts";
import type { Db, SqlValue } from "../store/engine/db.ts";

export interface BlockRead {
  readonly height: number;
  readonly hash: string;
}

export interface BookedAddress {
  readonly id: number;
  readonly accountId: number;
  readonly address: string;
  readonly keyBranch: KeyBranch;
  /**
   * Deposits that failed, or whose block may not show them: the chain may reveal later what is
   * already booked.
   */
  readonly corrections: number;
  readonly deposits: readonly BookedRow[];
  readonly topUpsRaw: readonly string[];
  readonly spends: readonly {
    contract: string | null;
    amountRaw: string;
    feeRaw: string;
    hasMoved: boolean;
  }[];
}

export interface BookedRow {
  readonly currency: string;
  readonly status: string;
  readonly amount: string;
  /** False: it was credited and is in no block now. */
  readonly isAnchored: boolean;
}

export interface AddressPage {
  /** Undefined if the books don't have this block; then there are no addresses either. */
  readonly block: BlockRead | undefined;
  readonly addresses: readonly BookedAddress[];
}

export interface AddressesAsked {
  readonly network: string;
  /** Addresses after this id, or exactly these. */
  readonly pick:
    | Readonly<{ accountId?: number | undefined; afterId: number; limit: number }>
    /** Only those that a payment ever reached. */
    | Readonly<{ receivedAfterId: number; limit: number }>
    | { readonly ids: readonly number[] };
  /** As of this block; if absent, as far as the network was read. */
  readonly height?: number;
  /** Deposits from this position down may be missing when their block is read. */
  readonly unseenFrom: number;
  /** What an address moves has the fee in it. Otherwise it pays that besides. */
  readonly isFeeInside?: boolean;
}

/** Needs the position `unseenFrom` twice, whether fees are inside, then the height. */
const BOOKED = `SELECT k.height, k.hash, a.id, a.account_id, a.address, a.key_branch,
  (
    SELECT count(*)
    FROM transactions AS t
    WHERE t.address_id = a.id AND t.direction = 'deposit' AND (t.position <= ? OR t.live IS NULL)
  ) AS corrections,
  (
    SELECT json_group_array(json_array(t.currency, t.status, t.amount, t.block_hash IS NOT NULL))
    FROM transactions AS t
    WHERE t.address_id = a.id AND t.direction = 'deposit' AND t.live = 1
      AND ((t.block_hash IS NULL AND t.status <> 'detected' AND t.position <= ?)
        OR (t.block_hash IS NOT NULL AND t.block_number <= k.height))
  ) AS deposits,
  (
    SELECT json_group_array(p.amount_raw)
    FROM signed_payments AS p INDEXED BY signed_payments_gas
    CROSS JOIN signed_transactions AS t ON t.id = p.signed_id
    WHERE p.network = a.network AND p.to_address = a.address AND p.purpose = 'gas_topup'
      AND t.block_hash IS NOT NULL AND t.block_number <= k.height AND p.is_successful = 1
  ) AS top_ups,
  (
    SELECT json_group_array(json_array(p.contract_address, p.amount_raw,
      iif(t.sender = a.address AND p.position = 0 AND NOT ?, t.fee_raw, '0'),
      p.is_successful = 1 AND p.arrived_raw IS NOT '0'))
    FROM signed_payments AS p INDEXED BY signed_payments_from
    CROSS JOIN signed_transactions AS t ON t.id = p.signed_id
    WHERE p.network = a.network AND p.from_address = a.address
      AND t.block_hash IS NOT NULL AND t.block_number <= k.height
  ) AS spends,
  (
    SELECT json_group_array(json_array(NULL, '0', t.fee_raw, t.is_successful))
    FROM signed_transactions AS t INDEXED BY signed_transactions_sender
    WHERE t.network = a.network AND t.sender = a.address AND t.is_foreign = 1
      AND t.block_hash IS NOT NULL AND t.block_number <= k.height
  ) AS foreign_spends
FROM network_cursors AS n
CROSS JOIN network_blocks AS k ON k.network = n.network AND k.height = coalesce(?, n.scan_height)
CROSS JOIN addresses AS a ON a.network = n.network`;

/**
 * Everything in blocks at these deposit addresses, plus credited deposits that blocks may not show.
 * In one statement, so that nothing moves meanwhile.
 */
export async function bookedAddresses(
  db: Db,
  { network, pick, height, unseenFrom, isFeeInside = false }: AddressesAsked,
): Promise<AddressPage> {
  const [chosen, args] = chosenBy(network, pick);
  const rows = await db.query(
    `${BOOKED}
WHERE n.network = ? AND a.purpose = 'deposit' AND ${chosen}
ORDER BY a.id
LIMIT ?`,
    [unseenFrom, unseenFrom, isFeeInside ? 1 : 0, height ?? null, network, ...args],
  );
  const [first] = rows;
  return {
    block: first && { height: Number(first.height), hash: String(first.hash) },
    addresses: rows.map(bookedAddress),
  };
}

/** Sticky and pool addresses have separate indexes. */
const OF_ACCOUNT = `a.id > ? AND a.id IN (
  SELECT id FROM addresses WHERE account_id = ? AND network = ? AND user_identifier IS NOT NULL
  UNION ALL
  SELECT id FROM addresses WHERE account_id = ? AND network = ? AND reusable_at_ms IS NOT NULL)`;

/** From one to the next in their index: among a million addresses, few ever received anything. */
const RECEIVED = `a.id IN (
  WITH RECURSIVE received (id) AS (
    SELECT min(address_id)
    FROM transactions INDEXED BY transactions_received
    WHERE network = ? AND direction = 'deposit' AND address_id > ?
    UNION ALL
    SELECT (
      SELECT min(t.address_id)
      FROM transactions AS t INDEXED BY transactions_received
      WHERE t.network = ? AND t.direction = 'deposit' AND t.address_id > received.id
    )
    FROM received
    WHERE id IS NOT NULL
    LIMIT ?
  )
  SELECT id FROM received)`;

function chosenBy(
  network: string,
  pick: AddressesAsked["pick"],
): [condition: string, args: (string | number)[]] {
  if ("ids" in pick) {
    const args = [JSON.stringify(pick.ids), pick.ids.length];
    return ["a.id IN (SELECT value FROM json_each(?))", args];
  }
  if ("receivedAfterId" in pick) {
    const { receivedAfterId: afterId, limit } = pick;
    return [RECEIVED, [network, afterId, network, limit, limit]];
  }
  const { accountId, afterId, limit } = pick;
  if (accountId === undefined) return ["a.id > ?", [afterId, limit]];
  return [OF_ACCOUNT, [afterId, accountId, network, accountId, network, limit]];
}

function bookedAddress(row: Record<string, SqlValue>): BookedAddress {
  const deposits: [string, string, string, number][] = JSON.parse(String(row.deposits));
  const spends: [string | null, string, string, number][] = [
    ...JSON.parse(String(row.spends)),
    ...JSON.parse(String(row.foreign_spends)),
  ];
  return {
    id: Number(row.id),
    accountId: Number(row.account_id),
    address: String(row.address),
    keyBranch: Number(row.key_branch) as KeyBranch,
    corrections: Number(row.corrections),
    deposits: deposits.map(([currency, status, amount, isAnchored]) => ({
      currency,
      status,
      amount,
      isAnchored: isAnchored === 1,
    })),
    topUpsRaw: JSON.parse(String(row.top_ups)),
    spends: spends.map(([contract, amountRaw, feeRaw, hasMoved]) => ({
      contract,
      amountRaw,
      feeRaw,
      hasMoved: hasMoved === 1,
    })),
  };
}
