import assert from "node:assert/strict";
import { setReceivingWallet } from "../../../src/accounts/receiving_wallet.ts";
import { setAccount } from "../../../src/accounts/set_account.ts";
import { present } from "../../../src/base/assert.ts";
import { findNetwork } from "../../../src/books/find.ts";
import { acceptRow } from "../../../src/integrity/manage_integrity.ts";
import { outbidTransfer } from "../../../src/transfers/outbid.ts";
import { withPayments } from "../../../src/transfers/reads/transfers.ts";
import { SignedTransactions } from "../../../src/transfers/table.ts";
import {
  checkBooks,
  heldBy,
  PAID,
  type Scene,
  startScene,
  statesOf,
  switchOn,
} from "../../support/collecting.ts";
import { enable } from "../../support/gateway.ts";
import { signedRows } from "../../support/signed_rows.ts";
import { depositStates, payIn, RECEIVER } from "../../support/sweeping.ts";
import { alertsOf, allocate, transactionsOf } from "../../support/views.ts";

const OTHER_RECEIVER = "0x00000000000000000000000000000000000bEEf2";

const CHANGES = {
  "a deposit": {
    table: "transactions",
    sql: "UPDATE transactions SET from_address = to_address WHERE id = ?",
    which: "SELECT max(id) AS id FROM transactions WHERE account_id = 2 AND direction = 'deposit'",
  },
  "what the account sees": {
    table: "transactions",
    sql: "UPDATE transactions SET from_address = to_address WHERE id = ?",
    which: "SELECT max(id) AS id FROM transactions WHERE account_id = 2 AND direction = 'sweep'",
  },
  "a sweep": {
    table: "sweeps",
    sql: "UPDATE sweeps SET created_at_ms = 1 WHERE id = ?",
    which: "SELECT max(id) AS id FROM sweeps WHERE account_id = 2",
  },
};

const AN_ACCOUNT = {
  table: "accounts",
  sql: "UPDATE accounts SET name = 'Evil' WHERE id = ?",
  which: "SELECT 2 AS id",
};

type Change = typeof AN_ACCOUNT;

/** Two accounts' sweeps are signed in one batch, which no block has taken yet. */
async function startBatch(): Promise<Scene> {
  const scene = await startScene(3);
  const { world, token, anvil } = scene;
  const { deps } = world;
  const { accountId, api } = await world.addMerchant("Other");
  await enable(deps, { accountId, network: "ETH", currency: "USDT" });
  await setAccount(deps, { id: accountId, change: { delegatesNative: true }, actor: "test" });
  const wallet = { accountId, network: "ETH", address: OTHER_RECEIVER };
  await setReceivingWallet(deps, { ...wallet, isNow: true, actor: "test" });
  const { address } = await allocate(api, { currency: "USDT", user: "other" });
  await payIn(world, { to: address, raw: PAID, token });
  await scene.look(4);
  await switchOn(scene, { collect: "batch" });
  await anvil.rpc("evm_setAutomine", [false]);
  await world.turn(1);
  assert.deepEqual(await statesOf(scene), Array(4).fill("sweeping"));
  return scene;
}

/** Returns its key. */
async function change({ world: { deps } }: Scene, { sql, which }: Change): Promise<string> {
  const [row] = await deps.db.query(which);
  const id = Number(present(row, "It is there").id);
  await deps.db.execute([{ sql, args: [id] }]);
  return String(id);
}

const tamperedOf = async ({ world: { deps } }: Scene) =>
  (await alertsOf(deps)).filter(({ kind }) => kind === "tampered").length;

for (const [what, it] of Object.entries(CHANGES)) {
  Deno.test(`${what} that was changed after a batch was signed delays no other account`, async () => {
    await using scene = await startBatch();
    const { world, token } = scene;
    const { deps } = world;
    const key = await change(scene, it);
    await scene.look(5);
    assert.equal(await heldBy(token, RECEIVER), 3n * PAID);
    assert.equal(await heldBy(token, OTHER_RECEIVER), PAID);
    const states = ["done", "done", "done", "sweeping"];
    assert.deepEqual(await statesOf(scene), states);
    assert.equal(await tamperedOf(scene), 1);
    assert.deepEqual((await signedRows(deps)).map(({ state }) => state), ["settled", "settled"]);
    await scene.look(1);
    assert.deepEqual(await statesOf(scene), states);
    await acceptRow(deps, { table: it.table, key, actor: "test" });
    await scene.look(1);
    assert.deepEqual(await statesOf(scene), Array(4).fill("done"));
    assert.deepEqual(await depositStates(world), Array(3).fill("swept"));
    const [{ n } = { n: -1 }] = await deps.db.query(
      `SELECT count(*) AS n FROM transactions WHERE account_id = 2 AND
(direction = 'deposit' AND status = 'swept' OR direction = 'sweep' AND status = 'confirmed')`,
    );
    assert.equal(Number(n), 2);
    await checkBooks(scene);
  });
}

const ROW_SHOWN = CHANGES["what the account sees"];
for (
  const [what, it] of [["what the account sees", ROW_SHOWN], ["an account", AN_ACCOUNT]] as const
) {
  Deno.test(`a batch is outbid though ${what} was changed after it was signed`, async () => {
    await using scene = await startBatch();
    const { world, anvil } = scene;
    const { deps } = world;
    await change(scene, it);
    await anvil.rpc("anvil_dropAllTransactions");
    const rows = await deps.db.rows(SignedTransactions, "WHERE state = 'open' ORDER BY id");
    const [newest] = await withPayments(deps.db, rows);
    const network = await findNetwork(deps, "ETH");
    await outbidTransfer(deps, { network, newest: newest!, isAnyway: true, actor: "test" });
    await scene.look(5);
    const left = it === AN_ACCOUNT ? "done" : "sweeping";
    assert.deepEqual(await statesOf(scene), ["done", "done", "done", left]);
    const signed = (await signedRows(deps)).map(({ state }) => state);
    assert.deepEqual(signed, ["settled", "superseded", "settled"]);
    const sweeps = (await transactionsOf(world.merchant.api))
      .filter(({ direction }) => direction === "sweep");
    assert.deepEqual(sweeps.map(({ status }) => status), Array(3).fill("confirmed"));
  });
}

Deno.test("what waits for a changed row is settled once, though a reorganisation mines its batch again", async () => {
  await using scene = await startBatch();
  const { world, anvil, token } = scene;
  const { deps } = world;
  const key = await change(scene, CHANGES["a deposit"]);
  await scene.look(5);
  assert.deepEqual(await statesOf(scene), ["done", "done", "done", "sweeping"]);
  await anvil.rpc("anvil_reorg", [6, []]);
  await scene.look(1);
  assert.deepEqual((await signedRows(deps)).at(-1)!.state, "open");
  await acceptRow(deps, { table: "transactions", key, actor: "test" });
  await scene.look(1);
  assert.deepEqual(await statesOf(scene), ["done", "done", "done", "sweeping"]);
  await world.turn(3);
  assert.deepEqual((await signedRows(deps)).at(-1)!.state, "settled");
  assert.deepEqual(await statesOf(scene), Array(4).fill("done"));
  assert.equal(await heldBy(token, OTHER_RECEIVER), PAID);
  await checkBooks(scene);
});
