import { OPEN_WITHDRAWAL_STATUSES } from "../../withdrawals/rules/moves.ts";
import type { Db } from "../../store/engine/db.ts";
import { OPEN_WITHDRAWALS, type WithdrawalRow, Withdrawals } from "../../withdrawals/table.ts";
import type { Condition } from "../../store/lists/order.ts";
import type { SearchOrder } from "./codes.ts";
import type { SearchTerm } from "./term.ts";

/** Of each way to open ones. */
const OPEN_MAX = 1_000;
const KEYS_MAX = 1_000;

/** By reference or recipient: no index that an order pays for leads to parts of them. */
export function openWithdrawalsLike(
  db: Db,
  { term, accountId, limit }: SearchOrder,
): Promise<WithdrawalRow[]> {
  const ways = accountId === null ? ofAll() : ofAccount(accountId);
  const [like, ...values] = likeTerm(term);
  return db.rows(
    Withdrawals,
    `WHERE id IN (
  SELECT id
  FROM (${ways.map(([sql]) => `SELECT * FROM (${sql} LIMIT ${OPEN_MAX})`).join(" UNION ALL ")})
  WHERE status IN ${OPEN_WITHDRAWALS} AND (${like})
)
ORDER BY id DESC
LIMIT ?`,
    [...ways.flatMap(([, ...args]) => args), ...values, limit],
  );
}

const COLUMNS = "SELECT id, status, client_reference, to_address FROM withdrawals";

function ofAll(): Condition[] {
  return OPEN_WITHDRAWAL_STATUSES.map((status) => [
    `${COLUMNS} INDEXED BY withdrawals_status WHERE status = ? ORDER BY id DESC`,
    status,
  ]);
}

/** The newest of any status, and open ones however old. */
function ofAccount(accountId: number): Condition[] {
  const open = OPEN_WITHDRAWAL_STATUSES.map((status): Condition => [
    `${COLUMNS} INDEXED BY withdrawals_kind WHERE account_id = ? AND status = ?`,
    accountId,
    status,
  ]);
  return [
    [
      `${COLUMNS} INDEXED BY withdrawals_account WHERE account_id = ? ORDER BY id DESC`,
      accountId,
    ],
    ...open,
  ];
}

function likeTerm({ folded, begins, end }: SearchTerm): Condition {
  // No address begins with nothing.
  const begin = begins[0] ?? "";
  const ends = end === null ? [] : [-end.length, end];
  const byEnd = "substr(lower(to_address), ?) = ?";
  const more = end === null ? "" : end === folded ? `OR ${byEnd}` : `AND ${byEnd}`;
  return [
    `substr(lower(client_reference), 1, ?) = ? OR substr(lower(to_address), 1, ?) = ? ${more}`,
    ...[folded.length, folded, Math.max(1, begin.length), begin, ...ends],
  ];
}

/** Of any status, and however many others there are: by the whole reference, in its case. */
export function withdrawalsReferenced(
  db: Db,
  { term: { text }, accountId, limit }: SearchOrder,
): Promise<WithdrawalRow[]> {
  const keys = accountId === null
    ? `rowid > 0 ORDER BY rowid DESC LIMIT ${KEYS_MAX}`
    : `account_id = ? LIMIT ${KEYS_MAX}`;
  return db.rows(
    Withdrawals,
    `INDEXED BY withdrawals_reference
WHERE key_id IN (SELECT key_id FROM api_keys WHERE ${keys}) AND client_reference = ?
ORDER BY id DESC
LIMIT ?`,
    [...accountId === null ? [] : [accountId], text, limit],
  );
}
