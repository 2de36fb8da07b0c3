import assert from "node:assert/strict";
import { alertShape } from "../../../src/alerts/shapes.ts";
import { type ActionRefusalCode, ActionRefused } from "../../../src/domain/refusals/refuse.ts";
import { rescan } from "../../../src/following/rescan.ts";
import { reconcile } from "../../../src/reconcile/reconcile.ts";
import { adoptAll, adoptByHash, type LeftSpend } from "../../../src/restore/adopt_spends.ts";
import { resumeWallet } from "../../../src/restore/resume_wallet.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { ETHER, setBalance, STRANGER } from "../../support/payers.ts";
import { receivedBy, sentId } from "../../support/payouts.ts";
import { takeBackup } from "../../support/restoring.ts";
import {
  auditSweeps,
  depositStates,
  fundGasWallet,
  payIn,
  RECEIVER,
  startSweepingWorld,
  sweepTo,
} from "../../support/sweeping.ts";
import {
  alertsOf,
  allocate,
  balanceOf,
  depositsOf,
  entriesOf,
  eventsOf,
  transactionsOf,
  withdraw,
  withdrawalOf,
} from "../../support/views.ts";

const ACTOR = "test";
const NO_TERMS = { withdrawal: undefined, fee: undefined, keyId: undefined, reference: undefined };

Deno.test("books restored from before sweeps and payouts learn of them, and everything goes on", async () => {
  await using anvil = await startAnvil();
  await using world = await startSweepingWorld({ anvil, receiver: null });
  const { merchant: { api, hotWallet } } = world;
  const token = await world.addToken();
  const gas = await fundGasWallet(world);
  const coins = await allocate(api, { user: "coins" });
  const tokens = await allocate(api, { currency: "USDT", user: "tokens" });
  const other = await allocate(api, { user: "other" });
  await payIn(world, { to: coins.address, raw: 5n * ETHER });
  await payIn(world, { to: tokens.address, raw: 100_000_000n, token });
  await world.turn();
  await setBalance(anvil, hotWallet, 50n * ETHER);
  await token.send("mint", [hotWallet, 30_000_000n]);
  assert.deepEqual(await depositStates(world), ["confirmed", "confirmed"]);

  await using backup = await takeBackup(world);
  const given = await allocate(api, { user: "since the backup" });
  await sweepTo(world, RECEIVER);
  await payIn(world, { to: coins.address, raw: 2n * ETHER });
  await payIn(world, { to: tokens.address, raw: 50_000_000n, token });
  await world.turn(6);
  for (
    const [currency, to, amount] of [
      ["ETH", STRANGER, "1.5"],
      ["USDT", STRANGER, "20"],
      ["ETH", other.address, "0.25"],
    ] as const
  ) sentId(await withdraw(api, { to, amount, currency }));
  await world.turn(3);
  const balances = async () => [await balanceOf(api), await balanceOf(api, "USDT")];
  const before = await balances();
  assert.deepEqual(await depositStates(world), Array(5).fill("swept"));
  const paid = (await transactionsOf(api)).filter((row) => row.direction === "withdrawal");
  const received = await receivedBy(anvil, RECEIVER);
  await backup.bringBack();
  const { deps } = world;
  const fresh = await allocate(api, { user: "somebody else" });
  assert.notEqual(fresh.address, given.address);
  assert.ok(fresh.requestId > given.requestId + 1_000, "No id is given twice");
  assert.equal((await allocate(api, { user: "coins" })).address, coins.address);

  await world.turn(4);
  const reported = await alertsOf(deps);
  const foreign = reported.filter(({ kind }) => kind === "foreign_spend");
  assert.equal(foreign.length, 7, "Three sweeps, gas for one of them, and three payouts");
  for (const alert of foreign) {
    const { message, subject } = alertShape(alert);
    assert.ok(message.includes(`"wallet adopt ${subject} --network ETH"`), message);
  }
  assert.ok(reported.some(({ kind }) => kind === "deposit_not_covered"));
  const { differences } = await reconcile(deps, { network: undefined });
  assert.deepEqual(
    differences.map(({ kind, currency }) => `${kind} ${currency}`).sort(),
    ["deposit_address ETH", "deposit_address USDT"],
  );
  const order = { network: "ETH", actor: ACTOR };
  const early = await adoptAll(deps, order);
  assert.ok(early.left.some(isFor("sweep_to_other_wallet")), JSON.stringify(early.left));
  await sweepTo(world, RECEIVER);
  const { left } = await adoptAll(deps, order);
  const payouts = paid.map((row) => row.tx_hash).sort();
  const unexplained = left.filter(isFor("sweep_unexplained"));
  assert.deepEqual(unexplained.map(({ sender }) => sender), [other.address]);
  assert.match(unexplained[0]!.reason.message, /only have deposits of 0 for it$/);
  const asked = left.filter(isFor("payout_unexplained")).map(({ txHash }) => txHash);
  assert.deepEqual([asked.sort(), left.length], [payouts, payouts.length + 1]);
  await world.turn(2);
  for (const txHash of [...payouts, ...payouts]) {
    await adoptByHash(deps, { ...order, txHash, terms: NO_TERMS });
  }
  assert.deepEqual((await adoptAll(deps, order)).left, []);
  await world.turn(2);

  assert.deepEqual(await balances(), before);
  assert.deepEqual(await depositStates(world), Array(5).fill("swept"));
  assert.equal(await receivedBy(anvil, RECEIVER), received, "Nothing was moved anew but gas");
  const again = await reconcile(deps, { network: undefined });
  assert.deepEqual({ ...again, surplus: [] }, {
    differences: [],
    surplus: [],
    invoices: [],
    skipped: [],
  });
  const open = (await alertsOf(deps)).map(({ kind, subject }) => `${kind} ${subject}`).sort();
  assert.deepEqual(open, [`wallet_halted ${gas}`, `wallet_halted ${hotWallet}`].sort());
  const confirmed = await eventsOf(deps, "withdrawal.confirmed");
  assert.deepEqual(confirmed.map(({ tx_hash }) => tx_hash).sort(), payouts);
  for (const address of [gas, hotWallet]) await resumeWallet(deps, { ...order, address });

  const id = sentId(await withdraw(api, { to: STRANGER, amount: "0.5" }));
  await payIn(world, { to: tokens.address, raw: 7_000_000n, token });
  await world.turn(6);
  assert.equal((await withdrawalOf(api, id)).status, "confirmed");
  assert.deepEqual(await depositStates(world), Array(6).fill("swept"));
  const addresses = [coins.address, tokens.address, other.address];
  const idsFrom = [1, fresh.requestId];
  await auditSweeps(world, { addresses, tokens: { USDT: token }, idsFrom });
});

Deno.test("gas of a wallet unknown to restored books is credited, and taken back once booked as gas", async () => {
  await using anvil = await startAnvil();
  await using world = await startSweepingWorld({ anvil });
  const { merchant: { api } } = world;
  const token = await world.addToken();
  const { address } = await allocate(api, { currency: "USDT" });
  await using backup = await takeBackup(world);
  const gas = await fundGasWallet(world);
  await payIn(world, { to: address, raw: 100_000_000n, token });
  await world.turn(5);
  assert.deepEqual(await depositStates(world), ["swept"]);
  const balances = async () => [await balanceOf(api), await balanceOf(api, "USDT")];
  const before = await balances();

  await backup.bringBack();
  await world.turn(4);
  const coins = async () => (await depositsOf(api)).filter(({ currency }) => currency === "ETH");
  const [credited] = await coins();
  assert.equal((await balanceOf(api)).balance, credited!.amount_decimal);
  assert.equal(await fundGasWallet(world), gas);
  const order = { network: "ETH", actor: ACTOR };
  await rescan(world.deps, { ...order, fromBlock: 1, toBlock: undefined });
  assert.equal((await balanceOf(api)).balance, credited!.amount_decimal);
  const { left } = await adoptAll(world.deps, order);
  assert.deepEqual(left, []);
  await world.turn(2);
  assert.deepEqual(await balances(), before);
  assert.deepEqual((await coins()).map(({ id, status }) => [id, status]), [
    [credited!.id, "failed"],
  ]);
  const kinds = (await entriesOf(world.deps)).filter(({ currency }) => currency === "ETH");
  assert.deepEqual(kinds.map(({ kind }) => kind), ["credit", "reversal"]);
  const reported = (await alertsOf(world.deps)).find(({ kind }) => kind === "deposit_reversed");
  assert.equal(reported?.subject, `transaction:${credited!.id}`);
  assert.match(reported.message, /was credited and is gas of our own: the credit was taken back/);
  await rescan(world.deps, { ...order, fromBlock: 1, toBlock: undefined });
  assert.deepEqual(await balances(), before);
  const { differences } = await reconcile(world.deps, { network: undefined });
  assert.deepEqual(differences, []);
});

function isFor(code: ActionRefusalCode) {
  return ({ reason }: LeftSpend) => reason instanceof ActionRefused && reason.code === code;
}
