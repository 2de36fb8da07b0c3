import { lastWords } from "../../store/reads/audit.ts";
import type { AuditRow } from "../../store/tables/audit.ts";
import { primaryKeyOf } from "../../store/reads/sealed.ts";
import { ApiKeys, ReceivingWallets } from "../../store/tables/setup.ts";
import type { ApiKeyRow, ReceivingWalletRow } from "../../store/tables/setup.ts";
import type { Table } from "../../store/tables/table.ts";
import { type UserRow, Users } from "../../store/tables/users.ts";
import type { Deps } from "../deps.ts";
import { isGenuine, reportTampered, tampered } from "../books/tampered.ts";

interface Kind<Row extends object> {
  readonly table: Table<Row>;
  subjectOf(row: Row): string;
  /** Whether the row can be the result of these log rows, newest first. */
  follows(row: Row, said: readonly AuditRow[]): boolean;
}

const KEYS: Kind<ApiKeyRow> = {
  table: ApiKeys,
  subjectOf: ({ keyId }) => `key:${keyId}`,
  follows: ({ revokedAtMs }, said) =>
    revokedAtMs !== null || !said.some(({ action }) => action === "key.revoked"),
};

const RECEIVERS: Kind<ReceivingWalletRow> = {
  table: ReceivingWallets,
  subjectOf: ({ accountId }) => `account:${accountId}`,
  follows: ({ network, address }, said) => {
    const details = said.map(({ detail }) => detail as { network?: string; after?: string });
    const last = details.find((detail) => detail.network === network);
    return last === undefined || last.after === address;
  },
};

const USERS: Kind<UserRow> = {
  table: Users,
  subjectOf: ({ id }) => `user:${id}`,
  follows: ({ generation, totpSealed }, said) => {
    const details = said.map(({ detail }) => detail as { generation?: number });
    const last = details.find((detail) => detail.generation !== undefined)?.generation ?? 0;
    const factor = said.find(({ action }) => /second_factor|reset$/.test(action))?.action;
    return generation >= last && (factor !== "user.second_factor_on" || totpSealed !== null);
  },
};

export const isNewestKey = isNewestOf(KEYS);
export const isNewestReceiver = isNewestOf(RECEIVERS);
export const isNewestUser = isNewestOf(USERS);

/**
 * An old row with a valid seal may have been put back. The log knows its latest state, and removing
 * that breaks the log's chain for good.
 */
function isNewestOf<Row extends object>({ table, subjectOf, follows }: Kind<Row>) {
  return async (deps: Pick<Deps, "db" | "clock" | "log">, row: Row): Promise<boolean> => {
    if (!await isGenuine(deps, table, row)) return false;
    if (follows(row, await lastWords(deps.db, subjectOf(row)))) return true;
    // It may have been changed since it was read, which is nothing to report.
    const now = await deps.db.find(table, primaryKeyOf(table, row));
    const isOld = now && !follows(now, await lastWords(deps.db, subjectOf(now)));
    if (isOld) await reportTampered(deps, tampered(table, now));
    return false;
  };
}
