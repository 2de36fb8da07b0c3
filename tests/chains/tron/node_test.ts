import assert from "node:assert/strict";
import { accountIn } from "../../../src/sandbox/tron_node/account.ts";
import { hexAddress } from "../../../src/sandbox/tron_node/addresses.ts";
import { type Reply } from "../../support/nodes/anvil.ts";
import { startTronNode } from "../../support/tron_node/start.ts";
import { tronWallet } from "../../support/nodes/tron_web.ts";
import { tokenScene, TRX, twoWallets } from "./scene.ts";

Deno.test("tronweb creates, signs and sends TRX through the node, and reads receipt and balances", async () => {
  await using node = await startTronNode();
  const { payer, payee } = twoWallets(node);

  const sent = await payer.web.trx.sendTransaction(payee.address, 5_000_000);

  assert.equal(sent.result, true);
  node.produce();
  const info: Reply = await payer.web.trx.getUnconfirmedTransactionInfo(sent.txid);
  assert.equal(info.id, sent.txid);
  assert.equal(info.blockNumber, node.head.number);
  assert.equal(info.fee, 1_100_000);
  assert.deepEqual(info.receipt, { net_fee: 100_000 });
  assert.equal(await payer.web.trx.getUnconfirmedBalance(payee.address), 5_000_000);
  assert.equal(await payer.web.trx.getUnconfirmedBalance(payer.address), 100_000_000 - 6_100_000);
  const mined: Reply = await payer.web.trx.getTransaction(sent.txid);
  assert.deepEqual(mined.ret, [{ contractRet: "SUCCESS" }]);
  assert.deepEqual(node.door.unexpected, []);
});

Deno.test("what tronweb reads as confirmed comes 18 blocks later, from the solid view", async () => {
  await using node = await startTronNode();
  const { web } = tronWallet(node, "reader");
  const payee = tronWallet(node, "payee");
  const txId = node.pay(payee.address, 3n * TRX);
  node.produce(18);
  assert.deepEqual(await web.trx.getTransactionInfo(txId), {});
  assert.equal(await web.trx.getBalance(payee.address), 0);

  node.produce();

  assert.equal((await web.trx.getTransactionInfo(txId)).id, txId);
  assert.equal(await web.trx.getBalance(payee.address), 3_000_000);
});

Deno.test("tronweb pays TRC-20 through the node, and reads log, energy and balances", async () => {
  await using node = await startTronNode();
  const { payer, payee, token, contract } = await tokenScene(node);

  const txId: string = await contract.methods.transfer!(payee.address, 7_000_000).send({
    feeLimit: 100_000_000,
  });

  node.produce();
  const info: Reply = await payer.web.trx.getUnconfirmedTransactionInfo(txId);
  assert.deepEqual(info.receipt, {
    energy_fee: 13_028_500,
    energy_usage_total: 130_285,
    net_usage: 345,
    result: "SUCCESS",
  });
  assert.equal(info.fee, 13_028_500);
  assert.equal(info.log[0].address, token.hex.slice(2));
  assert.equal(info.log[0].topics.length, 3);
  assert.equal(BigInt(`0x${info.log[0].data}`), 7_000_000n);
  assert.equal(await contract.methods.balanceOf!(payee.address).call(), 7_000_000n);
  assert.equal(await contract.methods.decimals!().call(), 6n);
  assert.equal(await contract.methods.symbol!().call(), "USDT");
});

Deno.test("a node forgets old blocks but the first, and goes on as before", async () => {
  await using node = await startTronNode({ blocksMax: 30, solidLag: 2 });
  const { chain } = node;
  const [genesis] = chain.blocks;
  const { address } = tronWallet(node, "payee");
  const early = node.pay(address, TRX);
  node.produce();
  const { number } = chain.mined(early)!.block;
  node.produce(200);
  assert.ok(chain.blocks.length >= 30 && chain.blocks.length <= 61, `${chain.blocks.length}`);
  assert.deepEqual([chain.block(0), chain.block(number)], [genesis, undefined]);
  for (const block of chain.blocks) assert.equal(chain.block(block.number), block);
  assert.deepEqual([chain.mined(early), node.balanceOf(address)], [undefined, TRX]);
  node.fund(address, TRX);
  const late = node.pay(address, TRX);
  node.produce();
  assert.equal(chain.mined(late)?.block, node.head);
  assert.equal(node.balanceOf(address), 3n * TRX);
  const before = accountIn(chain.stateAt(node.head.number - 1), hexAddress(address));
  assert.equal(before?.balance, 2n * TRX);
  assert.deepEqual(chain.orphan(1).map(({ txId }) => txId), [late]);
  assert.equal(node.balanceOf(address), 2n * TRX);
});
