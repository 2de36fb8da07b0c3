import assert from "node:assert/strict";
import { ConnectionBook, type OpenConnection } from "../../../src/base/net/connection_book.ts";

const LIMITS = { max: 6, perSourceMax: 3, headersMs: 10, idleMs: 100 };

function openBook(limits = LIMITS) {
  let nowMs = 0;
  const closed: string[] = [];
  const book = new ConnectionBook(limits, () => nowMs);
  return {
    book,
    closed,
    at: (ms: number) => void (nowMs = ms),
    late: (ms: number) => {
      nowMs = ms;
      book.closeLate();
      return closed.splice(0);
    },
    admit: (name: string, source: string | null = name) =>
      book.admit(source, () => closed.push(name)),
  };
}

function present(connection: OpenConnection | undefined): OpenConnection {
  assert.ok(connection);
  return connection;
}

Deno.test("connections without headers are closed in time, and idle ones after an answer", () => {
  const { book, admit, late, at } = openBook();
  admit("silent");
  const asks = present(admit("asks"));
  book.begin(asks);
  assert.deepEqual(late(9), []);
  assert.deepEqual(late(10), ["silent"]);
  assert.deepEqual(late(5_000), [], "a request that is being worked on has no end here");
  book.end(asks, { isLast: false });
  at(5_050);
  book.begin(asks);
  book.end(asks, { isLast: false });
  assert.deepEqual(late(5_149), []);
  assert.deepEqual(late(5_150), ["asks"]);
  assert.equal(book.size, 0);
});

Deno.test("two concurrent requests on one connection are both waited for", () => {
  const { book, admit, late } = openBook();
  const both = present(admit("both"));
  book.begin(both);
  book.begin(both);
  book.end(both, { isLast: false });
  assert.deepEqual(late(1_000), []);
  book.end(both, { isLast: false });
  assert.deepEqual(late(1_100), ["both"]);
});

Deno.test("after a last answer the connection is closed a second later", () => {
  const { book, admit, late } = openBook({ ...LIMITS, idleMs: 60_000 });
  const slow = present(admit("slow"));
  book.begin(slow);
  book.end(slow, { isLast: true });
  assert.deepEqual(late(999), []);
  assert.deepEqual(late(1_000), ["slow"]);
});

Deno.test("a stream that is read stays open, and one whose reader stopped is closed", () => {
  const { book, admit, late, at } = openBook();
  const [reader, stopped] = [present(admit("reader")), present(admit("stopped"))];
  const [one, two, other] = [{}, {}, {}];
  for (const connection of [reader, stopped]) book.begin(connection);
  book.handOver(reader, one);
  book.handOver(stopped, two);
  book.handOver(stopped, other);
  for (let ms = 0; ms <= 90; ms += 10) {
    at(ms);
    book.taken(reader, one);
    book.handOver(reader, one);
    book.taken(stopped, other);
    book.handOver(stopped, other);
  }
  book.taken(reader, one);
  assert.deepEqual(late(99), []);
  assert.deepEqual(late(100), ["stopped"], "what else it reads does not help");
  assert.deepEqual(late(1_000_000), [], "it has all that there was");
});

Deno.test("a source at its limit loses its own longest waiting connection, never another's", () => {
  const { book, admit, closed, at } = openBook();
  admit("other");
  const busy = present(admit("busy", "s"));
  book.begin(busy);
  at(1);
  admit("first", "s");
  at(2);
  admit("second", "s");
  assert.ok(admit("third", "s"));
  assert.deepEqual(closed, ["first"]);
  for (const name of ["fourth", "fifth"]) book.begin(present(admit(name, "s")));
  assert.deepEqual(closed, ["first", "second", "third"]);
  assert.equal(admit("sixth", "s"), undefined, "all three are busy");
  assert.equal(book.size, 4);
  assert.ok(admit("another"));
});

Deno.test("at the limit idle strangers give way first, then proxies, and nobody in service", () => {
  const { book, admit, closed } = openBook({ ...LIMITS, max: 4 });
  admit("proxy", null);
  const served = ["a", "b"].map((name) => present(admit(name)));
  served.forEach((connection) => book.begin(connection));
  admit("waits");
  assert.ok(admit("c"));
  assert.deepEqual(closed, ["waits"]);
  book.begin(present(admit("d")));
  assert.deepEqual(closed, ["waits", "c"]);
  book.begin(present(admit("e")));
  assert.deepEqual(closed, ["waits", "c", "proxy"]);
  assert.equal(admit("f"), undefined);
  assert.equal(admit("proxy again", null), undefined);
  book.leave(served[0]!);
  book.leave(served[0]!);
  assert.equal(book.size, 3);
  assert.ok(admit("f"));
});

Deno.test("a proxy has no limit of its own and is waited for eight times as long", () => {
  const { book, admit, late } = openBook();
  const connections = ["1", "2", "3", "4"].map((name) => present(admit(name, null)));
  assert.deepEqual(late(79), []);
  book.begin(connections[0]!);
  book.end(connections[0]!, { isLast: false });
  assert.deepEqual(late(80), ["2", "3", "4"]);
  assert.deepEqual(late(878), []);
  assert.deepEqual(late(879), ["1"]);
});

Deno.test("without file descriptors a quarter is closed, and none accepted for a minute", () => {
  const { book, admit, closed, late } = openBook({
    max: 1_000,
    perSourceMax: 1_000,
    headersMs: 100_000,
    idleMs: 100_000,
  });
  for (let i = 0; i < 40; i++) admit(`${i}`);
  book.makeRoom();
  assert.equal(book.size, 30);
  assert.deepEqual(closed.splice(0), Array.from({ length: 10 }, (_, i) => `${i}`));
  admit("new");
  assert.deepEqual(closed, ["10"]);
  for (let i = 0; i < 20; i++) book.makeRoom();
  assert.equal(book.size, 8, "some can always connect");
  late(60_000);
  for (let i = 0; i < 40; i++) assert.ok(admit(`again ${i}`));
  assert.equal(book.size, 48);
});

Deno.test("a source has as many requests in progress as connections, however it spreads them", () => {
  const { book, admit } = openBook();
  const [one, two] = [present(admit("one", "s")), present(admit("two", "s"))];
  const begun = [book.begin(one), book.begin(one), book.begin(two), book.begin(two)];
  assert.deepEqual(begun, [true, true, true, false]);
  assert.ok(book.begin(present(admit("another"))));
  const proxy = present(admit("proxy", null));
  for (let i = 0; i < 10; i++) assert.ok(book.begin(proxy));
  book.end(one, { isLast: false });
  assert.ok(book.begin(two));
  book.leave(one);
  assert.ok(book.begin(two), "what a closed connection had in progress doesn't count");
  book.end(one, { isLast: false });
  assert.equal(book.begin(two), false, "nor is it taken away twice");
});

Deno.test("a request on a connection that has left is refused, and counts for nobody", () => {
  const { book, admit } = openBook();
  for (let times = 0; times < 5; times++) {
    const connection = present(admit("one", "s"));
    assert.ok(book.begin(connection));
    book.end(connection, { isLast: false });
    book.leave(connection);
    assert.equal(book.begin(connection), false);
  }
  assert.ok(book.begin(present(admit("next", "s"))));
});

Deno.test("whatever happens, the counts are right and the limits are kept", () => {
  const { book, admit, late, closed } = openBook({ ...LIMITS, max: 20, perSourceMax: 5 });
  const open = new Map<string, { source: string | null; connection: OpenConnection }>();
  let seed = 7;
  const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  for (let step = 0; step < 20_000; step++) {
    const pick = [...open.values()][random(Math.max(1, open.size))];
    const kind = random(10);
    if (kind < 4) {
      const source = random(8) === 0 ? null : `s${random(8)}`;
      const connection = admit(`${step}`, source);
      if (connection) open.set(`${step}`, { source, connection });
    } else if (kind < 6 && pick) book.begin(pick.connection);
    else if (kind < 8 && pick && pick.connection.running > 0) {
      book.end(pick.connection, { isLast: random(5) === 0 });
    } else if (kind === 8 && pick) {
      book.leave(pick.connection);
      for (const [name, { connection }] of open) {
        if (connection === pick.connection) open.delete(name);
      }
    } else closed.push(...late(step / 10));
    for (const name of closed.splice(0)) {
      assert.equal(open.get(name)!.connection.running, 0);
      open.delete(name);
    }
    assert.equal(book.size, open.size);
    assert.ok(open.size <= 20);
    const shares = Map.groupBy(open.values(), ({ source }) => source);
    for (const [source, share] of shares) assert.ok(source === null || share.length <= 5);
  }
});

Deno.test("if everybody is busy, sources with most connections make room for those with few", () => {
  const { book, admit, closed } = openBook({ ...LIMITS, max: 80, perSourceMax: 64 });
  const busy = (name: string, source: string | null) => {
    const connection = admit(name, source);
    if (connection) book.begin(connection);
    return connection !== undefined;
  };
  for (let i = 0; i < 40; i++) busy(`a${i}`, "a");
  for (let i = 0; i < 40; i++) busy(`b${i}`, i < 10 ? "b" : null);
  for (let i = 0; i < 8; i++) assert.equal(busy(`new${i}`, `new${i}`), true);
  assert.deepEqual(closed, Array.from({ length: 8 }, (_, i) => `a${i}`));
  assert.equal(busy("late", "late"), false, "nobody has more than their share");
  assert.equal(book.size, 80);
});
