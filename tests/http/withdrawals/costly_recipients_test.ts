import assert from "node:assert/strict";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { allowRecipient, failingRecipients } from "../../../src/withdrawals/manage_recipients.ts";
import { resumeTampered } from "../../../src/integrity/resume.ts";
import { createWithdrawal } from "../../../src/withdrawals/create.ts";
import { setCurrency } from "../../../src/networks/currencies.ts";
import { alerts } from "../../support/alerts.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { deploy } from "../../support/nodes/contracts.ts";
import { enable } from "../../support/gateway.ts";
import { startWorld } from "../../support/world.ts";
import { makePayer, nonceOf, type Payer, settle, statusRead, submittedId } from "./_paying.ts";
import { assertRefused } from "./refusals.ts";

const NEEDS_MORE = "The recipient needs more gas than is allowed";
const FAILING =
  "Two payments to this recipient failed within 24 hours: the operator must allow it first";
const DAY_MS = 24 * 3_600_000;

const anvil = await startAnvil();
const world = await startWorld({ anvil, env: { CPG_WORKER: "false" } });
const { deps } = world;
Deno.test.afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await anvil.stop();
});

async function refusal(payer: Payer, change: Record<string, unknown>): Promise<string> {
  const reply = await payer.withdraw(change);
  assertRefused(reply, "broadcast_rejected");
  assert.equal(reply.body.data.status, "failed");
  return reply.body.data.error_message;
}

async function balanceRaw(address: string): Promise<bigint> {
  return BigInt(await anvil.rpc("eth_getBalance", [address, "latest"]));
}

Deno.test("control 1: a recipient that burns gas is refused, costs nothing, and the hold is released", async () => {
  const payer = await makePayer({ world, balance: "10" });
  const before = await balanceRaw(payer.hotWallet);
  for (const onlyPriced of [false, true]) {
    const { address } = await deploy(anvil, { name: "Burner", args: [28_000_000n, onlyPriced] });
    assert.equal(await refusal(payer, { to_address: address }), NEEDS_MORE);
  }
  assert.equal(await balanceRaw(payer.hotWallet), before);
  assert.deepEqual(await payer.balance(), { balance: "10", held: "0", available: "10" });
});

Deno.test("the operator limits how much gas code may use", async () => {
  const payer = await makePayer({ world, balance: "10" });
  const { address } = await deploy(anvil, { name: "Burner", args: [150_000n, false] });
  assert.equal(await refusal(payer, { to_address: address }), NEEDS_MORE);
  const asset = { network: "ETH", symbol: "ETH", actor: "test" };
  await setCurrency(deps, { ...asset, change: { gasMax: 200_000 } });
  submittedId(await payer.withdraw({ to_address: address }));
  await setCurrency(deps, { ...asset, change: { gasMax: 100_000 } });
  assert.equal(await refusal(payer, { to_address: address }), NEEDS_MORE);
});

Deno.test("a token that needs more than its limit is refused with the same message", async () => {
  const payer = await makePayer({ world, balance: "10" });
  const token = await world.addToken();
  const asset = { accountId: payer.accountId, network: "ETH", currency: "USDT" };
  await enable(deps, asset);
  await adjustBalance(deps, { ...asset, amount: "100", note: "", actor: "test" });
  await token.send("mint", [payer.hotWallet, 50_000_000n]);
  submittedId(await payer.withdraw({ currency: "USDT", amount: "5" }));
  const change = { gasMax: 5_000 };
  await setCurrency(deps, { network: "ETH", symbol: "USDT", change, actor: "test" });
  assert.equal(await refusal(payer, { currency: "USDT", amount: "5" }), NEEDS_MORE);
});

/** Bytecode too small for a source file. */
async function deployCode(runtime: string): Promise<string> {
  const length = (runtime.length / 2).toString(16).padStart(2, "0");
  const data = `0x60${length}80600b6000396000f3${runtime}`;
  const tx = { from: anvil.accounts[0], data };
  return (await anvil.rpc("eth_sendTransactionSync", [tx])).contractAddress;
}

Deno.test("a recipient that answers megabytes is refused like any other, and delays nobody", async () => {
  const payer = await makePayer({ world, balance: "10" });
  for (const end of ["fd", "f3"]) {
    const address = await deployCode(`623938706000${end}`);
    assert.equal(await refusal(payer, { to_address: address }), NEEDS_MORE);
  }
  const isFailing = ({ kind }: { kind: string }) => kind === "withdrawals_failing";
  assert.deepEqual((await alerts(deps.db, { isOpen: true, limit: 100 })).filter(isFailing), []);
});

/** Tried on an even block it takes coins, and mined in the next one it does not. */
async function payMoody(payer: Payer, to: string): Promise<number> {
  if (Number(await anvil.rpc("eth_blockNumber")) % 2 === 1) await anvil.mine(1);
  return submittedId(await payer.withdraw({ to_address: to }));
}

async function failTwice(payer: Payer, to: string): Promise<void> {
  for (let failed = 0; failed < 2; failed++) {
    const id = await payMoody(payer, to);
    await settle(world);
    await settle(world);
    const { status } = statusRead(await payer.api.get(`/v1/withdrawals/${id}`));
    assert.equal(status, "failed");
  }
}

/** Asked on an even block, so that it takes coins. */
async function isPayable(payer: Payer, to: string): Promise<boolean> {
  if (Number(await anvil.rpc("eth_blockNumber")) % 2 === 1) await anvil.mine(1);
  const order = { currency: "ETH", network: "ETH", to_address: to, amount: "1" };
  const { status, body } = await payer.api.post("/v1/withdrawals/check", order);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.payable;
}

async function failingAlerts(isOpen = true) {
  const rows = await alerts(deps.db, { isOpen, limit: 100 });
  const failing = rows.filter(({ kind }) => kind === "recipient_failing");
  for (const { subject, accountId } of failing) {
    assert.ok(subject.startsWith(`account:${accountId} `), "its merchant is told");
  }
  return failing.map(({ subject }) => subject);
}

Deno.test("control 1: the third payment to a failing contract is refused until an operator allows it", async () => {
  const payer = await makePayer({ world, balance: "50" });
  const { address } = await deploy(anvil, { name: "Moody" });
  await failTwice(payer, address);
  const nonce = await nonceOf(anvil, payer.hotWallet);
  await anvil.mine(1 + Number(await anvil.rpc("eth_blockNumber")) % 2);
  assert.equal(await refusal(payer, { to_address: address }), FAILING);
  assert.equal(await refusal(payer, { to_address: address.toLowerCase() }), FAILING);
  assert.equal(await isPayable(payer, address), false);
  assert.equal(await nonceOf(anvil, payer.hotWallet), nonce, "nothing was signed");
  const subject = `account:${payer.accountId} recipient:ETH/${address}`;
  assert.deepEqual(await failingAlerts(), [subject]);
  const [listed, ...others] = await failingRecipients(deps);
  assert.deepEqual(others, []);
  const { signedAtMs, ...row } = listed!;
  assert.deepEqual(row, {
    accountId: payer.accountId,
    network: "ETH",
    address,
    currency: "ETH",
  });
  assert.equal(signedAtMs.length, 2);
  submittedId(await payer.withdraw());

  const other = await makePayer({ world, balance: "50" });
  await payMoody(other, address);
  await settle(world);
  await settle(world);
  assert.equal((await failingRecipients(deps)).length, 1, "one account says nothing of another");

  await allowRecipient(deps, { network: "ETH", address, actor: "test" });
  assert.deepEqual(await failingAlerts(), []);
  assert.equal(await isPayable(payer, address), true);
  assert.deepEqual(await failingRecipients(deps), []);
  await failTwice(payer, address);
  assert.equal(await refusal(payer, { to_address: address }), FAILING, "and two more may fail");
});

Deno.test("an allowance that somebody wrote into the database is not used", async () => {
  const payer = await makePayer({ world, balance: "50" });
  const { accountId } = payer;
  const { address } = await deploy(anvil, { name: "Moody" });
  await failTwice(payer, address);
  const nonce = await nonceOf(anvil, payer.hotWallet);
  await deps.db.execute([{
    sql: `INSERT INTO allowed_recipients (account_id, network, address, allowed_at_ms)
VALUES (?, 'ETH', ?, ?)`,
    args: [accountId, address, 9_999_999_999_999],
  }]);
  const key = `${accountId}/ETH/${address}`;
  const why = "Nothing is paid until the operator has checked an alert";
  assert.equal(await refusal(payer, { to_address: address }), why);
  assert.equal(await nonceOf(anvil, payer.hotWallet), nonce, "nothing was signed");
  const tampered = (await alerts(deps.db, { isOpen: true, limit: 100 }))
    .filter(({ kind }) => kind === "tampered").map(({ subject }) => subject);
  assert.deepEqual(tampered, [`account:${accountId} allowed_recipients:${key}`]);
  // An operator removes it: the recipient is refused as before, until it is really allowed.
  await deps.db.execute([{
    sql: "DELETE FROM allowed_recipients WHERE account_id = ?",
    args: [accountId],
  }]);
  await resumeTampered(deps, { accountId, actor: "test" });
  assert.equal(await refusal(payer, { to_address: address }), FAILING);
  await allowRecipient(deps, { network: "ETH", address, actor: "test" });
  await payMoody(payer, address);
});

Deno.test("a payment that a worker takes on later is refused in the same way, unsigned", async () => {
  const payer = await makePayer({ world, balance: "50" });
  const { address } = await deploy(anvil, { name: "Moody" });
  await failTwice(payer, address);
  const { row } = await createWithdrawal(deps, {
    caller: {
      accountId: payer.accountId,
      keyId: payer.credentials.keyId,
      actor: "test",
      signature: null,
    },
    ...{ network: "ETH", currency: "ETH", toAddress: address, amount: "1" },
    clientReference: "left behind",
  });
  const before = await balanceRaw(payer.hotWallet);
  await world.round({ aheadMs: DAY_MS + 60_000 });
  const read = statusRead(await payer.api.get(`/v1/withdrawals/${row.id}`));
  assert.deepEqual([read.status, read.error_message], ["failed", FAILING]);
  assert.equal(await balanceRaw(payer.hotWallet), before);
});

Deno.test("a failure that a reorganisation undoes no longer counts", async () => {
  const payer = await makePayer({ world, balance: "50" });
  const { address } = await deploy(anvil, { name: "Moody" });
  const isListed = async () =>
    (await failingRecipients(deps)).some(({ accountId }) => accountId === payer.accountId);
  await payMoody(payer, address);
  await settle(world);
  const snapshot = await anvil.rpc("evm_snapshot");
  await payMoody(payer, address);
  await anvil.mine(1);
  await world.round();
  assert.equal(await isListed(), true);
  await anvil.rpc("evm_revert", [snapshot]);
  await anvil.mine(3);
  await world.round();
  await world.round();
  assert.equal(await isListed(), false);
});

const UNMINED =
  "Earlier payments to this recipient's contract are not in a block yet: try again later";
const TOO_MANY =
  "Too many payments to contracts have failed or are not in a block yet: try again later";

async function whileNothingIsMined(work: () => Promise<void>): Promise<void> {
  if (Number(await anvil.rpc("eth_blockNumber")) % 2 === 1) await anvil.mine(1);
  await anvil.rpc("evm_setAutomine", [false]);
  try {
    await work();
  } finally {
    await anvil.rpc("evm_setAutomine", [true]);
  }
}

Deno.test("of many payments at once to a contract that took none yet two are signed at first", async () => {
  const payer = await makePayer({ world, balance: "90" });
  const { address } = await deploy(anvil, { name: "Burner", args: [50_000n, false] });
  const payAll = async () => {
    const all = Array.from({ length: 10 }, () => payer.withdraw({ to_address: address }));
    const refused = (await Promise.all(all)).filter(({ status }) => status !== 200);
    for (const { body } of refused) assert.equal(body.data.error_message, UNMINED);
    return 10 - refused.length;
  };
  await whileNothingIsMined(async () => assert.equal(await payAll(), 2));
  await settle(world);
  await whileNothingIsMined(async () => {
    assert.equal(await payAll(), 4);
    const others = Array.from({ length: 30 }, () => payer.withdraw());
    for (const reply of await Promise.all(others)) submittedId(reply);
  });
  await settle(world);
});

Deno.test("an account pays at most twenty contracts at once that have never taken a payment", async () => {
  const payer = await makePayer({ world, balance: "90" });
  const addresses: string[] = [];
  for (let i = 0; i < 25; i++) addresses.push((await deploy(anvil, { name: "Moody" })).address);
  const pay = (to: string) => payer.withdraw({ to_address: to });
  await whileNothingIsMined(async () => {
    const refused = (await Promise.all(addresses.map(pay))).filter(({ status }) => status !== 200);
    assert.deepEqual(
      refused.map(({ body }) => body.data.error_message),
      Array(5).fill(TOO_MANY),
    );
  });
  await settle(world);
  await settle(world);
  await anvil.mine(2 - Number(await anvil.rpc("eth_blockNumber")) % 2);
  assert.equal(await refusal(payer, { to_address: addresses.at(-1) }), TOO_MANY, "all have failed");
  assert.ok(
    (await failingAlerts()).includes(`account:${payer.accountId} network:ETH`),
    "the operator is told",
  );
  submittedId(await payer.withdraw());
});
