import type { Db } from "../engine/db.ts";
import { type Fact, hasOne } from "./listing.ts";

const ADDRESSES_OF_USER_MAX = 200;

interface Owner {
  /** Null: anybody. */
  readonly accountId: number | null;
}

/** At our address, whatever it is for; it can be ours on several networks. */
export async function isAtAddress(
  db: Db,
  { accountId, address }: Owner & { readonly address: string },
): Promise<Fact> {
  const [owned, owner] = accountId === null ? ["", []] : ["AND account_id = ?", [accountId]];
  return await idsOf(
    db,
    `SELECT id
FROM addresses
WHERE network IN (SELECT code FROM networks) AND address = ? ${owned}`,
    [address, ...owner],
  );
}

/** At an address of this user, who has one on each network. */
export async function isOfUser(
  db: Db,
  { accountId, user }: Owner & { readonly user: string },
): Promise<Fact> {
  if (accountId !== null) {
    return await idsOf(
      db,
      `SELECT id
FROM addresses INDEXED BY addresses_sticky
WHERE account_id = ? AND network IN (SELECT code FROM networks) AND user_identifier = ?`,
      [accountId, user],
    );
  }
  return await idsOf(
    db,
    `SELECT id
FROM addresses
WHERE user_identifier = ?
ORDER BY id DESC
LIMIT ${ADDRESSES_OF_USER_MAX}`,
    [user],
  );
}

async function idsOf(db: Db, sql: string, args: readonly (string | number)[]): Promise<Fact> {
  const rows = await db.query(sql, args);
  return hasOne("address_id", rows.map(({ id }) => Number(id)));
}
