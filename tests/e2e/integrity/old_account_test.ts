import assert from "node:assert/strict";
import { enableCurrency } from "../../../src/accounts/enable_currency.ts";
import { suspendAccount, unsuspendAccount } from "../../../src/accounts/suspend.ts";
import { setCheckout } from "../../../src/checkout/checkout.ts";
import { resumeTampered } from "../../../src/integrity/resume.ts";
import { broadcastWithdrawal } from "../../../src/withdrawals/broadcast.ts";
import { cancelWithdrawal } from "../../../src/withdrawals/cancel.ts";
import { createWithdrawal } from "../../../src/withdrawals/create.ts";
import type { WithdrawalRow } from "../../../src/withdrawals/table.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { ETHER } from "../../support/payers.ts";
import { receivedBy, startPayingWorld } from "../../support/payouts.ts";
import { alertsOf } from "../../support/views.ts";
import type { World } from "../../support/world.ts";

const PAYEE = "0x00000000000000000000000000000000000A11cE";

/** Writes like an attacker who has only the database. */
function sql({ deps }: World, ...statements: readonly string[]): Promise<void> {
  return deps.db.execute(statements.map((text) => ({ sql: text })));
}

const keep = (table: string) => `CREATE TABLE thief AS SELECT * FROM ${table}`;
const putBack = (table: string) => `INSERT OR REPLACE INTO ${table} SELECT * FROM thief`;
const NO_KEYS = "PRAGMA foreign_keys = OFF";

async function hold({ deps, merchant }: World): Promise<WithdrawalRow> {
  const { accountId, credentials: { keyId } } = merchant;
  const { row } = await createWithdrawal(deps, {
    ...{ network: "ETH", currency: "ETH", toAddress: PAYEE, amount: "1" },
    caller: { accountId, keyId, actor: "test", signature: null },
    clientReference: null,
  });
  return row;
}

/** As a worker does. */
const send = ({ deps }: World, row: WithdrawalRow) =>
  broadcastWithdrawal(deps, row, { actor: "worker" });

async function tamperedRows({ deps }: World): Promise<string[]> {
  return (await alertsOf(deps)).filter(({ kind }) => kind === "tampered")
    .map(({ subject }) => subject);
}

Deno.test("a suspended account whose old row is put back pays nothing, held before or after", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { accountId } } = world;
  const before = await hold(world);
  await sql(world, keep("accounts"));
  await suspendAccount(deps, { accountId, reason: "stolen key", actor: "test" });
  await assert.rejects(send(world, before), { name: "NotSignedYet" });
  await sql(world, NO_KEYS, putBack("accounts"));
  const after = await hold(world);
  await assert.rejects(send(world, before), { name: "OldRow" });
  assert.deepEqual(await tamperedRows(world), ["account:1 accounts:1"]);
  await assert.rejects(send(world, after), { name: "WronglyAccepted" });
  await suspendAccount(deps, { accountId, reason: "stolen key", actor: "test" });
  await unsuspendAccount(deps, { accountId, actor: "test" });
  const resume = () => resumeTampered(deps, { accountId, actor: "test" });
  await assert.rejects(resume(), { code: "withdrawal_not_allowed" });
  await cancelWithdrawal(deps, { id: after.id, actor: "test" });
  await resume();
  assert.equal((await send(world, before)).status, "broadcasted");
  await anvil.mine(1);
  assert.equal(await receivedBy(anvil, PAYEE), ETHER);
});

Deno.test("by the old row of a barred currency nothing is paid, held before or after", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { accountId } } = world;
  const order = { accountId, network: "ETH", currency: "ETH", isOperator: true, actor: "test" };
  const before = await hold(world);
  await sql(world, keep("account_currencies"));
  await enableCurrency(deps, { ...order, isDepositEnabled: true, isWithdrawalEnabled: false });
  await assert.rejects(hold(world), { code: "withdrawals_disabled" });
  // Other settings of the account, which its people change as often as they like.
  for (let i = 0; i < 101; i++) {
    await setCheckout(deps, { accountId, change: { digits: 6 }, actor: "test" });
  }
  await sql(world, NO_KEYS, putBack("account_currencies"));
  const after = await hold(world);
  await assert.rejects(send(world, before), { name: "OldRow" });
  assert.deepEqual(await tamperedRows(world), ["account:1 account_currencies:1/ETH/ETH"]);
  await assert.rejects(send(world, after), { name: "WronglyAccepted" });
  for (const isWithdrawalEnabled of [false, true]) {
    await enableCurrency(deps, { ...order, isDepositEnabled: true, isWithdrawalEnabled });
  }
  await cancelWithdrawal(deps, { id: after.id, actor: "test" });
  await resumeTampered(deps, { accountId, actor: "test" });
  assert.equal((await send(world, before)).status, "broadcasted");
  await anvil.mine(1);
  assert.equal(await receivedBy(anvil, PAYEE), ETHER);
});
