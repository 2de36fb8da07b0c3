import assert from "node:assert/strict";
import { SignedTransactions } from "../../../src/transfers/table.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { audit } from "../../support/auditor.ts";
import { depositWith, onlyDeposit } from "../../support/deposits.ts";
import { eventually } from "../../support/programs/eventually.ts";
import {
  creditSentinel,
  ETHER,
  makePayer,
  mineRaw,
  setBalance,
  STRANGER,
} from "../../support/payers.ts";
import {
  alertsOf,
  allocate,
  balanceOf,
  depositsOf,
  entriesOf,
  followed,
  requestOf,
  withdraw,
  withdrawalOf,
} from "../../support/views.ts";
import { startWorld } from "../../support/world.ts";

const PAYER = 201;

Deno.test("a credited deposit that a deep reorganisation replaces is taken back (hazard 5)", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil });
  const { api, hotWallet } = world.merchant;
  await setBalance(anvil, hotWallet, 5n * ETHER);
  const payer = await makePayer(anvil, PAYER);
  const { address, requestId } = await allocate(api);
  await payer.pay({ nonce: 0, to: address, amountRaw: 2n * ETHER });
  await anvil.mine(2);
  const deposit = await depositWith(api, { status: "confirmed" });
  const { body } = await withdraw(api, { to: STRANGER, amount: "1" });
  await anvil.mine(2);
  const id: number = body.data.withdrawal_id;
  await eventually(() => withdrawalOf(api, id), { until: (row) => row.status === "confirmed" });
  const [spend] = await world.deps.db.rows(SignedTransactions, "LIMIT 1");
  const instead = await payer.sign({ nonce: 0, to: STRANGER, amountRaw: ETHER });

  await anvil.rpc("anvil_reorg", [6, [[instead.raw, 0], [spend!.raw, 3]]]);
  const taken = await depositWith(api, { status: "failed" });
  assert.deepEqual([taken.id, taken.confirmations], [deposit.id, 0]);
  const { balance, available } = await balanceOf(api);
  assert.deepEqual([balance, available], ["-1.0051", "-1.0051"]);
  assert.equal((await requestOf(api, requestId)).status, "settled");
  const entries = (await entriesOf(world.deps)).filter((row) => row.transactionId === deposit.id);
  assert.deepEqual(entries.map(({ kind, amount }) => [kind, amount]), [
    ["credit", "2"],
    ["reversal", "2"],
  ]);
  assert.deepEqual(
    (await alertsOf(world.deps)).map(({ kind, subject }) => [kind, subject]),
    [["deposit_reversed", `transaction:${deposit.id}`]],
  );
  const refused = await withdraw(api, { to: STRANGER, amount: "0.5" });
  assert.equal(refused.status, 400);
  assert.equal((await withdrawalOf(api, id)).status, "confirmed");
  await audit({ api, anvil, addresses: [address] });
});

Deno.test("a credited deposit that a deep reorganisation moves keeps its credit, its id and its one entry", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil });
  const { api } = world.merchant;
  const payer = await makePayer(anvil, PAYER);
  const { address } = await allocate(api);
  const { raw, height } = await payer.pay({ nonce: 0, to: address, amountRaw: ETHER });
  await anvil.mine(5);
  const before = await depositWith(api, { confirmations: 6, status: "confirmed" });
  await anvil.rpc("anvil_reorg", [6, [[raw, 4]]]);
  const after = await depositWith(api, { confirmations: 2 });
  assert.deepEqual(
    [after.id, after.status, after.block_number],
    [before.id, "confirmed", height + 4],
  );
  await creditSentinel(world);
  await audit({ api, anvil, addresses: [address] });
  assert.deepEqual(await alertsOf(world.deps), []);
});

Deno.test("a deposit that was taken back and mined again is a new row, credited once (hazard 5)", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil });
  const { api } = world.merchant;
  const payer = await makePayer(anvil, PAYER);
  const { address, requestId } = await allocate(api);
  const paid = await payer.pay({ nonce: 0, to: address, amountRaw: ETHER });
  const instead = await payer.sign({ nonce: 0, to: STRANGER, amountRaw: ETHER });
  await anvil.mine(2);
  await depositWith(api, { status: "confirmed" });
  await anvil.rpc("anvil_reorg", [3, [[instead.raw, 0]]]);
  await depositWith(api, { status: "failed" });
  await anvil.rpc("anvil_reorg", [3, [[paid.raw, 0]]]);
  const rows = await eventually(() => depositsOf(api), {
    until: (rows) => rows[0]?.status === "confirmed",
  });
  assert.deepEqual(rows.map(({ status, tx_hash }) => [status, tx_hash]), [
    ["confirmed", paid.txHash],
    ["failed", paid.txHash],
  ]);
  const request = await requestOf(api, requestId);
  assert.deepEqual([request.status, request.transactions.length], ["settled", 2]);
  await creditSentinel(world);
  await audit({ api, anvil, addresses: [address] });
});

Deno.test("a credited token deposit that is mined again and reverts is taken back, with an alert", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil });
  const token = await world.addToken();
  const { api } = world.merchant;
  const payer = await makePayer(anvil, PAYER);
  const { address } = await allocate(api, { currency: "USDT" });
  await token.send("mint", [payer.address, 5_000_000n]);
  const paid = await payer.pay({
    nonce: 0,
    to: address,
    contract: token.address,
    amountRaw: 5_000_000n,
  });
  await anvil.mine(2);
  await depositWith(api, { status: "confirmed" });
  // Without the mint there is nothing to pay with.
  await anvil.rpc("anvil_reorg", [4, [[paid.raw, 0]]]);
  const receipt = await anvil.rpc("eth_getTransactionReceipt", [paid.txHash]);
  assert.equal(receipt.status, "0x0");
  await depositWith(api, { confirmations: 0 });
  await anvil.mine(2);
  await depositWith(api, { status: "failed" });
  assert.equal((await balanceOf(api, "USDT")).balance, "0");
  assert.deepEqual((await alertsOf(world.deps)).map(({ kind }) => kind), ["deposit_reversed"]);
});

Deno.test("a confirmed withdrawal that a deep reorganisation removed is paid again by the same bytes", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: { CPG_WORKER: "false" } });
  const { api, hotWallet } = world.merchant;
  await setBalance(anvil, hotWallet, 5n * ETHER);
  const payer = await makePayer(anvil, PAYER);
  const { address } = await allocate(api);
  await payer.pay({ nonce: 0, to: address, amountRaw: 3n * ETHER });
  await anvil.mine(3);
  await world.round();
  const { body } = await withdraw(api, { to: STRANGER, amount: "1" });
  await anvil.mine(3);
  await world.round();
  const id: number = body.data.withdrawal_id;
  assert.equal((await withdrawalOf(api, id)).status, "confirmed");
  await anvil.rpc("anvil_reorg", [4, []]);
  assert.equal(Number(await anvil.rpc("eth_getTransactionCount", [hotWallet, "latest"])), 0);
  await world.round();
  const next = await withdraw(api, { to: STRANGER, amount: "0.5" });
  assert.equal(next.status, 200, JSON.stringify(next.body));
  await world.round({ aheadMs: 30_000 });
  await anvil.mine(3);
  await world.round();
  assert.deepEqual(world.faults, []);
  assert.equal((await withdrawalOf(api, next.body.data.withdrawal_id)).status, "confirmed");
  assert.equal(BigInt(await anvil.rpc("eth_getBalance", [STRANGER, "latest"])), 3n * ETHER / 2n);
  await audit({ api, anvil, addresses: [address] });
});

Deno.test("a deposit spent differently on another branch isn't held against its address forever", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil });
  const token = await world.addToken();
  const { api } = world.merchant;
  const payer = await makePayer(anvil, PAYER);
  const { address } = await allocate(api, { currency: "USDT" });
  await token.send("mint", [payer.address, 5_000_000n]);
  const payment = { to: address, contract: token.address, amountRaw: 5_000_000n };
  const { raw } = await payer.pay({ nonce: 0, ...payment });
  await depositWith(api, { confirmations: 1 });
  await anvil.rpc("anvil_reorg", [2, [[raw, 0]]]);
  await depositWith(api, { confirmations: 0 });
  await anvil.mine(3);
  await followed(world);
  await depositWith(api, { status: "failed" });
  assert.equal((await onlyDeposit(api)).confirmations, 0);
  assert.equal(await mineRaw(anvil, raw).catch(() => "refused"), "refused");
});
