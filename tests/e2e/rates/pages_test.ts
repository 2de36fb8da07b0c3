import assert from "node:assert/strict";
import { listSources } from "../../../src/rates/list.ts";
import { readSources } from "../../../src/rates/read_sources.ts";
import type { Pair } from "../../../src/rates/rules/rate_of.ts";
import { sourceShape } from "../../../src/rates/shapes.ts";
import { originInWords } from "../../../src/rates/sources/kinds.ts";
import { onPages } from "../../../src/rates/sources/on_page.ts";
import { RateReader } from "../../../src/rates/worker.ts";
import { holdEverything } from "../../../src/upkeep/leases.ts";
import { createPageReader } from "../../../src/webhooks/post/read_page.ts";
import { startRawReceiver } from "../../support/programs/receiver.ts";
import { makePriced, PAIR, startHost } from "./_priced.ts";

const OK = "HTTP/1.1 200 OK\r\n";
const plain = (body: string, head = OK) => `${head}content-length: ${body.length}\r\n\r\n${body}`;
const chunked = (...parts: string[]) =>
  `${OK}transfer-encoding: chunked\r\n\r\n` +
  [...parts, ""].map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join("");
const PRICE = '{"result":{"price":3000.10}}';

/** What a server says, and the price or fault that it gives. */
const ANSWERS: readonly [answer: string, value: string | RegExp][] = [
  [plain(PRICE), "3000.1"],
  [chunked('{"result":{"pri', 'ce":3000.10}}'), "3000.1"],
  [`${OK}\r\n${PRICE}`, "3000.1"],
  [`${OK}\r\n30`, /doesn't say where it ends/],
  [plain(`${PRICE}${" ".repeat(65_536 - PRICE.length)}`), "3000.1"],
  [plain(`${PRICE}${" ".repeat(65_537 - PRICE.length)}`), /more than 64 KiB/],
  [`${OK}content-length: 99999999\r\n\r\n${" ".repeat(80_000)}`, /more than 64 KiB/],
  [chunked(PRICE, " ".repeat(70_000)), /more than 64 KiB/],
  [plain(PRICE, "HTTP/1.1 500 Oops\r\n"), /HTTP 500/],
  [plain(PRICE, "HTTP/1.1 203 Other\r\n"), /HTTP 203/],
  ["HTTP/1.1 204 Nothing\r\n\r\n", /HTTP 204/],
  [plain("", "HTTP/1.1 302 Found\r\nlocation: /elsewhere\r\n"), /HTTP 302/],
  [plain("<html>"), /doesn't answer JSON/],
  [plain('{"result":{"price":"-3"}}'), /not a price/],
  [plain('{"result":{}}'), /not a price/],
  [plain(PRICE).slice(0, -5), /closed before the answer's end/],
  ["SSH-2.0-OpenSSH_9\r\n\r\n", /not HTTP/],
  ["", /closed before the answer's end/],
];

Deno.test("pages are read whole, once, and only for a price of their own", async () => {
  let [answer, request] = ["", ""];
  await using server = startRawReceiver(async (conn) => {
    const bytes = new Uint8Array(4_096);
    const count = await conn.read(bytes);
    request = new TextDecoder().decode(bytes.subarray(0, count ?? 0));
    const out = new TextEncoder().encode(answer);
    for (let at = 0; at < out.length;) at += await conn.write(out.subarray(at));
  });
  await using priced = await makePriced();
  // However busy the machine is.
  const pages = createPageReader({ isPrivateAllowed: true, timeoutMs: 60_000 });
  const deps = { ...priced.deps, pages };
  const url = `${server.url}?coin=eth&key=k`;
  const page = { ...PAIR, kind: "http", url, pointer: "/result/price", maxAgeMs: 60_000 } as const;
  const id = await priced.add(page);
  let requests = 0;
  for (const [text, wanted] of ANSWERS) {
    answer = text;
    const isRead = await readSources(deps, [{ ...page, id }]);
    const [source] = await listSources(priced.deps);
    const name = text.slice(0, 80);
    assert.equal(server.count(), ++requests, `one connection each: ${name}`);
    assert.equal(isRead, typeof wanted === "string", name);
    if (typeof wanted === "string") {
      assert.equal(await priced.value(), wanted, name);
      assert.equal(source!.error, null);
    } else assert.match(source!.error ?? "", wanted, name);
  }
  assert.match(request, /^GET \/hook\?coin=eth&key=k HTTP\/1\.1\r\nhost: 127\.0\.0\.1:\d+\r\n/);
  assert.doesNotMatch(request, /content-length/);
  pages.close();
  priced.clock.ms += 60_001;
  assert.equal(await priced.value(), null, "the last right answer gets old");
});

const MARKETS = "https://markets.example.com";

Deno.test("a market's page is read where its pair says, and its price is of the market's own time", async () => {
  await using host = startHost(MARKETS);
  await using priced = await makePriced({ pages: host.pages });
  const reads = onPages(({ base, quote }: Pair) => ({
    ...{ url: `${MARKETS}/${base}${quote}/?now=1`, price: "/last", seconds: "/at" },
  }));
  const read = () => reads.prices(priced.deps, [PAIR]);
  const now = priced.clock.ms;
  host.answer(JSON.stringify({ last: "3000.10", at: `${now / 1000 - 10}` }));
  assert.deepEqual(await read(), [{ value: "3000.1", atMs: now - 10_000 }]);
  host.answer(JSON.stringify({ last: "3000.10", at: now / 1000 + 1 }));
  assert.deepEqual(await read(), [{ fault: "its price is from the future" }]);
  host.answer("{}", 404);
  assert.deepEqual(await read(), [{ fault: "HTTP 404" }]);
  assert.deepEqual(host.asked, Array.from({ length: 3 }, () => "/ETHUSD/?now=1"));
});

Deno.test("a source on a host is read every half of its age, and a fault is shown", async () => {
  await using host = startHost(MARKETS);
  await using priced = await makePriced({ pages: host.pages });
  const { deps, clock } = priced;
  const url = `${MARKETS}/eth?key=k`;
  await priced.add({ ...PAIR, kind: "http", url, pointer: "/last", maxAgeMs: 120_000 });
  const reader = new RateReader(deps, holdEverything(deps));
  const look = async (afterMs: number) => {
    clock.ms += afterMs;
    await reader.look();
    await reader.idle();
    return host.asked.splice(0);
  };
  host.answer('{"last":3000}');
  assert.deepEqual(await look(0), ["/eth?key=k"]);
  assert.deepEqual(await look(59_999), []);
  host.answer("oops", 500);
  assert.deepEqual(await look(1), ["/eth?key=k"]);
  assert.equal(await priced.value(), "3000");
  const [source] = await listSources(deps);
  const shape = sourceShape(source!, { nowMs: clock.ms });
  assert.deepEqual([shape.last_error, shape.url, "origin" in shape], ["HTTP 500", url, false]);
  assert.equal(originInWords({ ...PAIR, kind: "manual", value: "3" }), undefined);
  const elsewhere = { ...source!, kind: "http", url: null, pointer: "/last of any page" };
  assert.match(sourceShape(elsewhere, { nowMs: clock.ms }).origin ?? "", /^\/last of any page of/);
});

Deno.test("a page that never ends its answer is given up", async () => {
  const silence = Promise.withResolvers<void>();
  await using server = startRawReceiver(async (conn) => {
    await conn.write(new TextEncoder().encode(`${OK}content-length: 50\r\n\r\n{`));
    await silence.promise;
  });
  const pages = createPageReader({ isPrivateAllowed: true, timeoutMs: 50 });
  await assert.rejects(pages.read(server.url), /no whole answer within 0\.05 s/);
  silence.resolve();
  pages.close();
});

Deno.test("nothing is read from private addresses, whatever a name resolves to", async () => {
  let lookedUp = 0;
  const resolve = () => {
    lookedUp++;
    return Promise.resolve(["10.0.0.1", "::1", "169.254.169.254"]);
  };
  const pages = createPageReader({ isPrivateAllowed: false, resolve });
  for (const url of ["http://example.com/", "https://127.0.0.1/", "https://localhost/"]) {
    assert.notEqual(pages.refusalOf(url), undefined);
    await assert.rejects(pages.read(url), /^Error: not read: .*CPG_WEBHOOK_ALLOW_PRIVATE/);
  }
  assert.equal(lookedUp, 0);
  await assert.rejects(
    pages.read("https://rates.example.com/"),
    /no address of the public internet/,
  );
  assert.equal(lookedUp, 1);
  pages.close();
});
