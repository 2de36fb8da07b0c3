import assert from "node:assert/strict";
import { acceptRow } from "../../../src/integrity/manage_integrity.ts";
import { resumeTampered } from "../../../src/integrity/resume.ts";
import { bumpWithdrawal } from "../../../src/withdrawals/push.ts";
import { Withdrawals } from "../../../src/withdrawals/table.ts";
import { type Anvil, startAnvil } from "../../support/nodes/anvil.ts";
import { STRANGER } from "../../support/payers.ts";
import { sentId, settleAll, startPayingWorld, transfersOf } from "../../support/payouts.ts";
import { alertsOf, balanceOf, withdraw } from "../../support/views.ts";
import type { World } from "../../support/world.ts";

/** A signed transaction is several rows, each genuine on its own: what if they don't belong together? */

/** Writes like an attacker who has only the database. */
function sql({ deps }: World, ...statements: readonly string[]): Promise<void> {
  return deps.db.execute(statements.map((text) => ({ sql: text })));
}

async function statusOf({ deps }: World, id: number): Promise<string> {
  return (await deps.db.get(Withdrawals, [id])).status;
}

/** Withdrawals of these amounts that wait in the pool of a chain that mines nothing by itself. */
async function payLater(world: World, ...amounts: readonly string[]): Promise<number[]> {
  await world.anvil.rpc("evm_setAutomine", [false]);
  const ids: number[] = [];
  for (const amount of amounts) {
    ids.push(sentId(await withdraw(world.merchant.api, { to: STRANGER, amount })));
  }
  return ids;
}

async function settleTwice(world: World): Promise<void> {
  await settleAll(world);
  await settleAll(world);
}

async function reportedOf({ deps }: World): Promise<string[]> {
  return (await alertsOf(deps)).filter(({ kind }) => kind === "tampered")
    .map(({ subject }) => subject);
}

/** The row as it is now, to be put back. */
function keep(world: World, table: string): Promise<void> {
  return sql(world, `CREATE TABLE thief AS SELECT * FROM ${table}`);
}

function putBack(world: World, table: string): Promise<void> {
  return sql(world, `DELETE FROM ${table}`, `INSERT INTO ${table} SELECT * FROM thief`);
}

const forged = (from: number, to: number, claim = "claim") =>
  `INSERT INTO claims (signed_id, claim, network, is_once)
SELECT ${to}, ${claim}, network, 1 FROM claims WHERE signed_id = ${from}`;

async function dropFromPool(anvil: Anvil, txHash: string): Promise<void> {
  await anvil.rpc("anvil_dropTransaction", [txHash]);
}

Deno.test("a mined payment whose row is put back as it was signed isn't called failed and given back", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const [id] = await payLater(world, "1");
  await keep(world, "signed_payments");
  await anvil.mine(1);
  await world.round();
  await putBack(world, "signed_payments");
  await settleTwice(world);
  assert.equal(await statusOf(world, id!), "broadcasted");
  assert.equal((await balanceOf(world.merchant.api)).held, "1.0051");
  assert.deepEqual(await reportedOf(world), ["signed_payments:1"]);
});

Deno.test("a claim that somebody put in takes no payment's place away", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const [, second] = await payLater(world, "1", "2");
  const [first, last] = await transfersOf(world);
  await dropFromPool(anvil, last!.txHash);
  await anvil.mine(1);
  await sql(world, forged(first!.id, last!.id));
  await settleTwice(world);
  assert.equal(await statusOf(world, second!), "broadcasted");
  assert.deepEqual(await reportedOf(world), [`claims:2/${first!.sender}/0`]);
});

Deno.test("a dearer bid doesn't inherit a claim that somebody put in", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const [, second] = await payLater(world, "1", "2");
  await sql(world, forged(1, 2, "claim || '0'"));
  await assert.rejects(bumpWithdrawal(world.deps, { id: second!, actor: "test" }), /is not as/);
  assert.equal((await transfersOf(world)).length, 2);
});

Deno.test("a mined bid whose payment somebody deleted doesn't release what it paid", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const [id] = await payLater(world, "1");
  await bumpWithdrawal(world.deps, { id: id!, actor: "test" });
  await anvil.mine(1);
  await world.round();
  await sql(world, "DELETE FROM signed_payments WHERE signed_id = 2");
  await settleTwice(world);
  assert.equal(await statusOf(world, id!), "broadcasted");
});

Deno.test("a bid that restored books don't know isn't booked for what somebody wrote into another bid", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const [first, second] = await payLater(world, "1", "1");
  const { txHash } = await bumpWithdrawal(world.deps, { id: first!, actor: "test" });
  const [, other] = await transfersOf(world);
  await dropFromPool(anvil, other!.txHash);
  await sql(
    world,
    "PRAGMA defer_foreign_keys = ON",
    "DELETE FROM claims WHERE signed_id = 3",
    "DELETE FROM signed_payments WHERE signed_id = 3",
    "DELETE FROM signed_transactions WHERE id = 3",
    `UPDATE signed_payments SET withdrawal_id = ${second} WHERE signed_id = 1`,
  );
  await anvil.mine(1);
  await settleTwice(world);
  assert.notEqual((await world.deps.db.get(Withdrawals, [second!])).txHash, txHash);
  assert.deepEqual(
    [await statusOf(world, first!), await statusOf(world, second!)],
    ["broadcasted", "broadcasted"],
  );
});

Deno.test("a wallet whose last payment somebody deleted pays again once its operator has looked", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { api } = world.merchant;
  const order = { to: STRANGER, amount: "1" };
  sentId(await withdraw(api, order));
  await settleAll(world);
  await sql(world, "DELETE FROM signed_payments");
  await world.restart();
  assert.equal((await withdraw(api, order)).status, 502);
  assert.deepEqual(await reportedOf(world), ["account:1 signed_transactions:1"]);
  await assert.rejects(resumeTampered(world.deps, { accountId: 1, actor: "test" }));
  await acceptRow(world.deps, { table: "signed_transactions", key: "1", actor: "test" });
  await resumeTampered(world.deps, { accountId: 1, actor: "test" });
  sentId(await withdraw(api, order));
});
