import assert from "node:assert/strict";
import { bumpWithdrawal, revokeWithdrawal } from "../../../src/withdrawals/push.ts";
import { fromHex } from "../../../src/base/bytes.ts";
import { decodeRaw, rawOfSigned } from "../../../src/chains/tron/transfers/transaction.ts";
import { playOnTron, TOKEN, TOKEN_RAW } from "../../support/grounds/scenario.ts";
import { rejectedId, sentId } from "../../support/payouts.ts";
import { hexAddress } from "../../../src/sandbox/tron_node/addresses.ts";
import { TRC20_ABI, tronWallet } from "../../support/nodes/tron_web.ts";
import { makeTronWallet } from "../../support/nodes/tron_wallet.ts";
import { depositsOf, eventsOf, withdrawalOf } from "../../support/views.ts";
import type { Reply } from "../../support/nodes/anvil.ts";

const TRX = 1_000_000n;
const UNTOUCHED = { balance: "100", held: "0", available: "100" };

function expirationOf(signed: string): number {
  return decodeRaw(rawOfSigned(fromHex(signed)!)).expirationMs;
}

Deno.test("a withdrawal that the nodes forgot is a duplicate until it expires (hazards T1, T4)", () =>
  playOnTron(async (scene) => {
    const { ground, ground: { node }, merchant: { hotWallet } } = scene;
    await scene.fundMerchant();
    node.auto("off");
    const reply = await scene.withdraw({ amount: "1" });
    const id = sentId(reply);
    assert.equal(node.dropFromPool(reply.body.data.tx_hash), true);
    const expirationMs = expirationOf(ground.sent[0]!);
    for (let isOver = false; !isOver;) {
      scene.wait(30_000);
      await scene.follow(10);
      isOver = node.solid.timestampMs > expirationMs;
      assert.equal(await scene.statusOf(id), isOver ? "failed" : "broadcasted");
      assert.equal((await scene.balanceOf()).held, isOver ? "0" : "1.0051");
    }
    const [reported] = await eventsOf(scene.deps, "withdrawal.failed");
    assert.deepEqual([reported.id, reported.reason], [id, "expired"]);
    assert.deepEqual(await scene.balanceOf(), UNTOUCHED);
    assert.ok(ground.sent.length > 3, `${ground.sent.length}`);
    assert.equal(new Set(ground.sent).size, 1, "Never signed anew");
    const next = sentId(await scene.withdraw({ amount: "1" }));
    await scene.turn(2);
    assert.equal(await scene.statusOf(next), "confirmed");
    assert.equal(await ground.countSentBy(hotWallet), 1);
  }));

Deno.test("a withdrawal mined in the very last possible block is paid, and never failed (hazard T4)", () =>
  playOnTron(async (scene) => {
    const { ground, ground: { node } } = scene;
    await scene.fundMerchant();
    node.auto("off");
    const reply = await scene.withdraw({ amount: "1" });
    const expirationMs = expirationOf(ground.sent[0]!);
    while (node.head.timestampMs < expirationMs - 3_000) node.produce(1, { isEmpty: true });
    await scene.follow(0);
    node.restart();
    scene.wait(30_000);
    await scene.follow(0);
    node.produce(1);
    assert.deepEqual(node.head.transactions.map(({ txId }) => txId), [reply.body.data.tx_hash]);
    node.produce(19);
    await scene.follow(0);
    await scene.follow(1);
    assert.equal(await scene.statusOf(sentId(reply)), "confirmed");
    assert.equal(await ground.coinsOf(ground.stranger), TRX);
  }));

Deno.test("failed transactions, other contracts and TRC-10 of any name are no deposits (hazards T7, T13)", () =>
  playOnTron(async (scene) => {
    const { ground: { node } } = scene;
    const token = await scene.addToken();
    const { address } = await scene.allocate();
    const fake = node.deployToken({ name: "Tether USD", symbol: "USDT", decimals: 6 });
    fake.mint(node.bank, 10n ** 12n);
    const pays = (contract: string, raw: bigint) =>
      node.trigger(contract, fake.transferData(address, raw));
    node.giveAsset(node.bank, "1000001", 50n);
    pays(fake.address, 5n * TOKEN_RAW);
    pays(token.address, 0n);
    const reverted = pays(token.address, 10n ** 20n);
    node.submit("TransferAssetContract", {
      asset_name: "31303030303031",
      to_address: hexAddress(address),
      amount: 20n,
    });
    assert.equal(node.chain.mined(reverted)!.block.transactions[0]!.ret!.contractRet, "REVERT");
    await scene.turn(2);
    assert.deepEqual(await scene.listed(), []);
    pays(token.address, 1n);
    await scene.turn(2);
    assert.deepEqual(await scene.listed(), [`deposit ${TOKEN} confirmed`]);
  }));

Deno.test("a deposit isn't credited before its block is solid, however deep it is (hazard T8)", () =>
  playOnTron(async (scene) => {
    const { ground, ground: { node } } = scene;
    const { address } = await scene.allocate();
    await ground.pay(address, 5n * TRX);
    node.stallSolid(true);
    await scene.follow(40);
    assert.deepEqual(await scene.listed(), ["deposit TRX detected"]);
    node.stallSolid(false);
    await scene.follow(1);
    await scene.follow(1);
    assert.deepEqual(await scene.listed(), ["deposit TRX confirmed"]);
  }));

Deno.test("energy that got more expensive after signing burns no more than its limit (hazard T11)", () =>
  playOnTron(async (scene) => {
    const { ground, ground: { node }, merchant: { hotWallet } } = scene;
    const token = await scene.addToken();
    await scene.fundMerchant({ token });
    await ground.mine(ground.minConfirmations);
    node.auto("off");
    const before = node.balanceOf(hotWallet);
    const id = sentId(await scene.withdraw({ amount: "10", currency: TOKEN }));
    node.setChainParameters({ getEnergyFee: 200n });
    await scene.turn(2);
    assert.equal(await scene.statusOf(id), "failed");
    const [reported] = await eventsOf(scene.deps, "withdrawal.failed");
    assert.equal(reported.reason, "reverted");
    assert.deepEqual(await scene.balanceOf(TOKEN), UNTOUCHED);
    // 130,285 energy at 100 and a fifth more, and what its bytes cost.
    assert.ok(before - node.balanceOf(hotWallet) <= 15_634_200n + 400_000n);
    assert.ok(before - node.balanceOf(hotWallet) > 15_000_000n);
    const again = sentId(await scene.withdraw({ amount: "10", currency: TOKEN }));
    await scene.turn(2);
    assert.equal(await scene.statusOf(again), "confirmed");
  }));

Deno.test("a withdrawal of the wallet to itself is 400, one of coins to a contract 502 (hazard T14)", () =>
  playOnTron(async (scene) => {
    const { ground: { node, sent }, merchant: { hotWallet } } = scene;
    await scene.fundMerchant();
    const toSelf = await scene.withdraw({ to: hotWallet, amount: "1" });
    assert.deepEqual([toSelf.status, toSelf.body.error.code], [400, "invalid_address"]);
    for (const version of [0, 1]) {
      const { base58: to } = node.deployDisperser(version);
      const id = rejectedId(await scene.withdraw({ to, amount: "1" }));
      assert.match((await withdrawalOf(scene.merchant.api, id)).error_message, /is a contract/);
    }
    assert.deepEqual(sent, []);
    assert.deepEqual(await scene.balanceOf(), UNTOUCHED);
  }));

Deno.test("a hot wallet whose key is no longer enough signs nothing: 502 with the reason (hazard T15)", () =>
  playOnTron(async (scene) => {
    const { ground: { node, sent }, merchant: { hotWallet, api } } = scene;
    await scene.fundMerchant();
    node.setOwner(hotWallet, makeTronWallet(77).address);
    const id = rejectedId(await scene.withdraw({ amount: "1" }));
    assert.match((await withdrawalOf(api, id)).error_message, /permissions .* were changed/);
    assert.deepEqual(sent, []);
    node.setOwner(hotWallet, hotWallet);
    sentId(await scene.withdraw({ amount: "1" }));
    await scene.turn(2);
  }));

Deno.test("what can't be replaced is neither bumped nor cancelled, in plain words", () =>
  playOnTron(async (scene) => {
    await scene.fundMerchant();
    scene.ground.node.auto("off");
    const id = sentId(await scene.withdraw({ amount: "1" }));
    for (const push of [bumpWithdrawal, revokeWithdrawal]) {
      await assert.rejects(
        push(scene.deps, { id, actor: "test" }),
        /^OperatorError: Transactions on TRX cannot be replaced: .* expires by itself 10 minutes/,
      );
    }
    await scene.turn(2);
  }));

Deno.test("gas that expired before any block took it is sent again, and the sweep follows (hazard T10)", () =>
  playOnTron(async (scene) => {
    const { ground, ground: { node } } = scene;
    const token = await scene.addToken();
    const gas = await scene.fundGasWallet();
    await scene.sweepTo(ground.receiver);
    const { address } = await scene.allocate(TOKEN);
    await token.mint(address, 25n * TOKEN_RAW);
    ground.onSending = () => "lost";
    await scene.follow(20);
    await scene.follow(0);
    assert.equal(await scene.signed("gas_topup"), 1);
    await ground.outlast(gas);
    ground.onSending = () => "taken";
    await scene.turn(6);
    assert.equal(await scene.signed("gas_topup"), 2);
    assert.equal(await ground.countSentBy(gas), 1);
    assert.equal(await token.balanceOf(ground.receiver), 25n * TOKEN_RAW);
    // The first coins of an address cost 1.1 TRX more, sent together with the gas.
    assert.ok(node.balanceOf(address) < 10n * TRX);
  }));

Deno.test("amounts that no double can hold are credited, swept and paid to the last unit (hazard 53)", () =>
  playOnTron(async (scene) => {
    const { ground, ground: { node }, merchant: { api, hotWallet } } = scene;
    const { address } = await scene.allocate();
    const raw = 2n ** 53n + 1n;
    await ground.pay(address, raw);
    await scene.turn(2);
    assert.equal((await depositsOf(api))[0]!.amount_decimal, "9007199254.740993");
    assert.equal((await scene.balanceOf()).balance, "9007199254.740993");
    node.fund(ground.receiver, 1n);
    await scene.sweepTo(ground.receiver);
    await scene.turn(2);
    assert.equal(await ground.coinsOf(address), 0n);
    assert.ok(await ground.coinsOf(ground.receiver) > raw - TRX);
    node.setBalance(hotWallet, raw);
    const id = sentId(await scene.withdraw({ amount: "8600000000.000001" }));
    await scene.turn(2);
    assert.equal(await scene.statusOf(id), "confirmed");
    assert.equal(await ground.coinsOf(ground.stranger), 8_600_000_000_000_001n);
  }));

Deno.test("TRON's own client pays coins and tokens, and reads the gateway's transfers as paid", () =>
  playOnTron(async (scene) => {
    const { ground: { node }, merchant: { api } } = scene;
    const token = await scene.addToken();
    const payer = tronWallet(node, "payer");
    node.fund(payer.address, 100n * TRX);
    await token.mint(payer.address, 50n * TOKEN_RAW);
    const { address } = await scene.allocate();
    const contract: Reply = await payer.web.contract(TRC20_ABI, token.address);
    await payer.web.trx.sendTransaction(address, 5_000_000);
    await contract.methods.transfer(address, 7_000_000).send();
    await scene.turn(2);
    const deposits = (await depositsOf(api)).map((row) => [
      row.currency,
      row.amount_decimal,
      row.from_address,
      row.status,
    ]);
    assert.deepEqual(deposits.toSorted(), [
      ["TRX", "5", payer.address, "confirmed"],
      ["USDT", "7", payer.address, "confirmed"],
    ]);
    await scene.fundMerchant();
    const { body } = await scene.withdraw({ to: payer.address, amount: "3" });
    await scene.turn(2);
    const paid: Reply = await payer.web.trx.getConfirmedTransaction(body.data.tx_hash);
    assert.equal(paid.ret[0].contractRet, "SUCCESS");
    const { value } = paid.raw_data.contract[0].parameter;
    assert.deepEqual([value.amount, value.to_address], [3_000_000, hexAddress(payer.address)]);
  }));
