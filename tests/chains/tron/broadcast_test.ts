import assert from "node:assert/strict";
import { toHex, utf8 } from "../../../src/base/bytes.ts";
import { startTronNode } from "../../support/tron_node/start.ts";
import { answering, chainOf, fundBoth, makeTransfer, sender, TRX } from "./sending.ts";
import { NO_TEXT } from "../../support/nodes/no_text.ts";

const SEND = "/wallet/broadcasthex";

Deno.test("the same bytes go to every endpoint, and are mined as they were signed", async () => {
  await using node = await startTronNode();
  fundBoth(node);
  const other = await node.addDoor();
  const chain = chainOf(node.url, other.url);
  const { raw, txHash } = await makeTransfer(chain);
  assert.deepEqual(await chain.broadcast(raw), { kind: "accepted" });
  for (const door of [node.door, other]) {
    const sent = door.calls.filter(({ path }) => path === SEND).map(({ input }) => input);
    assert.deepEqual(sent, [JSON.stringify({ transaction: raw })]);
  }
  assert.equal(node.produce().transactions[0]!.txId, txHash);
  assert.equal(node.balanceOf(sender.address), 995n * TRX);
});

Deno.test("bytes that a node refused are duplicates to it afterwards, which proves nothing (hazard T1)", async () => {
  await using node = await startTronNode();
  fundBoth(node);
  const chain = chainOf(node.url);
  const { raw, txHash } = await makeTransfer(chain);
  node.setBalance(sender.address, 1n);
  const refused = await chain.broadcast(raw);
  assert.equal(refused.kind, "rejected");
  assert.match("reason" in refused ? refused.reason : "", /CONTRACT_VALIDATE_ERROR: .*balance/);
  const again = await chain.broadcast(raw);
  assert.equal(again.kind, "unknown");
  assert.match("reason" in again ? again.reason : "", /DUP_TRANSACTION_ERROR/);
  node.restart();
  fundBoth(node);
  assert.equal((await chain.broadcast(raw)).kind, "accepted");
  assert.equal((await chain.broadcast(raw)).kind, "accepted", "It is in the pool by then");
  assert.equal(node.produce().transactions[0]!.txId, txHash);
  assert.equal((await chain.broadcast(raw)).kind, "accepted", "It is in a block by then");
});

Deno.test("an object in place of a code is no code, and nothing is certain", async () => {
  await using node = await startTronNode();
  fundBoth(node);
  for (const answer of [{ code: NO_TEXT }, { result: NO_TEXT }, { Error: NO_TEXT }]) {
    const chain = chainOf(node.url);
    const { raw } = await makeTransfer(chain);
    node.door.onCall = answering(SEND, answer);
    assert.equal((await chain.broadcast(raw)).kind, "unknown", JSON.stringify(answer));
  }
});

Deno.test("a node without peers to announce to may mine all the same: nothing is certain (hazard T2)", async () => {
  await using node = await startTronNode();
  fundBoth(node);
  node.connections.isGossiping = false;
  const chain = chainOf(node.url);
  const { raw, txHash } = await makeTransfer(chain);
  const result = await chain.broadcast(raw);
  assert.ok(result.kind === "accepted" || result.kind === "unknown", result.kind);
  assert.equal(node.produce().transactions[0]!.txId, txHash);
  for (const unready of [{ effective: 0 }, { isUnsolidified: true }, { pendingMax: 0 }]) {
    await using busy = await startTronNode();
    fundBoth(busy);
    Object.assign(busy.connections, unready);
    const theirs = chainOf(busy.url);
    const { raw } = await makeTransfer(theirs);
    assert.equal((await theirs.broadcast(raw)).kind, "unknown", JSON.stringify(unready));
  }
});

Deno.test("a lost reply is looked up, and if that fails, the result is unknown (hazard T3)", async () => {
  await using node = await startTronNode();
  fundBoth(node);
  const chain = chainOf(node.url);
  const faults = [
    { drop: "after" },
    { status: 502, body: "bad gateway", isForwarded: true },
    { body: "<html>", isForwarded: true },
    { body: "{}", isForwarded: true },
  ] as const;
  for (const [i, fault] of faults.entries()) {
    const { raw } = await makeTransfer(chain, { laterMs: i });
    node.door.onCall = ({ path }) => path === SEND ? fault : undefined;
    assert.equal((await chain.broadcast(raw)).kind, "accepted", JSON.stringify(fault));
    node.door.onCall = () => {};
  }
  const { raw } = await makeTransfer(chain, { laterMs: 99 });
  node.door.onCall = ({ path }) => path === SEND ? { drop: "before" } : undefined;
  assert.equal((await chain.broadcast(raw)).kind, "unknown");
  node.door.onCall = () => {};
  assert.equal(node.produce().transactions.length, faults.length);
});

Deno.test("bytes answered with a request to pause may have been taken, and are never called unsent", async () => {
  await using node = await startTronNode();
  fundBoth(node);
  const [url, { pathname }] = [new URL(node.url), new URL(node.url)];
  const proxy = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (request) => {
      const { pathname: path } = new URL(request.url);
      const answer = await fetch(new URL(pathname + path.slice(1), url), {
        method: "POST",
        body: await request.text(),
      });
      if (path !== SEND) return answer;
      await answer.body?.cancel();
      return new Response("busy", { status: 503, headers: { "retry-after": "30" } });
    },
  );
  const chain = chainOf(`http://127.0.0.1:${proxy.addr.port}`);
  const { raw, txHash } = await makeTransfer(chain);
  const { kind } = await chain.broadcast(raw);
  await proxy.shutdown();
  assert.equal(node.produce().transactions[0]!.txId, txHash);
  assert.equal(kind, "unknown");
});

Deno.test("bytes go to an endpoint once; another node behind it can't take that back", async () => {
  await using node = await startTronNode();
  fundBoth(node);
  const chain = chainOf(node.url);
  const { raw, txHash } = await makeTransfer(chain);
  let sends = 0;
  node.door.onCall = ({ path }) => {
    if (path.endsWith("/gettransactionbyid")) return { body: "{}" };
    if (path !== SEND) return;
    sends++;
    return sends === 1
      ? { status: 429, body: "", isForwarded: true }
      : { body: JSON.stringify({ code: "TAPOS_ERROR", message: toHex(utf8("no such block")) }) };
  };
  assert.equal((await chain.broadcast(raw)).kind, "unknown");
  assert.equal(sends, 1);
  assert.equal(node.produce().transactions[0]!.txId, txHash);
});

Deno.test("only what every node refuses for good is rejected", async () => {
  await using node = await startTronNode();
  fundBoth(node);
  const other = await node.addDoor();
  const chain = chainOf(node.url, other.url);
  const { raw } = await makeTransfer(chain);
  const says = (code: string) => answering(SEND, { code, message: toHex(utf8("no")) });
  const refusals = [
    "SIGERROR",
    "CONTRACT_VALIDATE_ERROR",
    "CONTRACT_EXE_ERROR",
    "BANDWITH_ERROR",
    "TAPOS_ERROR",
    "TOO_BIG_TRANSACTION_ERROR",
    "TRANSACTION_EXPIRATION_ERROR",
  ];
  for (const code of refusals) {
    node.door.onCall = says(code);
    other.onCall = says(code);
    assert.equal((await chain.broadcast(raw)).kind, "rejected", code);
    other.onCall = says("SERVER_BUSY");
    assert.equal((await chain.broadcast(raw)).kind, "unknown", code);
  }
  for (const code of ["DUP_TRANSACTION_ERROR", "NO_CONNECTION", "OTHER_ERROR", "NEW_ERROR"]) {
    node.door.onCall = says(code);
    other.onCall = says(code);
    assert.equal((await chain.broadcast(raw)).kind, "unknown", code);
  }
  node.door.onCall = says("SIGERROR");
  other.onCall = () => {};
  assert.equal((await chain.broadcast(raw)).kind, "accepted");
  assert.equal(node.produce().transactions.length, 1);
});

Deno.test("if no node can be reached, nothing was sent", async () => {
  const node = await startTronNode();
  fundBoth(node);
  const chain = chainOf(node.url);
  const { raw } = await makeTransfer(chain);
  await node.close();
  assert.equal((await chain.broadcast(raw)).kind, "unreachable");
});

Deno.test("a reference to a solid block survives a fork, and one to the head would not (hazard T6)", async () => {
  await using node = await startTronNode();
  fundBoth(node);
  const chain = chainOf(node.url);
  const signed = await makeTransfer(chain);
  const preflight = await chain.prepareTransfer({
    from: sender.address,
    to: node.bank,
    contract: null,
    amountRaw: 1n,
  });
  assert.ok(preflight.kind === "ready");
  const { number: height, id: hash } = node.head;
  const detail = { ...preflight.prepared.detail as object, refBlock: { height, hash } };
  const nonce = node.head.timestampMs + 600_000;
  const onHead = await chain.signTransfer({ ...preflight.prepared, detail }, {
    nonce,
    signer: sender.signer,
  });
  node.reorg(3);
  const refused = await chain.broadcast(onHead.raw);
  assert.match("reason" in refused ? refused.reason : "", /TAPOS_ERROR/);
  assert.equal((await chain.broadcast(signed.raw)).kind, "accepted");
  assert.equal(node.produce().transactions[0]!.txId, signed.txHash);
});

Deno.test("transactions are built here: no node is asked for one (hazard T12)", async () => {
  await using node = await startTronNode();
  fundBoth(node);
  const token = node.deployToken({ name: "Tether USD", symbol: "USDT", decimals: 6 });
  token.mint(sender.address, 100n);
  const chain = chainOf(node.url);
  for (const contract of [null, token.address]) {
    const { raw } = await makeTransfer(chain, { contract, amountRaw: 7n });
    assert.equal((await chain.broadcast(raw)).kind, "accepted");
  }
  assert.equal(node.produce().transactions.length, 2);
  const asked = new Set(node.door.calls.map(({ path }) => path.split("/").at(-1)!));
  const builders = [...asked].filter((name) =>
    /^(create|trigger(?!constant)|easy|transfer)/.test(name)
  );
  assert.deepEqual(builders, []);
});
