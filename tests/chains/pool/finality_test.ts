import assert from "node:assert/strict";
import { sleep } from "../../../src/base/clock.ts";
import { connectEvm } from "../../../src/chains/evm/mod.ts";
import { connectTron } from "../../../src/chains/tron/mod.ts";
import { makeTronWallet } from "../../support/nodes/tron_wallet.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { type OnCall, startTronNode } from "../../support/tron_node/start.ts";

/** It calls its newest block solid, and all its answers agree with that. */
function rash({ url }: { url: string }): OnCall {
  return async ({ path, input }) => {
    if (path === "/wallet/getnodeinfo") {
      return { edit: (text) => text.replace(/("solidityBlock":"Num:)\d+/, "$1999999") };
    }
    if (!path.startsWith("/walletsolidity/")) return;
    const asked = new URL(path.replace("walletsolidity", "wallet"), url);
    return { body: await (await fetch(asked, { method: "POST", body: input })).text() };
  };
}

async function solidOf({ url }: { url: string }): Promise<number | null> {
  return (await connectTron({ rpcUrls: [url] }).tip()).finalizedHeight;
}

Deno.test("of two TRON endpoints the lower solid height counts, of three what two of them say", async () => {
  await using node = await startTronNode();
  const liar = await node.addDoor({ onCall: rash(node) });
  const alone = await connectTron({ rpcUrls: [liar.url] }).tip();
  assert.equal(alone.finalizedHeight, node.head.number, "Nobody else is there");
  const third = await node.addDoor({ lag: 2 });
  for (
    const [doors, expected] of [
      [[liar, node.door], node.solid.number],
      [[node.door, liar], node.solid.number],
      [[liar, node.door, third], node.solid.number],
      [[liar, third], await solidOf(third)],
    ] as const
  ) {
    const { finalizedHeight } = await connectTron({ rpcUrls: doors.map(({ url }) => url) }).tip();
    assert.equal(finalizedHeight, expected);
  }
});

Deno.test("a slow endpoint's last answer still counts for a moment, but not once it is silent", async () => {
  await using node = await startTronNode();
  const liar = await node.addDoor({ onCall: rash(await node.addDoor()) });
  let nowMs = 1_000_000;
  const chain = connectTron({
    rpcUrls: [liar.url, node.url],
    waiting: { clock: { nowMs: () => nowMs }, sleep },
  });
  const honest = node.solid.number;
  assert.equal((await chain.tip()).finalizedHeight, honest);
  node.door.onCall = () => ({ drop: "before" });
  node.produce();
  nowMs += 50_000;
  assert.equal((await chain.tip()).finalizedHeight, honest);
  nowMs += 10_000;
  assert.equal((await chain.tip()).finalizedHeight, honest);
  nowMs += 1;
  node.produce();
  assert.equal((await chain.tip()).finalizedHeight, node.head.number);
});

/** It goes on answering what it answers now about its newest and its newest solid block. */
async function standingStill({ url }: { url: string }): Promise<OnCall> {
  const newest = async (view: string, detail: boolean) => {
    const asked = { method: "POST", body: JSON.stringify({ detail }) };
    return await (await fetch(`${url}/${view}/getblock`, asked)).text();
  };
  const kept: Readonly<Record<string, string>> = {
    "/wallet/getblock": await newest("wallet", true),
    "/walletsolidity/getblock": await newest("walletsolidity", false),
  };
  return ({ path, input }) => {
    const body = kept[path];
    return body === undefined || input.includes("id_or_num") ? undefined : { body };
  };
}

const NO_ANSWER: Readonly<Record<string, () => ReturnType<OnCall>>> = {
  "refuses connections": () => ({ drop: "before" }),
  "hangs": () => new Promise(() => {}),
};

for (const [what, answer] of Object.entries(NO_ANSWER)) {
  Deno.test(`of two TRON endpoints, one that ${what} holds up what is final for ten seconds`, async () => {
    await using node = await startTronNode({ blocks: 40 });
    const other = await node.addDoor();
    let nowMs = 1_000_000;
    const waiting = { clock: { nowMs: () => nowMs }, sleep: () => sleep(50) };
    const rpcUrls = [other.url, node.url];
    const [one, both] = [1, 2].map((quorum) => connectTron({ rpcUrls, quorum, waiting }));
    const before = node.solid.number;
    await Promise.all([one!.tip(), both!.tip()]);
    other.onCall = answer;
    const finals = [];
    for (let ms = 0; ms <= 12_000; ms += 3_000) {
      node.produce();
      finals.push((await one!.tip()).finalizedHeight);
      nowMs += 3_000;
    }
    assert.deepEqual(finals, [before, before, before, before, node.solid.number]);
    const alone = await both!.tip().then(({ finalizedHeight }) => finalizedHeight, () => null);
    assert.ok(alone === null || alone === before, "One is never two");
  });
}

Deno.test("of two TRON endpoints, one that stands still holds up what is final for some blocks", async () => {
  await using node = await startTronNode({ blocks: 40 });
  const frozen = await node.addDoor();
  let nowMs = 1_000_000;
  const waiting = { clock: { nowMs: () => nowMs }, sleep };
  const warned: string[] = [];
  const log = { info: () => {}, warn: (message: string) => void warned.push(message) };
  const rpcUrls = [frozen.url, node.url];
  const [one, both] = [1, 2].map((quorum) => connectTron({ rpcUrls, quorum, waiting, log }));
  const before = node.solid.number;
  await Promise.all([one!.tip(), both!.tip()]);
  frozen.onCall = await standingStill(node);
  const next = async () => {
    node.produce();
    nowMs += 3_000;
    await both!.tip();
    return (await one!.tip()).finalizedHeight;
  };
  const finals = [];
  for (let block = 1; block <= 6; block++) finals.push(await next());
  assert.deepEqual(finals, [before, before, before, before, before + 5, before + 6]);
  assert.equal((await both!.tip()).finalizedHeight, before, "One is never two");
  assert.deepEqual(warned, ["endpoint stands still"]);
  frozen.onCall = await standingStill(node);
  assert.equal(await next(), before + 6, "It has moved on, so the lower one counts again");
});

Deno.test("a payment is final although one of two TRON endpoints is dead or stands still", async () => {
  await using node = await startTronNode({ blocks: 40 });
  const other = await node.addDoor();
  let nowMs = 1_000_000;
  const waiting = { clock: { nowMs: () => nowMs }, sleep };
  const chain = connectTron({ rpcUrls: [other.url, node.url], waiting });
  await chain.tip();
  const to = makeTronWallet(77).address;
  for (const isDead of [false, true]) {
    const txHash = node.pay(to, 5_000_000n);
    const { number: height } = node.produce();
    other.onCall = isDead ? () => ({ drop: "before" }) : await standingStill(node);
    for (let block = 1; block <= 19; block++) {
      node.produce();
      nowMs += 3_000;
      await chain.tip();
    }
    assert.ok((await chain.tip()).finalizedHeight! >= height);
    assert.deepEqual([...await chain.finalView([{ txHash, height, succeeded: true }])], [txHash]);
  }
});

Deno.test("of two EVM endpoints, one that stands still or is dead doesn't hold up what is final", async () => {
  await using anvil = await startAnvil({ args: ["--slots-in-an-epoch", "2"] });
  await anvil.mine(20);
  await using other = await startFaultProxy(anvil.url, () => "pass");
  let nowMs = 1_000_000;
  const waiting = { clock: { nowMs: () => nowMs }, sleep };
  const chain = connectEvm({ rpcUrls: [other.url, anvil.url], waiting });
  assert.equal((await chain.tip()).finalizedHeight, 16);
  const block = (tag: string) => anvil.rpc("eth_getBlockByNumber", [tag, false]);
  const kept = { latest: await block("latest"), finalized: await block("finalized") };
  const next = async () => {
    await anvil.mine(1);
    nowMs += 6_000;
    return (await chain.tip()).finalizedHeight;
  };
  other.onCall = (_method, [tag]) =>
    tag === "latest" || tag === "finalized"
      ? { edit: (reply) => ({ ...reply, result: kept[tag] }) }
      : "pass";
  const finals = [];
  for (let time = 1; time <= 4; time++) finals.push(await next());
  assert.deepEqual(finals, [16, 16, 19, 20]);
  other.onCall = () => "pass";
  assert.equal(await next(), 21);
  other.onCall = () => ({ status: 503, body: "" });
  assert.deepEqual([await next(), await next(), await next()], [21, 21, 24]);
});

Deno.test("a node that makes up blocks decides nothing beside one that moves at its chain's pace", async () => {
  await using anvil = await startAnvil({ args: ["--slots-in-an-epoch", "2"] });
  await anvil.rpc("anvil_mine", ["0x14", "0xf"]);
  const block = (tag: string) => anvil.rpc("eth_getBlockByNumber", [tag, false]);
  const honestly = async () => ({
    latest: await block("latest"),
    finalized: await block("finalized"),
  });
  let said: Record<string, unknown> = await honestly();
  await using honest = await startFaultProxy(
    anvil.url,
    (_method, [tag]) =>
      tag === "latest" || tag === "finalized"
        ? { edit: (reply) => ({ ...reply, result: said[tag] }) }
        : "pass",
  );
  let madeUp: unknown;
  await using liar = await startFaultProxy(
    anvil.url,
    (_method, [tag]) =>
      tag === "finalized" ? { edit: (reply) => ({ ...reply, result: madeUp }) } : "pass",
  );
  const makeUp = async () => {
    await anvil.rpc("anvil_mine", ["0x1", "0xf"]);
    madeUp = await block("latest");
  };
  const { timestamp } = await anvil.rpc("eth_getBlockByNumber", ["latest", false]);
  // Blocks that are made up quickly are dated ahead, but not so far that they are no blocks.
  let nowMs = Number(timestamp) * 1000 + 290_000;
  const waiting = { clock: { nowMs: () => nowMs }, sleep };
  const chain = connectEvm({ rpcUrls: [liar.url, honest.url], waiting });
  const most = () => Number((said["finalized"] as { number: string }).number);
  for (let second = 1; second <= 45; second++) {
    await makeUp();
    nowMs += 1_000;
    if (second % 15 === 0) said = await honestly();
    assert.equal((await chain.tip()).finalizedHeight, most(), `after ${second} s`);
  }
  const finals = [];
  for (let second = 0; second <= 48; second += 3) {
    await makeUp();
    nowMs += 3_000;
    finals.push((await chain.tip()).finalizedHeight! > most());
  }
  assert.equal(finals.indexOf(true), 16, "Frozen for three blocks, it is as if silent");
});

Deno.test("of four TRON endpoints, the two that move on don't decide what is final for the others", async () => {
  await using node = await startTronNode({ blocks: 40 });
  const still = [await node.addDoor(), await node.addDoor(), await node.addDoor()];
  let nowMs = 1_000_000;
  const waiting = { clock: { nowMs: () => nowMs }, sleep };
  const rpcUrls = [...still, node.door].map(({ url }) => url);
  const chain = connectTron({ rpcUrls, waiting });
  const before = node.solid.number;
  await chain.tip();
  const frozen = await standingStill(node);
  for (const door of still.slice(1)) door.onCall = frozen;
  for (let time = 1; time <= 8; time++) {
    node.produce();
    nowMs += 3_000;
    assert.equal((await chain.tip()).finalizedHeight, before);
  }
});

Deno.test("an endpoint far behind delays no payment, and the operator is warned once", async () => {
  await using node = await startTronNode({ blocks: 300 });
  const warned: string[] = [];
  const log = {
    info: () => {},
    warn: (message: string, fields?: object) => {
      warned.push(`${message} ${JSON.stringify(fields)}`);
    },
  };
  const late = await node.addDoor({ lag: 90 });
  const chain = connectTron({ rpcUrls: [late.url, node.url], log });
  assert.equal((await chain.tip()).finalizedHeight, await solidOf(late), "It may yet catch up");
  late.lag = 120;
  for (let poll = 0; poll < 3; poll++) {
    assert.equal((await chain.tip()).finalizedHeight, node.solid.number);
  }
  assert.equal(warned.filter((text) => /endpoint is far behind/.test(text)).length, 1);
  assert.ok(warned[0]!.includes(new URL(late.url).host));
});

Deno.test("a node that calls its newest block finalized decides nothing beside another one", async () => {
  await using anvil = await startAnvil({ args: ["--slots-in-an-epoch", "2"] });
  await anvil.mine(20);
  const head = await anvil.rpc("eth_getBlockByNumber", ["latest", false]);
  await using liar = await startFaultProxy(
    anvil.url,
    (_method, [tag]) =>
      tag === "finalized" ? { edit: (reply) => ({ ...reply, result: head }) } : "pass",
  );
  const finalOf = async (...rpcUrls: string[]) =>
    (await connectEvm({ rpcUrls }).tip()).finalizedHeight;
  assert.equal(await finalOf(liar.url), 20);
  assert.equal(await finalOf(liar.url, anvil.url), 16);
  assert.equal(await finalOf(anvil.url, liar.url), 16);
});

Deno.test("after one newest block far too high, a TRON endpoint's solid height goes on rising", async () => {
  await using node = await startTronNode({ blocks: 60 });
  const chain = connectTron({ rpcUrls: [node.url] });
  const solid = async () => (await chain.tip({ finalEveryBlocks: 20 })).finalizedHeight;
  await solid();
  node.produce();
  await solid();
  const height = 900_000_000;
  const absurd = (text: string) => {
    const block = JSON.parse(text);
    block.block_header.raw_data.number = height;
    block.blockID = height.toString(16).padStart(16, "0") + block.blockID.slice(16);
    return JSON.stringify(block);
  };
  node.door.onCall = ({ path, input }) =>
    path === "/wallet/getblock" && JSON.parse(input).id_or_num === undefined
      ? { edit: absurd }
      : undefined;
  await solid();
  node.door.onCall = () => {};
  node.produce(60);
  assert.equal(await solid(), node.solid.number);
});

Deno.test("a node that has pruned another's head, and says so, is still followed", async () => {
  await using anvil = await startAnvil();
  await anvil.mine(10);
  await using dead = await startFaultProxy(anvil.url, () => "pass");
  await using pruned = await startFaultProxy(anvil.url, () => "pass");
  const chain = connectEvm({ rpcUrls: [dead.url, pruned.url] });
  await chain.tip();
  dead.onCall = () => ({ status: 503, body: "" });
  const error = { code: 4444, message: "pruned history unavailable" };
  pruned.onCall = (_method, [tag]) =>
    tag === "0xa" ? { edit: ({ result: _, ...reply }) => ({ ...reply, error }) } : "pass";
  await anvil.mine(50);
  for (let poll = 1; poll <= 2; poll++) assert.equal((await chain.tip()).height, 60);
});
