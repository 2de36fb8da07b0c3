import assert from "node:assert/strict";
import type { Deps } from "../../../src/deps/deps.ts";
import { listSources } from "../../../src/rates/list.ts";
import { readSources } from "../../../src/rates/read_sources.ts";
import { setNetwork } from "../../../src/networks/set.ts";
import { CATALOGUE } from "../../../src/networks/catalogue.ts";
import { evmRules } from "../../../src/chains/evm/mod.ts";
import { holdEverything } from "../../../src/upkeep/leases.ts";
import { RateReader } from "../../../src/rates/worker.ts";
import { makeNetwork } from "../../support/gateway.ts";
import { type Anvil, startAnvil } from "../../support/nodes/anvil.ts";
import { type Contract, deploy } from "../../support/nodes/contracts.ts";
import { startNodeDouble } from "../../support/nodes/node_double.ts";
import { startRpcProxy } from "../../../src/sandbox/faults/rpc_proxy.ts";
import { makePriced, PAIR, type Priced } from "./_priced.ts";

const HOUR = 3_600_000;
const START_MS = 1_767_225_600_000;

let anvil: Anvil;
Deno.test.beforeAll(async () => {
  anvil = await startAnvil();
});
Deno.test.afterAll(() => anvil.stop());

interface Fed extends Priced {
  readonly feed: Contract;
  /** The feed's newest round, this many seconds ago, is read. */
  round(answer: bigint, given?: Given): Promise<void>;
  faults(): Promise<(string | null)[]>;
}

interface Given {
  readonly agoS?: number;
  readonly id?: number;
  readonly in?: number;
}

function feedAt(feed: string) {
  return { ...PAIR, id: null, kind: "chainlink", network: "ETH", feed };
}

async function makeFed({ decimals = 8, urls = [anvil.url] } = {}): Promise<Fed> {
  const priced = await makePriced({ startMs: START_MS });
  const { deps, clock } = priced;
  await makeNetwork(deps, { rpcUrls: urls });
  const feed = await deploy(anvil, { name: "Aggregator", args: [decimals] });
  await priced.add({
    ...{ ...PAIR, kind: "chainlink", network: "eth", feed: feed.address.toLowerCase() },
    maxAgeMs: HOUR,
  });
  let rounds = 0;
  const round = async (
    answer: bigint,
    { agoS = 10, id = ++rounds, in: answered = id }: Given = {},
  ) => {
    await feed.send("set", [id, answer, Math.floor(clock.ms / 1000) - agoS, answered]);
    await readSources(deps, [feedAt(feed.address)]);
  };
  const faults = async () => (await listSources(deps)).map(({ error }) => error);
  return { ...priced, feed, round, faults };
}

Deno.test("a feed's price has its decimals and gets old by its own time, not by ours", async () => {
  await using fed = await makeFed();
  await fed.round(300_012_345_678n);
  assert.equal(await fed.value(), "3000.12345678");
  fed.clock.ms += HOUR - 10_000;
  assert.equal(await fed.value(), "3000.12345678");
  fed.clock.ms += 1;
  assert.equal(await fed.value(), null);
  await fed.round(300_000_000_000n, { agoS: 3_601 });
  assert.equal(await fed.value(), null, "the round itself is old");
  await fed.round(310_000_000_000n);
  assert.equal(await fed.value(), "3100");
});

Deno.test("feeds with other decimals are read by their own", async () => {
  for (
    const [decimals, answer, value] of [[18, 1n, "0.000000000000000001"], [0, 7n, "7"]] as const
  ) {
    await using fed = await makeFed({ decimals });
    await fed.round(answer);
    assert.equal(await fed.value(), value);
  }
});

const BAD: readonly [answer: bigint, given: Given, fault: RegExp][] = [
  [0n, {}, /not above zero/],
  [-300_000_000_000n, {}, /not above zero/],
  [300_000_000_000n, { id: 0 }, /incomplete/],
  [300_000_000_000n, { agoS: START_MS / 1000 }, /incomplete/],
  [300_000_000_000n, { id: 50, in: 49 }, /older round/],
  [300_000_000_000n, { agoS: -1 }, /future/],
  [300_000_000_000n, { id: 999 }, /doesn't answer like a Chainlink feed/],
];

Deno.test("rounds without a right price are refused and shown, and the last price stays as it was", async () => {
  await using fed = await makeFed();
  for (const [answer, given, fault] of BAD) {
    await fed.round(299_000_000_000n);
    assert.deepEqual(await fed.faults(), [null]);
    await fed.round(answer, given);
    assert.match((await fed.faults())[0] ?? "", fault);
    assert.equal(await fed.value(), "2990");
  }
  await fed.round(299_000_000_000n);
  const other = await deploy(anvil, { name: "Rejector" });
  const feeds = [fed.feed.address, other.address, anvil.accounts[0]!];
  assert.ok(await readSources(fed.deps, feeds.map(feedAt)), "they are asked as often as before");
  assert.equal(await fed.value(), "2990", "one wrong feed spoils no other");
  assert.ok(!await readSources(fed.deps, feeds.slice(1).map(feedAt)), "nothing has a price");
});

Deno.test("a node that is behind brings no older price back, and a forged reading isn't used", async () => {
  await using fed = await makeFed();
  await fed.round(300_000_000_000n, { agoS: 5 });
  await fed.round(290_000_000_000n, { agoS: 60 });
  assert.equal(await fed.value(), "3000");
  await fed.deps.db.execute([{ sql: "UPDATE rate_readings SET value = '1'" }]);
  fed.clock.ms += 1_000;
  assert.equal(await fed.value(), null);
  await fed.round(300_000_000_000n, { agoS: 60 });
  assert.equal(await fed.value(), "3000");
});

Deno.test("all feeds of a network are one request, and one lying node out of three sets no price", async () => {
  let calls = 0;
  await using liar = await startNodeDouble(anvil.url, async (call, ask) => {
    const reply = await ask() as { result: string };
    if (call.method !== "eth_call") return reply;
    calls++;
    return { ...reply, result: reply.result.replace("45d964b800", "0000000001") };
  });
  let bodies = 0;
  await using counted = await startRpcProxy(anvil.url, async ({ calls, ask, reply }) => {
    bodies++;
    return reply(await ask(calls));
  });
  await using fed = await makeFed({ urls: [liar.url, counted.url, anvil.url] });
  // Or only those that answer soon would be compared.
  await setNetwork(fed.deps, { code: "ETH", change: { quorum: 3 }, actor: "test" });
  await fed.round(300_000_000_000n);
  assert.equal(await fed.value(), "3000");
  const more = await deploy(anvil, { name: "Aggregator", args: [8] });
  bodies = 0;
  await readSources(fed.deps, [fed.feed.address, more.address].map(feedAt));
  assert.equal(bodies, 1);
  assert.ok(calls > 0, "the liar was asked");
});

/** Counts whom the reader asks, and when. */
function readingOf(priced: Priced): { reader: RateReader; asked: string[]; deps: Deps } {
  const asked: string[] = [];
  const { chains, pages } = priced.deps;
  const deps: Deps = {
    ...priced.deps,
    chains: {
      ...chains,
      of: (network) => ({
        ...chains.of(network),
        feedRounds: (feeds) => {
          asked.push(`${network.code} ${feeds.length}`);
          return Promise.resolve(feeds.map(() => [null]));
        },
      }),
    },
    pages: {
      ...pages,
      read: (url) => {
        asked.push(url);
        return url.endsWith("good") ? Promise.resolve("5") : Promise.reject(new Error("HTTP 500"));
      },
    },
  };
  return { reader: new RateReader(deps, holdEverything(deps)), asked, deps };
}

Deno.test("feeds are read every 15 s and pages every half of their age; those that fail, less often", async () => {
  await using priced = await makePriced();
  await makeNetwork(priced.deps, { rpcUrls: ["http://127.0.0.1:9"] });
  const page = { ...PAIR, kind: "http", pointer: "", maxAgeMs: 120_000 } as const;
  const feed = { ...PAIR, kind: "chainlink", network: "ETH", maxAgeMs: HOUR } as const;
  await priced.add({ ...page, url: "http://127.0.0.1:9/good" });
  await priced.add({ ...page, url: "http://127.0.0.1:9/bad" });
  for (const digit of ["1", "2"]) await priced.add({ ...feed, feed: `0x${digit.repeat(40)}` });
  const { reader, asked } = readingOf(priced);
  const seen: Record<string, number[]> = {};
  for (let second = 0; second <= 600; second++) {
    await reader.look();
    await reader.idle();
    for (const name of asked.splice(0)) (seen[name] ??= []).push(second);
    priced.clock.ms += 1_000;
  }
  const every = (step: number, until = 600) =>
    Array.from({ length: until / step + 1 }, (_, i) => i * step);
  assert.deepEqual(seen["http://127.0.0.1:9/good"], every(60));
  assert.deepEqual(seen["http://127.0.0.1:9/bad"], [0, 60, 180, 420]);
  assert.deepEqual(seen["ETH 2"], [0, 15, 45, 105, 225, 465]);
  assert.equal(await priced.value(), "5");
});

Deno.test("an instance whose lease another one has reads nothing", async () => {
  await using priced = await makePriced();
  await priced.add({
    ...PAIR,
    kind: "http",
    url: "http://127.0.0.1:9/good",
    pointer: "",
    maxAgeMs: 60_000,
  });
  const { asked, deps } = readingOf(priced);
  const reader = new RateReader(deps, { hold: () => Promise.resolve(undefined) });
  await reader.look();
  await reader.idle();
  assert.deepEqual(asked, []);
});

Deno.test("presets know the feeds of their networks, and read them only on the real chains", async () => {
  await using priced = await makePriced();
  await makeNetwork(priced.deps, { rpcUrls: [anvil.url] });
  assert.deepEqual(await listSources(priced.deps), []);
  await makeNetwork(priced.deps, { rpcUrls: [anvil.url], code: "MAIN", chainId: "1" });
  priced.clock.ms += 1_000;
  const pairs = (await listSources(priced.deps)).map(({ base, quote }) => `${base}/${quote}`);
  const bases = ["ETH", "USDT", "USDC", "EUR", "TRX", "BTC", "LTC"];
  assert.deepEqual(pairs, bases.map((base) => `${base}/USD`));
  await setNetwork(priced.deps, { code: "MAIN", change: { isActive: false }, actor: "test" });
  priced.clock.ms += 1_000;
  assert.deepEqual(await listSources(priced.deps), []);
  const feeds = CATALOGUE.flatMap(({ feeds = [] }) => feeds);
  for (const { address } of feeds) assert.equal(evmRules.canonicalAddress(address), address);
  assert.equal(new Set(feeds.map(({ address }) => address)).size, feeds.length);
  const minutes = (code: string, base: string) =>
    (CATALOGUE.find((one) => one.code === code)?.feeds?.find((one) => one.base === base)
      ?.maxAgeMs ?? 0) / 60_000;
  assert.deepEqual(
    [minutes("ETH", "ETH"), minutes("ETH", "USDC"), minutes("BSC", "BNB"), minutes("BASE", "ETH")],
    [70, 25 * 60, 11, 30],
    "As long as a feed's own updates may take, and some time to arrive",
  );
});
