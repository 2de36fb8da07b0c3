import assert from "node:assert/strict";
import { readAddress } from "../../../../src/chains/bitcoin/addresses.ts";
import { readBlock } from "../../../../src/chains/bitcoin/bytes/block.ts";
import { readTransaction } from "../../../../src/chains/bitcoin/bytes/transaction.ts";
import { refusalOf } from "../../../../src/chains/bitcoin/node/errors.ts";
import { presetOfGenesis, PRESETS } from "../../../../src/chains/bitcoin/params.ts";
import { RpcReplyError } from "../../../../src/chains/pool/node_errors.ts";
import { UnfitNode } from "../../../../src/chains/faults.ts";
import { startLitecoind } from "../../../support/nodes/litecoind.ts";
import { nodeAt } from "../line.ts";

const NETWORK = PRESETS["LTC-REGTEST"];
const NOTHING = "ab".repeat(32);
const MWEB = { hasMweb: true };

async function refused(sent: Promise<unknown>): Promise<RpcReplyError> {
  const error = await sent.then(() => undefined, (error) => error);
  assert.ok(error instanceof RpcReplyError, `${error}`);
  return error;
}

Deno.test("a node says its chain, its blocks and headers, and what it doesn't have", async () => {
  await using litecoind = await startLitecoind({ blocks: 5 });
  const node = nodeAt(litecoind.url);

  const info = await node.chainInfo();
  const [genesis, fifth, none] = await node.blockHashes([0, 5, 6]);

  assert.equal(presetOfGenesis(genesis!), "LTC-REGTEST");
  assert.equal(none, undefined);
  const { hash, ...rest } = info;
  assert.equal(hash, fifth);
  assert.deepEqual(rest, { height: 5, headerHeight: 5, isSyncing: false, prunedBelow: null });
  const [first, header, unknown] = await node.headers([genesis!, hash, NOTHING]);
  assert.equal(first?.parentHash, null);
  assert.deepEqual([header?.height, header?.confirmations, unknown], [5, 1, undefined]);
  const block = await readBlock((await node.rawBlock({ height: 7, hash: hash! }))!, {
    hash,
    ...MWEB,
  });
  assert.deepEqual([block.parentHash, block.atMs], [header?.parentHash, header?.atMs]);
  assert.equal(await node.rawBlock({ height: 7, hash: NOTHING }), undefined);
  const { version, name } = await node.networkInfo();
  assert.equal(version, 210201);
  assert.equal(name, "/LitecoinCore:0.21.2.1/");
});

Deno.test("a header that was left says -1, and an unknown branch is only a header", async () => {
  await using litecoind = await startLitecoind({ blocks: 3 });
  const node = nodeAt(litecoind.url);
  const { hash } = await node.chainInfo();

  await litecoind.invalidate(hash);

  assert.equal((await node.headers([hash]))[0]?.confirmations, -1);
  assert.equal((await node.chainInfo()).height, 2);
  await litecoind.reconsider(hash);
  assert.equal((await node.chainInfo()).hash, hash);
});

Deno.test("what is in a mempool is read from bytes: payments, relatives and unspent outputs", async () => {
  await using litecoind = await startLitecoind({ blocks: 101 });
  const node = nodeAt(litecoind.url);
  const to: string = await litecoind.rpc("getnewaddress", ["", "bech32"], "payer");
  const script = readAddress(to, NETWORK)!.script;
  const before = await node.mempool();

  const paid = await litecoind.pay(to, "1.23456789");
  const next = await litecoind.pay(to, 2);

  const { txids, sequence } = await node.mempool();
  assert.deepEqual(txids.toSorted(), [paid, next].toSorted());
  assert.equal(sequence - before.sequence, 2);
  const [raw, other, none] = await node.rawTransactions([paid, next, NOTHING]);
  assert.equal(none, undefined);
  const transaction = readTransaction(raw!, MWEB)!;
  assert.deepEqual([transaction.txid, readTransaction(other!, MWEB)?.txid], [paid, next]);
  const vout = transaction.outputs.findIndex((output) => output.script === script);
  assert.equal(transaction.outputs[vout]?.valueRaw, 123_456_789n);
  const [entry] = await node.mempoolEntries([next, NOTHING]);
  assert.deepEqual(entry?.parents, [paid]);
  assert.equal(entry?.ancestors.count, 2);
  assert.deepEqual([...(await node.relatives(next, "ancestors"))!.keys()], [paid]);
  const descendants = (await node.relatives(paid, "descendants"))!;
  assert.deepEqual([...descendants.keys()], [next]);
  const [own] = await node.mempoolEntries([paid]);
  assert.equal(own?.descendants.feesRaw, own!.feeRaw + descendants.get(next)!.feeRaw);
  assert.equal(await node.relatives(NOTHING, "ancestors"), undefined);
  const outpoints = [{ txid: paid, vout }, { txid: NOTHING, vout: 0 }];
  assert.deepEqual(await node.unspent(outpoints, { withMempool: false }), [undefined, undefined]);
  const [unspent] = await node.unspent(outpoints, { withMempool: true });
  assert.deepEqual([unspent?.valueRaw, unspent?.script, unspent?.confirmations], [
    ...[123_456_789n, script, 0],
  ]);
  assert.equal((await node.mempoolInfo()).transactions, 2);
  assert.equal((await node.mempoolInfo()).minFeeRaw, 1_000n);
  assert.equal(await node.estimateFee(3), null);
});

Deno.test("unspent outputs of scripts are found without an index, and only mined ones", async () => {
  await using litecoind = await startLitecoind({ blocks: 101 });
  const node = nodeAt(litecoind.url);
  const to: string = await litecoind.rpc("getnewaddress", ["", "bech32"], "payer");
  const script = readAddress(to, NETWORK)!.script;
  const txid = await litecoind.pay(to, 3);
  const scan = () => node.scan([script, `0014${"00".repeat(20)}`], { timeoutMs: 60_000 });
  assert.deepEqual((await scan())?.outputs, []);

  const [hash] = await litecoind.mine(1);

  const found = await scan();
  assert.equal(found?.hash, hash);
  const [output] = found!.outputs;
  assert.deepEqual({ ...output, vout: 0 }, {
    ...{ txid, vout: 0, valueRaw: 300_000_000n, script, height: 102 },
  });
});

Deno.test("what a node refuses is told apart: known, spent, conflicting, too cheap, dust, broken", async () => {
  await using litecoind = await startLitecoind({ blocks: 101 });
  const node = nodeAt(litecoind.url);
  const { rpc } = litecoind;
  const [coin] = await rpc("listunspent", [], "payer");
  const input = { txid: coin.txid, vout: coin.vout, sequence: 0xfffffffd };
  const to: string = await rpc("getnewaddress", [], "payer");
  const signed = async (coins: string, from: object = input) => {
    const raw = await rpc("createrawtransaction", [[from], [{ [to]: coins }]]);
    return (await rpc("signrawtransactionwithwallet", [raw], "payer")).hex as string;
  };
  const why = async (raw: string) => refusalOf(await refused(node.send(raw)));
  const gone = await rpc("createrawtransaction", [[{ txid: NOTHING, vout: 0 }], [{ [to]: 1 }]]);

  assert.equal(await why(gone), "missing_inputs");
  assert.equal((await refused(node.send(gone))).text, "bad-txns-inputs-missingorspent");
  assert.equal(await why("00"), "invalid");
  assert.equal(await why(await signed("50")), "fee_too_low");
  assert.equal(await why(await signed("0.00001")), "dust");
  assert.equal(await why(await signed("49.7")), "fee_too_high");
  const unsigned = await rpc("createrawtransaction", [[input], [{ [to]: "49.9999" }]]);
  assert.equal(await why(unsigned), "invalid");
  const trial = await node.testAccept(await signed("49.99999"));
  assert.deepEqual(trial, { isAccepted: true, vsize: 110, feeRaw: 1_000n });

  const first = await signed("49.9999");
  const txid = await node.send(first);
  assert.equal(await node.send(first), txid);
  assert.deepEqual(await node.testAccept(first), {
    ...{ isAccepted: false, reason: "txn-already-in-mempool" },
  });
  assert.equal(await why(await signed("49.99991")), "replacement_too_low");
  assert.equal(await why(await signed("49.9998995")), "replacement_too_low");
  const better = await node.send(await signed("49.9997"));
  assert.notEqual(better, txid);
  await litecoind.mine(1);
  const mined = await signed("49.9997");
  assert.match((await refused(node.send(mined))).text, /^Transaction already in block chain$/);
  assert.equal(await why(mined), "known");
  assert.equal(await why(first), "missing_inputs");
});

Deno.test("with its usual settings Litecoin Core takes no replacement", async () => {
  await using litecoind = await startLitecoind({ blocks: 101, args: ["-mempoolreplacement=0"] });
  const { rpc } = litecoind;
  const node = nodeAt(litecoind.url);
  const [coin] = await rpc("listunspent", [], "payer");
  const to: string = await rpc("getnewaddress", [], "payer");
  const signed = async (coins: string) => {
    const input = { txid: coin.txid, vout: coin.vout, sequence: 0xfffffffd };
    const raw = await rpc("createrawtransaction", [[input], [{ [to]: coins }]]);
    return (await rpc("signrawtransactionwithwallet", [raw], "payer")).hex as string;
  };
  await node.send(await signed("49.9999"));
  const error = await refused(node.send(await signed("49.998")));
  assert.deepEqual([error.text, refusalOf(error)], ["txn-mempool-conflict", "conflict"]);
});

Deno.test("a wrong password puts a node out of use, and no text shows one", async () => {
  await using litecoind = await startLitecoind();
  const url = litecoind.url.replace("k3y-0f-litecoind", "wr0ng-k3y-0f");
  const error = await nodeAt(url).chainInfo().then(() => undefined, (error) => error);
  assert.ok(error instanceof UnfitNode, `${error}`);
  assert.doesNotMatch(`${error.message} ${error.stack}`, /k3y|wr0ng/);
  assert.match(error.message, /^127\.0\.0\.1:\d+ refuses the name or password of its URL \(401\)$/);
});

Deno.test("two nodes that were cut apart agree on the longer branch once connected", async () => {
  await using one = await startLitecoind({ blocks: 2 });
  await using other = await startLitecoind();
  await one.connect(other);
  const node = nodeAt(other.url);
  assert.equal((await node.chainInfo()).height, 2);
  await one.cut(other);
  await one.mine(1);
  const [, hash] = await other.mine(2);
  assert.notEqual((await nodeAt(one.url).chainInfo()).height, (await node.chainInfo()).height);

  await one.connect(other);

  assert.equal((await nodeAt(one.url).chainInfo()).hash, hash);
});

Deno.test("a node goes on with its folder, mempool included, after it was stopped", async () => {
  await using litecoind = await startLitecoind({ blocks: 101 });
  const txid = await litecoind.pay(await litecoind.rpc("getnewaddress", [], "payer"), 1);
  await litecoind.stop();
  await using again = await startLitecoind({ folder: litecoind.folder });
  const node = nodeAt(again.url);
  assert.equal((await node.chainInfo()).height, 101);
  assert.deepEqual((await node.mempool()).txids, [txid]);
});
