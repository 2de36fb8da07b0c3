import assert from "node:assert/strict";
import { startTronNode } from "../../support/tron_node/start.ts";
import { tronWallet } from "../../support/nodes/tron_web.ts";
import {
  ask,
  askText,
  headerOf,
  send,
  signedPayment,
  tokenScene,
  TRX,
  twoWallets,
} from "./scene.ts";

const HOUR_MS = 3_600_000;

Deno.test("T1: a refused transaction is a duplicate for an hour, though it never was in the pool", async () => {
  await using node = await startTronNode();
  const { payer, payee } = twoWallets(node, 1n * TRX);
  const signed = await signedPayment(node, { from: payer, to: payee.address, sun: 5_000_000 }, {
    expiration: node.head.timestampMs + 2 * HOUR_MS,
  });
  const first = await send(node, signed);
  assert.deepEqual([first.result, first.code], [undefined, "CONTRACT_VALIDATE_ERROR"]);
  assert.match(first.message, /^Contract validate error : .*balance is not sufficient/);

  node.fund(payer.address, 100n * TRX);
  assert.equal((await send(node, signed)).code, "DUP_TRANSACTION_ERROR");
  assert.deepEqual(node.pool, []);

  node.setTime(node.head.timestampMs + HOUR_MS + 1);
  assert.equal((await send(node, signed)).result, true);
});

Deno.test("T2: NOT_ENOUGH_EFFECTIVE_CONNECTION after gossip failed is mined all the same", async () => {
  await using node = await startTronNode();
  const { payer, payee } = twoWallets(node);
  const signed = await signedPayment(node, { from: payer, to: payee.address });
  node.connections.isGossiping = false;

  const answer = await send(node, signed);

  assert.equal(answer.result, undefined);
  assert.equal(answer.code, "NOT_ENOUGH_EFFECTIVE_CONNECTION");
  assert.equal(answer.message, "P2P broadcast failed.");
  node.produce();
  assert.equal(node.head.transactions[0]?.txId, signed.txID);
});

Deno.test("T2: without enough peers nothing is pooled, and it may be sent again", async () => {
  await using node = await startTronNode();
  const { payer, payee } = twoWallets(node);
  const signed = await signedPayment(node, { from: payer, to: payee.address });
  const codes: string[] = [];
  const unready = [
    { effective: 0 },
    { active: 0 },
    { isUnsolidified: true },
    { pendingMax: 0 },
  ];
  for (const trouble of unready) {
    const before = { ...node.connections };
    Object.assign(node.connections, trouble);
    codes.push((await send(node, signed)).code);
    Object.assign(node.connections, before);
  }
  assert.deepEqual(codes, [
    "NOT_ENOUGH_EFFECTIVE_CONNECTION",
    "NO_CONNECTION",
    "BLOCK_UNSOLIDIFIED",
    "SERVER_BUSY",
  ]);
  assert.deepEqual(node.pool, []);
  assert.equal((await send(node, signed)).result, true);
});

Deno.test("T3: the reply is lost and the transaction is in the pool; sent again it is a duplicate", async () => {
  await using node = await startTronNode();
  const { payer, payee } = twoWallets(node);
  const signed = await signedPayment(node, { from: payer, to: payee.address });
  node.door.onCall = () => ({ drop: "after" });
  await assert.rejects(send(node, signed), TypeError);
  node.door.onCall = () => {};

  assert.equal((await send(node, signed)).code, "DUP_TRANSACTION_ERROR");
  node.produce();
  assert.equal(node.head.transactions[0]?.txId, signed.txID);

  const other = await signedPayment(node, { from: payer, to: payee.address, sun: 2 });
  node.door.onCall = () => ({ drop: "before" });
  await assert.rejects(send(node, other), TypeError);
  assert.deepEqual(node.pool, []);
});

Deno.test("T4: an unmined transaction may be mined until it expires, and is refused after that", async () => {
  await using node = await startTronNode({ pendingTimeoutMs: HOUR_MS });
  const { payer, payee } = twoWallets(node);
  const expiration = node.head.timestampMs + 60_000;
  const signed = await signedPayment(node, { from: payer, to: payee.address }, { expiration });
  await send(node, signed);
  node.produce(18, { isEmpty: true });
  assert.equal(node.pool.length, 1);

  node.produce(2, { isEmpty: true });

  assert.equal(node.head.timestampMs, expiration);
  assert.deepEqual(node.pool, []);
  assert.match(node.dropped[0]!.reason, /TransactionExpiration/);
  assert.ok(node.solid.timestampMs < expiration);
  node.produce(18);
  assert.equal(node.solid.timestampMs, expiration);
  assert.equal((await send(node, signed)).code, "DUP_TRANSACTION_ERROR");
  const late = await signedPayment(node, { from: payer, to: payee.address }, { expiration });
  assert.equal((await send(node, late)).code, "TRANSACTION_EXPIRATION_ERROR");
});

Deno.test("T4: a block at the very time of expiration may still contain the transaction", async () => {
  await using node = await startTronNode({ pendingTimeoutMs: HOUR_MS });
  const { payer, payee } = twoWallets(node);
  const expiration = node.head.timestampMs + 60_000;
  const signed = await signedPayment(node, { from: payer, to: payee.address }, { expiration });
  await send(node, signed);
  node.produce(19, { isEmpty: true });
  node.produce();
  assert.equal(node.head.timestampMs, expiration);
  assert.equal(node.head.transactions[0]?.txId, signed.txID);
});

Deno.test("T4: the pool forgets after a minute what no block took", async () => {
  await using node = await startTronNode();
  const { payer, payee } = twoWallets(node);
  const signed = await signedPayment(node, { from: payer, to: payee.address });
  await send(node, signed);
  node.produce(25, { isEmpty: true });

  assert.deepEqual(node.pool, []);
  assert.deepEqual(node.dropped, [{ txId: signed.txID, reason: "pending timeout" }]);
  assert.deepEqual(await ask(node, "/wallet/gettransactionbyid", { value: signed.txID }), {});
});

Deno.test("T5: two equal payments are one transaction", async () => {
  await using node = await startTronNode();
  const { payer, payee } = twoWallets(node);
  const one = await signedPayment(node, { from: payer, to: payee.address });
  const same = await signedPayment(node, { from: payer, to: payee.address });
  const later = await signedPayment(node, { from: payer, to: payee.address }, {
    timestamp: node.head.timestampMs + 1,
  });
  const answers = [await send(node, one), await send(node, same), await send(node, later)];
  assert.deepEqual(answers.map(({ code }) => code), [
    undefined,
    "DUP_TRANSACTION_ERROR",
    undefined,
  ]);
  node.produce();
  assert.equal(node.head.transactions.length, 2);
});

Deno.test("T6: a reference to a head that is orphaned refuses the transaction; a solid one does not", async () => {
  await using node = await startTronNode();
  const { payer, payee } = twoWallets(node);
  const payment = { from: payer, to: payee.address };
  const onHead = await signedPayment(node, payment, headerOf(node, node.head));
  const early = await signedPayment(node, { ...payment, sun: 2 }, headerOf(node, node.head));
  const onSolid = await signedPayment(node, payment);
  await send(node, early);
  node.reorg(1, { transactions: "pooled" });

  assert.match(node.dropped[0]!.reason, /Tapos failed, different block hash/);
  assert.equal((await send(node, onHead)).code, "TAPOS_ERROR");
  assert.equal((await send(node, onSolid)).result, true);
});

Deno.test("T6: a reference to a block that doesn't exist yet is a TAPOS_ERROR", async () => {
  await using node = await startTronNode();
  const { payer, payee } = twoWallets(node);
  const signed = await signedPayment(node, { from: payer, to: payee.address }, {
    ref_block_bytes: "fffe",
  });
  assert.equal((await send(node, signed)).code, "TAPOS_ERROR");
});

Deno.test("T7: a reverted and an unpayable call are mined, cost a fee and move nothing", async () => {
  await using node = await startTronNode();
  const { payer, payee, token, contract } = await tokenScene(node);
  token.ban(payer.address);
  const pay = (feeLimit: number) =>
    contract.methods.transfer(payee.address, 7_000_000).send({ feeLimit });
  const reverted = await pay(100_000_000);
  node.produce();
  token.unban(payer.address);
  const exhausted = await pay(5_000_000);
  node.produce();

  const info = (value: string) => ask(node, "/wallet/gettransactioninfobyid", { value });
  assert.equal((await info(reverted)).receipt.result, "REVERT");
  assert.equal((await info(reverted)).result, "FAILED");
  assert.equal((await info(exhausted)).receipt.result, "OUT_OF_ENERGY");
  assert.equal((await info(exhausted)).receipt.energy_fee, 5_000_000);
  assert.equal((await info(exhausted)).log, undefined);
  const mined = await ask(node, "/wallet/gettransactionbyid", { value: exhausted });
  assert.deepEqual(mined.ret, [{ contractRet: "OUT_OF_ENERGY" }]);
  assert.equal(token.balanceOf(payee.address), 0n);
});

Deno.test("T8: after a fork a height has another block, and infos don't say which one they are of", async () => {
  await using node = await startTronNode();
  const { payee } = twoWallets(node);
  node.pay(payee.address, 1n * TRX);
  const { number } = node.produce();
  node.produce(2);
  const block = await ask(node, "/wallet/getblockbynum", { num: number });
  node.reorg(3, { transactions: "gone" });
  node.pay(payee.address, 2n * TRX);

  const again = await ask(node, "/wallet/getblockbynum", { num: number });
  const infos = await ask(node, "/wallet/gettransactioninfobyblocknum", { num: number });

  assert.equal(block.transactions.length, 1);
  assert.notEqual(again.blockID, block.blockID);
  assert.equal(parseInt(again.blockID.slice(0, 16), 16), number);
  assert.deepEqual(infos, []);
  assert.deepEqual(await ask(node, "/wallet/getblockbyid", { value: block.blockID }), {});
  assert.equal(node.head.number, number + 3);
});

Deno.test("T8: a transaction lost in a fork is mined again with another block and time", async () => {
  await using node = await startTronNode();
  const { payee } = twoWallets(node);
  const txId = node.pay(payee.address, 1n * TRX);
  const lost = node.produce();
  node.reorg(1);
  const info = await ask(node, "/wallet/gettransactioninfobyid", { value: txId });
  assert.equal(info.blockNumber, lost.number);
  assert.notEqual(node.chain.blocks[lost.number]!.id, lost.id);
  assert.equal(node.balanceOf(payee.address), 1n * TRX);
});

Deno.test("T8: a missing and an empty block have the same infos, and no fork goes below a solid block", async () => {
  await using node = await startTronNode();
  for (const num of [node.head.number, node.head.number + 1]) {
    assert.equal(await askText(node, "/wallet/gettransactioninfobyblocknum", { num }), "[]\n");
  }
  assert.throws(() => node.reorg(19), /is solid/);
});

Deno.test("T9: asking too much gives status 200 with an Error, and something missing gives {}", async () => {
  await using node = await startTronNode();
  assert.equal(await askText(node, "/wallet/getblockbynum", { num: 1_000_000 }), "{}\n");
  node.door.onCall = () => "overloaded";
  const response = await fetch(`${node.url}/wallet/getnowblock`);
  assert.equal(response.status, 200);
  assert.deepEqual(await response.json(), {
    Error: "class java.lang.IllegalAccessException : lack of computing resources",
  });
});

Deno.test("T10: an address without an account cannot send, and its first coins cost 1.1 TRX", async () => {
  await using node = await startTronNode();
  const { payer, payee, token } = await tokenScene(node);
  token.mint(payee.address, 1_000_000n);
  assert.deepEqual(await ask(node, "/wallet/getaccount", { address: token.hex, visible: false }), {
    address: token.hex,
    type: "Contract",
    create_time: node.head.timestampMs,
    net_window_size: 28_800_000,
    net_window_optimized: true,
    account_resource: { energy_window_size: 28_800_000, energy_window_optimized: true },
    frozenV2: [{}, { type: "ENERGY" }, { type: "TRON_POWER" }],
  });
  const bare = await ask(node, "/wallet/getaccount", { address: payee.address, visible: true });
  assert.deepEqual(bare, {});
  const early = await signedPayment(node, { from: payee, to: payer.address, sun: 1 });
  assert.match((await send(node, early)).message, /account \[T\w+\] does not exist/);

  const topUp = await signedPayment(node, { from: payer, to: payee.address, sun: 1 });
  await send(node, topUp);
  node.produce();

  assert.equal(node.balanceOf(payer.address), 100n * TRX - 1_100_001n);
  assert.equal(node.balanceOf(payee.address), 1n);
});

Deno.test("T10: what the account can't pay for is refused, by amount, bandwidth and activation", async () => {
  await using node = await startTronNode();
  const { payer, payee } = twoWallets(node, 1_050_000n);
  const payment = { from: payer, to: payee.address };
  const all = await send(node, await signedPayment(node, { ...payment, sun: 1 }));
  assert.equal(all.code, "CONTRACT_VALIDATE_ERROR");
  node.setBalance(payer.address, 90_000n);
  const activation = await send(node, await signedPayment(node, { ...payment, sun: 2 }));
  assert.equal(activation.code, "BANDWITH_ERROR");
  node.fund(payee.address, 1n);
  const codes: (string | undefined)[] = [];
  for (const sun of [3, 4, 5]) {
    codes.push((await send(node, await signedPayment(node, { ...payment, sun }))).code);
  }
  assert.deepEqual(codes, [undefined, undefined, "BANDWITH_ERROR"]);
});

Deno.test("T11: fee_limit is burned to the last energy, and a factor makes the same call more expensive", async () => {
  await using node = await startTronNode();
  const { payer, payee, token, contract } = await tokenScene(node);
  token.token.energyFactor = 10_000n;
  const estimate = await ask(node, "/wallet/triggerconstantcontract", {
    owner_address: payer.address,
    contract_address: token.address,
    data: token.transferData(payee.address, 1n),
    visible: true,
  });
  assert.equal(estimate.energy_used, 260_570);
  assert.equal(estimate.energy_penalty, 130_285);
  const before = node.balanceOf(payer.address);
  await contract.methods.transfer(payee.address, 1).send({ feeLimit: 13_440_000 });
  node.produce();
  assert.equal(node.balanceOf(payer.address), before - 13_440_000n);
  assert.equal(token.balanceOf(payee.address), 0n);
});

Deno.test("T12: tronweb notices a transaction that the node built differently than asked", async () => {
  await using node = await startTronNode();
  const { payer, payee } = twoWallets(node);
  const thief = tronWallet(node, "thief");
  const asked = (to: string) =>
    ask(node, "/wallet/createtransaction", {
      owner_address: payer.address,
      to_address: to,
      amount: 1_000_000,
      visible: true,
    });
  const { raw_data_hex } = await asked(thief.address);
  const honest = await asked(payee.address);
  assert.equal(honest.raw_data.contract[0].parameter.value.to_address, payee.address);
  const { utils } = await import("tronweb");
  assert.equal(utils.transaction.txCheck({ ...honest }), true);
  assert.equal(utils.transaction.txCheck({ ...honest, raw_data_hex }), false);
});

Deno.test("T13: TRC-10 named TRX moves no coins and has its own type", async () => {
  await using node = await startTronNode();
  const { payer, payee } = twoWallets(node);
  node.giveAsset(payer.address, "1000001", 50n);
  node.fund(payee.address, 1n);
  const built = await payer.web.transactionBuilder.sendToken(
    payee.address,
    20,
    "1000001",
    payer.address,
    { blockHeader: headerOf(node) as never },
  );
  assert.equal((await send(node, await payer.web.trx.sign(built))).result, true);
  node.produce();
  const block = await ask(node, "/wallet/getblockbynum", { num: node.head.number });
  assert.equal(block.transactions[0].raw_data.contract[0].type, "TransferAssetContract");
  assert.equal(block.transactions[0].raw_data.contract[0].parameter.value.amount, 20);
  assert.equal(node.balanceOf(payee.address), 1n);
  const account = await ask(node, "/wallet/getaccount", { address: payee.address, visible: true });
  assert.deepEqual(account.assetV2, [{ key: "1000001", value: 20 }]);
});

Deno.test("T14: coins to oneself are refused, and to a contract by its version or the network's rule", async () => {
  await using node = await startTronNode();
  const { payer } = twoWallets(node);
  const [old, young] = [node.deployDisperser(0), node.deployDisperser(1)];
  let sun = 0;
  const pay = async (to: string) => {
    const { built, error } = await payer.web.transactionBuilder
      .sendTrx(to, ++sun, payer.address, { blockHeader: headerOf(node) as never })
      .then((built) => ({ built, error: "" }), (error) => ({ built: undefined, error }));
    if (!built) return String(error);
    const answer = await send(node, await payer.web.trx.sign(built));
    return answer.message;
  };
  assert.equal(await pay(old.base58), "");
  assert.match(await pay(young.base58), /smartContract which version is one/);
  node.setChainParameters({ getForbidTransferToContract: 1n });
  assert.match(await pay(old.base58), /Cannot transfer TRX to a smartContract\./);
  const toSelf = await ask(node, "/wallet/createtransaction", {
    owner_address: payer.address,
    to_address: payer.address,
    amount: 1,
    visible: true,
  });
  assert.match(toSelf.Error, /ContractValidateException : Cannot transfer TRX to yourself\./);
});

Deno.test("T15: a key that lost its permission can't sign any more, signed before or not", async () => {
  await using node = await startTronNode();
  const { payer, payee } = twoWallets(node, 200n * TRX);
  const before = await signedPayment(node, { from: payer, to: payee.address });
  const owner = {
    type: 0 as const,
    permission_name: "owner",
    threshold: 1,
    keys: [{ address: tronWallet(node, "new owner").web.defaultAddress.hex as string, weight: 1 }],
  };
  const active = { ...owner, type: 2, permission_name: "active", operations: "7f".padEnd(64, "f") };
  const update = await payer.web.transactionBuilder.updateAccountPermissions(
    payer.address,
    owner,
    undefined,
    active as never,
    { blockHeader: headerOf(node) as never },
  );
  assert.equal((await send(node, await payer.web.trx.sign(update))).result, true);
  node.produce();

  const answer = await send(node, before);

  assert.equal(answer.code, "SIGERROR");
  assert.match(answer.message, /not contained of permission/);
  assert.equal(node.balanceOf(payer.address), 100n * TRX);
  const account = await ask(node, "/wallet/getaccount", { address: payer.address, visible: true });
  assert.equal(account.owner_permission.keys[0].address, tronWallet(node, "new owner").address);
});

Deno.test("T16: the expiration is compared with the chain's time, not a clock's", async () => {
  await using node = await startTronNode();
  const { payer, payee } = twoWallets(node);
  const payment = { from: payer, to: payee.address };
  node.setTime(node.head.timestampMs + HOUR_MS);
  const headMs = node.head.timestampMs;
  const sentAt = async (expiration: number) =>
    (await send(node, await signedPayment(node, payment, { expiration }))).code;
  assert.equal(await sentAt(headMs), "TRANSACTION_EXPIRATION_ERROR");
  assert.equal(await sentAt(headMs + 2_999), "TRANSACTION_EXPIRATION_ERROR");
  assert.equal(await sentAt(headMs + 3_000), undefined);
  assert.equal(await sentAt(headMs + 86_400_001), "TRANSACTION_EXPIRATION_ERROR");
  node.produce();
  assert.equal(node.head.timestampMs, headMs + HOUR_MS);
});

Deno.test("53: amounts beyond 2^53 are integers in the JSON that a double can't hold", async () => {
  await using node = await startTronNode();
  const { payee } = twoWallets(node);
  const sun = 2n ** 53n + 1n;
  node.pay(payee.address, sun);
  const { number } = node.produce();

  const block = await askText(node, "/wallet/getblockbynum", { num: number });
  assert.ok(block.includes(`"amount":9007199254740993`));
  const path = `/wallet/getaccount?address=${payee.address}&visible=true`;
  assert.ok((await askText(node, path)).includes(`"balance":9007199254740993,`));
  assert.ok((await askText(node, `${path}&int64_as_string=true`)).includes(`"9007199254740993"`));
  assert.equal(await payee.web.trx.getUnconfirmedBalance(payee.address), 9_007_199_254_740_992);
});
