import assert from "node:assert/strict";
import { AccountCurrencies } from "../../src/accounts/tables/accounts.ts";
import { parse, readSources, type SourceFile } from "./source.ts";

/** Besides the decision: who switches it, and what shows the switches as they are. */
const READERS = [
  "src/accounts/enable_currency.ts",
  "src/accounts/rules/usable.ts",
  "src/accounts/shapes.ts",
];

const { columns, keys } = AccountCurrencies;
const SWITCHES = columns.filter(({ field }) => !keys.primary.includes(field));

Deno.test("whether an account may use a currency is decided by its switches in one place only", async () => {
  const sources = await readSources(new URL("../../", import.meta.url), ["src/"]);
  const readers = sources.filter(readsSwitch).map(({ path }) => path);
  assert.deepEqual(readers.toSorted(), READERS);
});

Deno.test("a switch of an account's currency is found however it is read, and not where it is set", () => {
  const reads = (text: string) => readsSwitch(parse("src/a.ts", text));
  assert.ok(reads("export const on = row?.isDepositEnabled ?? false;"));
  assert.ok(reads("export const on = rows.filter(({ isWithdrawalEnabled: is }) => is);"));
  assert.ok(reads("export const SQL = `WHERE ${own} AND e.is_deposit_enabled = 1`;"));
  assert.ok(!reads("export const order = { isDepositEnabled: true };"));
  assert.ok(!reads("export const said = \"json_extract(detail, '$.isWithdrawalEnabled')\";"));
});

function readsSwitch({ names, strings }: SourceFile): boolean {
  return SWITCHES.some(({ field, name }) =>
    [...names].some((read) => read.endsWith(`.${field}`)) ||
    strings.some((text) => new RegExp(`\\b${name}\\b`).test(text))
  );
}
