import { factorsSaid } from "../access/rules/second_factors.ts";
import { type ApiKeyRow, ApiKeys, type RoleKeyRow, RoleKeys } from "../access/tables/keys.ts";
import { type UserRow, Users } from "../access/tables/users.ts";
import { type ReceivingWalletRow, ReceivingWallets } from "../accounts/tables/accounts.ts";
import type { AuditRow } from "../audit/table.ts";
import { isGenuine, reportTampered } from "../books/tampered.ts";
import { lastReceiverWords, lastWords } from "../control/reads/last_words.ts";
import type { Deps } from "../deps/deps.ts";
import { hasTerms, saidOfKey } from "./key_terms.ts";
import { type LaterChange, outOfDate } from "./rules/refusals.ts";
import type { Db } from "../store/engine/db.ts";
import { tampered, TamperedRow } from "../store/engine/tampered_row.ts";
import { primaryKeyOf } from "../store/reads/sealed.ts";
import type { SealedRow } from "../store/reads/sealed_row.ts";
import type { AnyRow, Table } from "../store/tables/table.ts";

interface Kind<Row extends AnyRow> {
  readonly table: Table<Row>;
  /** The log's last rows about it, newest first. */
  said(db: Db, row: Row): Promise<readonly AuditRow[]>;
  /** Whether the row can be their result. */
  follows(row: Row, said: readonly AuditRow[], db: Db): boolean;
  /** What the audit log says otherwise. */
  changeIn(said: readonly AuditRow[]): LaterChange;
}

const KEYS: Kind<ApiKeyRow> = {
  table: ApiKeys,
  said: (db, { keyId }) => lastWords(db, `key:${keyId}`),
  follows: (row, said) => {
    const { isRevoked, terms } = saidOfKey(said);
    return row.revokedAtMs !== null || !isRevoked && (!terms || hasTerms(row, terms));
  },
  changeIn: (said) => saidOfKey(said).isRevoked ? "key_revoked" : "key_changed",
};

const ROLE_KEYS: Kind<RoleKeyRow> = {
  table: RoleKeys,
  said: (db, { keyId }) => lastWords(db, `key:${keyId}`),
  follows: (row, said) => row.revokedAtMs !== null || !saidOfKey(said).isRevoked,
  changeIn: () => "key_revoked",
};

const RECEIVERS: Kind<ReceivingWalletRow> = {
  table: ReceivingWallets,
  said: lastReceiverWords,
  follows: ({ address, nextAddress, nextAtMs }, said) => {
    const last = said[0]?.detail;
    if (last === undefined) return true;
    return last.after === address && (last.next ?? null) === nextAddress &&
      (last.nextAtMs ?? null) === nextAtMs;
  },
  changeIn: () => "receiver_set",
};

const USERS: Kind<UserRow> = {
  table: Users,
  said: (db, { id }) => lastWords(db, `user:${id}`),
  follows: (user, said, db) => {
    const { generation } = user;
    const generations = said.map(({ detail }) => detail.generation);
    const last = generations.find((one) => typeof one === "number") ?? 0;
    const factor = said.find(({ action }) => /second_factor|reset$/.test(action));
    return generation >= last && (!factor || hasFactorsOf(user, factor)) &&
      hasCodesOf(user, said, db);
  },
  changeIn: () => "user_changed",
};

/** Before there were passkeys, the log only had whether codes were switched on. */
function hasFactorsOf(user: UserRow, { action, detail }: AuditRow): boolean {
  if (action === "user.reset") return true;
  const { after } = detail;
  if (after === undefined) return action === "user.second_factor_off" || user.totpSealed !== null;
  return JSON.stringify(after) === JSON.stringify(factorsSaid(user));
}

/** Before used codes were noted, the log said nothing of those that are left. */
function hasCodesOf(user: UserRow, said: readonly AuditRow[], db: Db): boolean {
  const codes = said.find(({ action }) => /second_factor|recovery_code|reset$/.test(action))
    ?.detail.codes;
  return typeof codes !== "string" || codes === codesSaid(user, db);
}

/** For the audit log: which recovery codes are left, and nobody can tell one from it. */
export function codesSaid({ recoveryHashes }: UserRow, db: Db): string | null {
  return db.seals()?.mac(`recovery codes/${recoveryHashes.join()}`) ?? null;
}

const KINDS: readonly Kind<AnyRow>[] = [KEYS, ROLE_KEYS, RECEIVERS, USERS];

export const isNewestKey = isNewestOf(KEYS);
export const isNewestRoleKey = isNewestOf(ROLE_KEYS);
export const isNewestReceiver = isNewestOf(RECEIVERS);
export const isNewestUser = isNewestOf(USERS);

/** The row has a valid seal, and the log says that it is out of date. */
export class OldRow extends TamperedRow {
  override name = "OldRow";
  override until = "the change is made again";

  constructor({ table, key, accountId }: TamperedRow, readonly change: LaterChange) {
    super(table, { key, accountId }, outOfDate({ table, key, change }));
    this.advice = { code: "change_again", change };
  }
}

/** Why the log contradicts the row as it is in the database; undefined if it doesn't. */
export async function whyOld(
  db: Db,
  { table, values }: SealedRow,
): Promise<OldRow | undefined> {
  const kind = KINDS.find((one) => one.table.name === table.name);
  const row = kind && await db.find(kind.table, values);
  if (!row) return undefined;
  const said = await kind.said(db, row);
  if (kind.follows(row, said, db)) return undefined;
  return new OldRow(tampered(table, row), kind.changeIn(said));
}

/**
 * An old row with a valid seal may have been put back. The log knows its latest state, and removing
 * that breaks the log's chain for good.
 */
function isNewestOf<Row extends AnyRow>({ table, said, follows }: Kind<Row>) {
  return async (deps: Pick<Deps, "db" | "clock" | "log">, row: Row): Promise<boolean> => {
    if (!await isGenuine(deps, table, row)) return false;
    if (follows(row, await said(deps.db, row), deps.db)) return true;
    // It may have been changed since it was read, which is nothing to report.
    const old = await whyOld(deps.db, { table, values: primaryKeyOf(table, row) });
    if (old) await reportTampered(deps, old);
    return false;
  };
}
