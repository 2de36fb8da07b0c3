import assert from "node:assert/strict";
import { NetworkCursors } from "../../../src/following/table.ts";
import { judgeDue } from "../../../src/invoices/judge_due.ts";
import { Events } from "../../../src/webhooks/tables/events.ts";
import { setNetwork } from "../../../src/networks/set.ts";
import { alerts } from "../../support/alerts.ts";
import { startLitecoinWorld } from "../../support/litecoin_world.ts";
import { type Litecoind, startLitecoind } from "../../support/nodes/litecoind.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { allocate, balanceOf, depositsOf, type Listed } from "../../support/views.ts";
import type { BareWorld } from "../../support/world.ts";

const ASSET = { network: "LTC", currency: "LTC" };

function shown({ status, amount_decimal, confirmations }: Listed): string {
  return `${amount_decimal} ${status} ${confirmations}`;
}

async function shownOf({ merchant: { api } }: BareWorld): Promise<string[]> {
  return (await depositsOf(api)).map(shown);
}

async function haltedReason({ deps }: BareWorld): Promise<string | null> {
  return (await deps.db.get(NetworkCursors, ["LTC"])).haltedReason;
}

/** From its wallet; whoever pays a higher fee may replace it. */
async function payReplaceably(node: Litecoind, to: string, coins: number): Promise<string> {
  const raw = await node.rpc("createrawtransaction", [[], { [to]: coins }, 0, true]);
  const funding = { feeRate: 0.001, replaceable: true };
  const { hex } = await node.rpc("fundrawtransaction", [raw, funding], "payer");
  const signed = await node.rpc("signrawtransactionwithwallet", [hex], "payer");
  return await node.rpc("sendrawtransaction", [signed.hex]);
}

/** The same inputs, paid to somebody else, for a higher fee; all of it, or so much. */
async function signInstead(
  node: Litecoind,
  txid: string,
  to: string,
  part?: number,
): Promise<string> {
  const { vin } = await node.rpc("getrawtransaction", [txid, true]);
  const inputs = vin.map(({ txid, vout }: { txid: string; vout: number }) => ({
    txid,
    vout,
    sequence: 0xfffffffd,
  }));
  const coins = await Promise.all(
    vin.map(async ({ txid, vout }: { txid: string; vout: number }) =>
      (await node.rpc("gettransaction", [txid, true, true], "payer")).decoded.vout[vout].value
    ),
  );
  const sum = coins.reduce((sum, value) => sum + value, 0);
  const raw = await node.rpc("createrawtransaction", [inputs, {
    [to]: (part ?? sum - 0.01).toFixed(8),
    ...part && { [await node.rpc("getnewaddress", [], "payer")]: (sum - part - 0.01).toFixed(8) },
  }]);
  return (await node.rpc("signrawtransactionwithwallet", [raw], "payer")).hex;
}

/** Signed, and not sent. */
async function spendOf(
  node: Litecoind,
  { txid, value: spent }: { txid: string; value: number },
  paid: Readonly<Record<string, number>>,
): Promise<string> {
  const decoded = await node.rpc("getrawtransaction", [txid, true]);
  const { n: vout } = decoded.vout.find(({ value }: { value: number }) => value === spent);
  const raw = await node.rpc("createrawtransaction", [[{ txid, vout }], paid]);
  return (await node.rpc("signrawtransactionwithwallet", [raw], "payer")).hex;
}

/** Chains of payments that wait for each other. The address gets the last of each chain. */
async function crowd(
  node: Litecoind,
  { address, chains, length }: { address: string; chains: number; length: number },
): Promise<void> {
  const own: string[] = [];
  for (let i = 0; i < chains; i++) own.push(await node.rpc("getnewaddress", [], "payer"));
  const amounts = Object.fromEntries(own.map((to) => [to, 0.1]));
  const begin = await node.rpc("sendmany", ["", amounts], "payer");
  await node.mine(1);
  const { hex } = await node.rpc("gettransaction", [begin, true], "payer");
  const { vout: outputs } = await node.rpc("decoderawtransaction", [hex]);
  for (const { n, scriptPubKey: { hex: script, addresses: [to] } } of outputs) {
    if (!own.includes(to)) continue;
    let [txid, vout, left] = [begin, n, 10_000_000];
    for (let i = 0; i < length; i++) {
      const spent = { txid, vout, scriptPubKey: script, amount: (left / 1e8).toFixed(8) };
      left -= 100_000;
      const paid = i === length - 1 ? address : to;
      const raw = await node.rpc("createrawtransaction", [[{ txid, vout }], {
        [paid]: (left / 1e8).toFixed(8),
      }]);
      const signed = await node.rpc("signrawtransactionwithwallet", [raw, [spent]], "payer");
      [txid, vout] = [await node.rpc("sendrawtransaction", [signed.hex]), 0];
    }
  }
}

Deno.test("a payment is shown at once, however seldom blocks are read", async () => {
  await using node = await startLitecoind({ blocks: 101 });
  await using world = await startLitecoinWorld({
    nodes: [node],
    isWorking: true,
    pollIntervalMs: 3_600_000,
  });
  const { api } = world.merchant;
  const [one, other] = [await allocate(api, ASSET), await allocate(api, ASSET)];
  // Once it is followed.
  const isLooking = () => Promise.resolve(world.deps.memory.pendingNoted.has("LTC"));
  await eventually(isLooking, { until: (is) => is });
  const txid = await node.rpc(
    "sendmany",
    ["", { [one.address]: 1.5, [other.address]: 0.25 }],
    "payer",
  );
  // `eventually` gives up long before blocks are asked for again.
  const found = await eventually(() => depositsOf(api), { until: (rows) => rows.length === 2 });
  assert.deepEqual(found.map(shown).sort(), ["0.25 detected 0", "1.5 detected 0"]);
  assert.deepEqual(found.map(({ tx_hash, block_number }) => [tx_hash, block_number]), [
    [txid, 0],
    [txid, 0],
  ]);
});

Deno.test("its block is the same row, and credits it once it is deep enough", async () => {
  await using node = await startLitecoind({ blocks: 101 });
  await using world = await startLitecoinWorld({ nodes: [node] });
  const { api } = world.merchant;
  const { address } = await allocate(api, ASSET);
  await node.pay(address, "1.5");
  await world.round();
  assert.deepEqual(await shownOf(world), ["1.5 detected 0"]);
  const [seen] = await depositsOf(api);
  await node.mine(1);
  await world.round();
  assert.deepEqual(await shownOf(world), ["1.5 detected 1"]);
  await node.mine(1);
  await world.round();
  const [credited] = await depositsOf(api);
  assert.deepEqual([credited!.status, credited!.id], ["confirmed", seen!.id]);
  assert.equal((await balanceOf(api, "LTC")).balance, "1.5");
  assert.deepEqual(world.faults, []);
});

Deno.test("an invoice shows it as processing, and of a payment for a higher fee the newer one", async () => {
  await using node = await startLitecoind({ blocks: 101 });
  await using world = await startLitecoinWorld({ nodes: [node] });
  const { deps, merchant: { api } } = world;
  const asked = { amount: "1.5", currency: "LTC", method: { network: "LTC", currency: "LTC" } };
  const { data: { invoice_id: id, methods: [{ address }] } } = (await api.post(
    "/v1/invoices",
    asked,
  )).body;
  const stands = async () => {
    await world.round();
    await judgeDue(deps);
    const { data } = (await api.get(`/v1/invoices/${id}`)).body;
    return [data.status, data.paid, data.due];
  };
  const txid = await payReplaceably(node, address, 1.5);
  assert.deepEqual(await stands(), ["processing", "1.5", "0"]);
  await node.rpc("sendrawtransaction", [await signInstead(node, txid, address, 1.5)]);
  assert.deepEqual(await stands(), ["processing", "1.5", "0"]);
  assert.deepEqual(await shownOf(world), ["1.5 detected 0", "1.5 detected 0"]);
  await node.mine(2);
  assert.deepEqual(await stands(), ["paid", "1.5", "0"]);
  assert.deepEqual((await depositsOf(api)).map(({ status }) => status), ["confirmed", "failed"]);
  const events = (await deps.db.rows(Events, "ORDER BY id")).map(({ type }) => type);
  assert.deepEqual(events.filter((type) => type.startsWith("deposit.")), [
    ...["deposit.detected", "deposit.detected", "deposit.confirmed"],
  ]);
});

Deno.test("what is replaced fails once the other is deep enough, and not before", async () => {
  await using node = await startLitecoind({ blocks: 101 });
  await using world = await startLitecoinWorld({ nodes: [node] });
  const { address } = await allocate(world.merchant.api, ASSET);
  const txid = await payReplaceably(node, address, 1.5);
  await world.round();
  const instead = await signInstead(node, txid, await node.rpc("getnewaddress", [], "payer"));
  await node.rpc("sendrawtransaction", [instead]);
  await world.round();
  assert.deepEqual(await shownOf(world), ["1.5 detected 0"]);
  const [hash] = await node.mine(1);
  await world.round();
  assert.deepEqual(await shownOf(world), ["1.5 detected 0"]);
  // Its block is undone, and so is what it did.
  await node.invalidate(hash!);
  await node.rpc("generateblock", [await node.rpc("getnewaddress", [], "payer"), []]);
  await node.rpc("generateblock", [await node.rpc("getnewaddress", [], "payer"), []]);
  await world.round();
  assert.deepEqual(await shownOf(world), ["1.5 detected 0"]);
  await node.mine(2);
  await world.round();
  assert.deepEqual(await shownOf(world), ["1.5 failed 0"]);
  assert.deepEqual(world.faults, []);
});

Deno.test("a payment fails with an ancestor that is replaced", async () => {
  await using node = await startLitecoind({ blocks: 103 });
  await using world = await startLitecoinWorld({ nodes: [node] });
  const { address } = await allocate(world.merchant.api, ASSET);
  const own = await node.rpc("getnewaddress", [], "payer");
  const parent = await payReplaceably(node, own, 40);
  const hex = await spendOf(node, { txid: parent, value: 40 }, { [address]: 39.999 });
  await node.rpc("sendrawtransaction", [hex]);
  await world.round();
  assert.deepEqual(await shownOf(world), ["39.999 detected 0"]);
  await node.rpc("sendrawtransaction", [await signInstead(node, parent, own)]);
  await node.mine(2);
  await world.round();
  assert.deepEqual(await shownOf(world), ["39.999 failed 0"]);
});

Deno.test("a conflict mined by another node counts, and one node suffices to show a payment", async () => {
  await using node = await startLitecoind({ blocks: 101 });
  await using other = await startLitecoind();
  await node.connect(other);
  await node.cut(other);
  await using world = await startLitecoinWorld({ nodes: [other, node], quorum: 2 });
  const { address } = await allocate(world.merchant.api, ASSET);
  const txid = await payReplaceably(node, address, 1.5);
  await world.round();
  assert.deepEqual(await shownOf(world), ["1.5 detected 0"]);
  const to = await node.rpc("getnewaddress", [], "payer");
  await other.rpc("sendrawtransaction", [await signInstead(node, txid, to)]);
  await other.mine(2, to);
  await other.connect(node);
  await world.round();
  await world.round();
  assert.deepEqual(await shownOf(world), ["1.5 failed 0"]);
});

Deno.test("what a late node shows once its coins are spent fails when that is deep enough", async () => {
  await using node = await startLitecoind({ blocks: 104 });
  await using late = await startLitecoind();
  await node.connect(late);
  await node.cut(late);
  await using world = await startLitecoinWorld({ nodes: [node, late] });
  const [one, other] = [
    await allocate(world.merchant.api, ASSET),
    await allocate(world.merchant.api, ASSET),
  ];
  const own = await node.rpc("getnewaddress", [], "payer");
  const rawOf = (txid: string) => node.rpc("getrawtransaction", [txid]);
  const txid = await payReplaceably(node, one.address, 1.5);
  const parent = await payReplaceably(node, own, 40);
  const child = await spendOf(node, { txid: parent, value: 40 }, { [other.address]: 39.999 });
  const payments = [await rawOf(txid), await rawOf(parent), child];
  await node.rpc("sendrawtransaction", [await signInstead(node, txid, own)]);
  await node.rpc("sendrawtransaction", [await signInstead(node, parent, own)]);
  await node.mine(1);
  await world.round();
  for (const raw of payments) await late.rpc("sendrawtransaction", [raw]);
  await world.round();
  const waiting = ["1.5 detected 0", "39.999 detected 0"];
  assert.deepEqual((await shownOf(world)).toSorted(), waiting);
  await node.mine(2);
  await late.connect(node);
  await world.round();
  assert.deepEqual((await shownOf(world)).toSorted(), waiting);
  // Now no node shows them. Whether their coins went just now isn't known.
  await node.mine(1);
  await world.round({ aheadMs: 120_000 });
  assert.deepEqual((await shownOf(world)).toSorted(), waiting);
  await node.mine(1);
  await world.round({ aheadMs: 120_000 });
  assert.deepEqual((await shownOf(world)).toSorted(), ["1.5 failed 0", "39.999 failed 0"]);
  assert.deepEqual(world.faults, []);
});

Deno.test("what every node has forgotten waits, and so does what is mined meanwhile", async () => {
  await using node = await startLitecoind({ blocks: 104 });
  await using other = await startLitecoind();
  await node.connect(other);
  await node.cut(other);
  await using world = await startLitecoinWorld({ nodes: [node] });
  const { address } = await allocate(world.merchant.api, ASSET);
  const own = await node.rpc("getnewaddress", [], "payer");
  const parent = await payReplaceably(node, own, 40);
  const child = await spendOf(node, { txid: parent, value: 40 }, { [address]: 39.999 });
  const payments = [await node.rpc("getrawtransaction", [parent]), child];
  await node.rpc("sendrawtransaction", [child]);
  await world.round();
  await setNetwork(world.deps, {
    ...{ code: "LTC", actor: "test" },
    change: { rpcUrls: [other.url] },
  });
  const to = await node.rpc("getnewaddress", [], "payer");
  for (let i = 0; i < 4; i++) {
    await other.mine(1, to);
    await world.round({ aheadMs: 120_000 });
  }
  assert.deepEqual(await shownOf(world), ["39.999 detected 0"]);
  for (const raw of payments) await other.rpc("sendrawtransaction", [raw]);
  await other.mine(2, to);
  await world.round({ aheadMs: 120_000 });
  assert.deepEqual(await shownOf(world), ["39.999 confirmed 2"]);
});

Deno.test("after 14 days unseen it fails, and mined all the same it is a new deposit", async () => {
  await using node = await startLitecoind({ blocks: 101 });
  await using empty = await startLitecoind();
  await node.connect(empty);
  await node.cut(empty);
  await using world = await startLitecoinWorld({ nodes: [node] });
  const { api } = world.merchant;
  const { address } = await allocate(api, ASSET);
  const txid = await node.pay(address, "1.5");
  const raw = await node.rpc("getrawtransaction", [txid]);
  await world.round();
  assert.deepEqual(await shownOf(world), ["1.5 detected 0"]);
  // As long as a node shows it, it waits.
  const day = 86_400_000;
  await world.round({ aheadMs: 10 * day });
  await world.round({ aheadMs: 20 * day });
  const to = await node.rpc("getnewaddress", [], "payer");
  await node.rpc("generateblock", [to, []]);
  await world.round();
  assert.deepEqual(await shownOf(world), ["1.5 detected 0"]);

  // Its only node is another one now, which never had it.
  await empty.connect(node);
  await empty.cut(node);
  await setNetwork(world.deps, {
    ...{ code: "LTC", actor: "operator" },
    change: { rpcUrls: [empty.url] },
  });
  await empty.mine(1, to);
  await world.round({ aheadMs: 33 * day });
  assert.deepEqual(await shownOf(world), ["1.5 detected 0"]);
  await empty.mine(1, to);
  await world.round({ aheadMs: 35 * day });
  assert.deepEqual(await shownOf(world), ["1.5 failed 0"]);
  assert.deepEqual(
    (await alerts(world.deps.db, { isOpen: true, limit: 9 })).filter(({ kind }) =>
      kind === "deposit_unseen"
    ).length,
    1,
  );
  await empty.rpc("sendrawtransaction", [raw]);
  await world.round();
  assert.deepEqual(await shownOf(world), ["1.5 detected 0", "1.5 failed 0"]);
  await empty.mine(2, to);
  await world.round();
  assert.deepEqual((await depositsOf(api)).map(({ status }) => status), ["confirmed", "failed"]);
  assert.equal((await balanceOf(api, "LTC")).balance, "1.5");
});

Deno.test("a reorganisation brings a payment back to the mempool, and takes a credit back", async () => {
  await using node = await startLitecoind({ blocks: 101 });
  await using world = await startLitecoinWorld({ nodes: [node] });
  const { api } = world.merchant;
  const { address } = await allocate(api, ASSET);
  const to = await node.rpc("getnewaddress", [], "payer");
  await node.pay(address, "1.5");
  const [hash] = await node.mine(2);
  await world.round();
  assert.equal((await balanceOf(api, "LTC")).balance, "1.5");
  await node.invalidate(hash!);
  for (let i = 0; i < 4; i++) await node.rpc("generateblock", [to, []]);
  await world.round();
  await world.round();
  assert.equal((await balanceOf(api, "LTC")).balance, "0");
  await world.round();
  assert.deepEqual(await shownOf(world), ["1.5 detected 0", "1.5 failed 0"]);
  await node.mine(2);
  await world.round();
  assert.equal((await balanceOf(api, "LTC")).balance, "1.5");
  assert.deepEqual((await depositsOf(api)).map(({ status }) => status), ["confirmed", "failed"]);
});

Deno.test("what was final and is contradicted halts the network", async () => {
  await using node = await startLitecoind({ blocks: 101 });
  await using world = await startLitecoinWorld({ nodes: [node] });
  const blocks = await node.mine(14);
  await world.round();
  await world.round();
  const to = await node.rpc("getnewaddress", [], "payer");
  // The eleventh block from the top may go, the twelfth is final.
  await node.invalidate(blocks[3]!);
  for (let i = 0; i < 12; i++) await node.rpc("generateblock", [to, []]);
  await world.round();
  await world.round();
  assert.equal(await haltedReason(world), null);
  await node.rpc("invalidateblock", [await node.rpc("getblockhash", [103])]);
  for (let i = 0; i < 14; i++) await node.rpc("generateblock", [to, []]);
  await world.round();
  await world.round();
  assert.match(await haltedReason(world) ?? "", /finalized block/);
});

Deno.test("an operator may wait for more blocks until nothing is undone any more", async () => {
  await using node = await startLitecoind({ blocks: 101 });
  await using world = await startLitecoinWorld({ nodes: [node], finalBlocks: 20 });
  const blocks = await node.mine(14);
  await world.round();
  await world.round();
  await node.invalidate(blocks[0]!);
  const to = await node.rpc("getnewaddress", [], "payer");
  for (let i = 0; i < 15; i++) await node.rpc("generateblock", [to, []]);
  await world.round();
  await world.round();
  assert.equal(await haltedReason(world), null);
});

Deno.test("a coinbase's payment is credited with 100 confirmations", async () => {
  await using node = await startLitecoind({ blocks: 101 });
  await using world = await startLitecoinWorld({ nodes: [node] });
  const { api } = world.merchant;
  const { address } = await allocate(api, ASSET);
  await node.mine(1, address);
  await node.mine(98);
  await world.round();
  assert.deepEqual(await shownOf(world), ["50 detected 99"]);
  await node.mine(1);
  await world.round();
  assert.deepEqual(await shownOf(world), ["50 confirmed 100"]);
});

Deno.test("what comes out of an extension block is credited when it may be spent", async () => {
  await using node = await startLitecoind({ blocks: 101 });
  await node.startMweb();
  await using world = await startLitecoinWorld({ nodes: [node] });
  const { api } = world.merchant;
  const { address } = await allocate(api, ASSET);
  await node.rpc("createwallet", ["hidden"]);
  await node.pay(await node.rpc("getnewaddress", ["", "mweb"], "hidden"), 5);
  await node.mine(2);
  await node.rpc("sendtoaddress", [address, "1.5"], "hidden");
  await node.mine(5);
  await world.round();
  assert.deepEqual(await shownOf(world), ["1.5 detected 5"]);
  await node.mine(1);
  await world.round();
  assert.deepEqual(await shownOf(world), ["1.5 confirmed 6"]);
});

Deno.test("dust waits until more comes to its address", async () => {
  await using node = await startLitecoind({ blocks: 101, args: ["-dustrelayfee=0"] });
  await using world = await startLitecoinWorld({ nodes: [node] });
  const { api } = world.merchant;
  const { address } = await allocate(api, ASSET);
  await node.pay(address, "0.00002000");
  await node.mine(2);
  await world.round();
  await world.round();
  assert.deepEqual(await shownOf(world), ["0.00002 detected 2"]);
  await node.pay(address, "0.00000900");
  await node.mine(2);
  await world.round();
  assert.deepEqual(await shownOf(world), ["0.000009 detected 2", "0.00002 detected 4"]);
  await node.pay(address, "0.00000040");
  await node.mine(2);
  await world.round();
  assert.equal((await balanceOf(api, "LTC")).balance, "0.0000294");
  assert.deepEqual(world.faults, []);
});

Deno.test("among thousands that wait, ours is found, and who floods it is held back", async () => {
  await using node = await startLitecoind({ blocks: 101 });
  await using world = await startLitecoinWorld({ nodes: [node] });
  const { api } = world.merchant;
  const [flooded, other] = [await allocate(api, ASSET), await allocate(api, ASSET)];
  await crowd(node, { address: flooded.address, chains: 100, length: 20 });
  await node.pay(other.address, "1.5");
  const of = async ({ address }: { address: string }) =>
    (await depositsOf(api)).filter(({ to_address }) => to_address === address);
  // What was there before the first look is read bit by bit.
  for (let i = 0; i < 3; i++) await world.round();
  assert.equal((await of(flooded)).length, 20);
  assert.equal((await of(other)).length, 1);
  await node.mine(2);
  await world.round();
  await world.round();
  assert.equal((await of(flooded)).filter(({ status }) => status === "confirmed").length, 100);
  assert.equal((await balanceOf(api, "LTC")).balance, "9.5");
  assert.deepEqual(world.faults, []);
});
