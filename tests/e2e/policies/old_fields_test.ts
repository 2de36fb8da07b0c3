import assert from "node:assert/strict";
import { setSettings } from "../../../src/access/require_second_factor.ts";
import type { SettingsRow } from "../../../src/access/tables/users.ts";
import { enableCurrency } from "../../../src/accounts/enable_currency.ts";
import { suspendAccount } from "../../../src/accounts/suspend.ts";
import type { AccountCurrencyRow, AccountRow } from "../../../src/accounts/tables/accounts.ts";
import { checkAccountNoted } from "../../../src/integrity/account_noted.ts";
import { addPayee } from "../../../src/payees/payees.ts";
import { addSource } from "../../../src/rates/manage.ts";
import type { WithdrawalRow } from "../../../src/withdrawals/table.ts";
import { makeDual, refusalOf } from "./_dual.ts";
import { makeRuled, OUTSIDE, type Ruled } from "./_ruled.ts";

/** The audit log has the last word, as this proves; or why the gateway trusts an old row there. */
type Word = ((table: string) => Promise<void>) | string;

/**
 * An old row that somebody puts back has a valid seal. A new column doesn't compile without a word
 * on what happens then.
 */
const FIELDS: {
  readonly accounts: Readonly<Record<keyof AccountRow, Word>>;
  readonly account_currencies: Readonly<Record<keyof AccountCurrencyRow, Word>>;
  readonly settings: Readonly<Record<keyof SettingsRow, Word>>;
} = {
  accounts: {
    id: "it never changes",
    name: "it only says whose account it is",
    mayPush: "its users may bump, resend and revoke again, which pays nobody else",
    suspendedAtMs: staysSuspended,
    suspendedReason: "it is only shown",
    createdAtMs: "it never changes",
    coolingMs: "a receiving wallet may wait less, but changing it takes more than the database",
    requiresSecondFactor: "whoever has a second factor is asked for it all the same",
    dualControl: staysDual,
    reporting: "it says what entries are valued in, and amounts stay",
    quotaMb: "it says how much is stored, and nothing is paid by it",
    delegatesNative: "it says how coins are swept, and they reach the same wallet",
  },
  account_currencies: {
    accountId: "it never changes",
    network: "it never changes",
    currency: "it never changes",
    isDepositEnabled: "what is paid in is booked in any case",
    isWithdrawalEnabled: staysOff,
    isDepositBarred: "what is paid in is booked in any case",
    isWithdrawalBarred: staysBarred,
  },
  settings: {
    id: "it never changes",
    requiresSecondFactor: "whoever has a second factor is asked for it all the same",
    dualControl: staysDual,
  },
};

for (const [table, fields] of Object.entries(FIELDS)) {
  for (const [field, word] of Object.entries<Word>(fields)) {
    if (typeof word === "string") continue;
    Deno.test(`an old row of ${table} can't undo ${field}`, () => word(table));
  }
}

const keep = ({ deps }: Ruled, table: string) =>
  deps.db.execute([{ sql: `CREATE TABLE thief AS SELECT * FROM ${table}` }]);

/** Like an attacker who has only the database; for a program that starts afterwards. */
async function putBack({ deps, open }: Ruled, table: string) {
  await deps.db.execute(
    ["PRAGMA foreign_keys = OFF", `INSERT OR REPLACE INTO ${table} SELECT * FROM thief`]
      .map((sql) => ({ sql })),
  );
  return await open();
}

async function hold({ request }: Ruled): Promise<WithdrawalRow> {
  const row = await request("1");
  return typeof row === "string" ? assert.fail(row) : row;
}

async function staysSuspended(table: string): Promise<void> {
  await using ruled = await makeRuled();
  const { deps, accountId } = ruled;
  const row = await hold(ruled);
  await keep(ruled, table);
  await suspendAccount(deps, { accountId, reason: "stolen key", actor: "test" });
  const other = await putBack(ruled, table);
  await assert.rejects(checkAccountNoted(other, row), { name: "OldRow" });
}

async function staysDual(table: string): Promise<void> {
  const before = async (ruled: Ruled) => {
    await setSettings(ruled.deps, { change: { requiresSecondFactor: false }, actor: "test" });
    await keep(ruled, table);
  };
  await using dual = await makeDual({ before });
  const { accountId } = dual;
  const other = await putBack(dual, table);
  const place = { accountId, network: "ETH", address: OUTSIDE };
  const price = { base: "ETH", quote: "USD", kind: "manual", value: "1" } as const;
  const loosen = table === "accounts"
    ? addPayee(other, { ...place, label: "x", usableAfterMs: 0, actor: "test" })
    : addSource(other, { ...price, actor: "test" });
  assert.equal(await refusalOf(loosen), "second_person_needed");
}

async function switchOff(table: string) {
  const ruled = await makeRuled();
  const { deps, accountId } = ruled;
  const before = await hold(ruled);
  await keep(ruled, table);
  const order = { accountId, network: "ETH", currency: "ETH", isOperator: true, actor: "test" };
  const off = { isDepositEnabled: undefined, isWithdrawalEnabled: false };
  await enableCurrency(deps, { ...order, ...off });
  const other = await putBack(ruled, table);
  return { ruled, before, other };
}

async function staysOff(table: string): Promise<void> {
  const { ruled, before, other } = await switchOff(table);
  await using _ = ruled;
  await assert.rejects(checkAccountNoted(other, before), { name: "OldRow" });
}

async function staysBarred(table: string): Promise<void> {
  const { ruled, other } = await switchOff(table);
  await using _ = ruled;
  const row = await hold(ruled);
  await assert.rejects(checkAccountNoted(other, row), { name: "WronglyAccepted" });
}
