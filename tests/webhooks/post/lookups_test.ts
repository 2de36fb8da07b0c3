import assert from "node:assert/strict";
import { boundedLookups } from "../../../src/webhooks/post/_lookups.ts";

const SLOW_AFTER_MS = 10;
const THREADS = 32;

const [MERCHANT, OTHER] = [1, 2];
const names = (count: number) => Array.from({ length: count }, (_, i) => `dead${i}.example`);

/** The time until it is clear that nobody answers. */
const silence = () => new Promise<void>((resolve) => setTimeout(resolve, 3 * SLOW_AFTER_MS));

/** A name server that is silent about some names. */
function makeNameServer() {
  const asked: string[] = [];
  let held = 0;
  let heldMost = 0;
  const lookUp = boundedLookups(async (host) => {
    asked.push(host);
    if (!host.startsWith("dead")) return ["192.0.2.1"];
    heldMost = Math.max(heldMost, ++held);
    await silence();
    held--;
    throw new Error("no answer");
  }, { slowAfterMs: SLOW_AFTER_MS });
  return { asked, lookUp, heldMost: () => heldMost, forget: () => heldMost = 0 };
}

Deno.test("names without an answer hold few threads, and none that others need once they are known", async () => {
  const { lookUp, heldMost, forget } = makeNameServer();
  const dead = names(100);
  const first = await Promise.allSettled(dead.map((name, i) => lookUp(name, i)));
  assert.ok(first.every(({ status }) => status === "rejected"));
  assert.ok(heldMost() <= THREADS / 2, `${heldMost()} threads are held`);

  forget();
  let isOver = false;
  const again = Promise.allSettled(dead.map((name, i) => lookUp(name, i))).then(() =>
    isOver = true
  );
  assert.deepEqual(await lookUp("shop.example", MERCHANT), ["192.0.2.1"]);
  assert.equal(isOver, false, "It need not wait for them");
  await again;
  assert.ok(heldMost() < THREADS / 4, `${heldMost()} threads are held`);
});

Deno.test("nobody waits for a look-up that another account has behind its own dead names", async () => {
  const { lookUp } = makeNameServer();
  let isOver = false;
  const dead = Promise.allSettled(names(30).map((name) => lookUp(name, OTHER)));
  const theirs = lookUp("shop.example", OTHER).then(() => isOver = true);
  assert.deepEqual(await lookUp("shop.example", MERCHANT), ["192.0.2.1"]);
  assert.equal(isOver, false);
  await Promise.all([dead, theirs]);
});

Deno.test("a name is looked up once for concurrent callers, and again for later ones", async () => {
  const { asked, lookUp } = makeNameServer();
  const [one, other] = await Promise.all([
    lookUp("shop.example", MERCHANT),
    lookUp("shop.example", MERCHANT),
  ]);
  assert.equal(one, other);
  assert.deepEqual(asked, ["shop.example"]);
  await lookUp("shop.example", MERCHANT);
  assert.deepEqual(asked, ["shop.example", "shop.example"]);
});

Deno.test("a name that is answered for again is as quick as any", async () => {
  let isSilent = true;
  const never = Promise.withResolvers<readonly string[]>();
  const lookUp = boundedLookups(async (host) => {
    if (host !== "shop.example") return await never.promise;
    if (isSilent) await silence();
    return ["192.0.2.1"];
  }, { slowAfterMs: SLOW_AFTER_MS });
  await lookUp("shop.example", MERCHANT);
  isSilent = false;
  await lookUp("shop.example", MERCHANT);
  // All fast places are taken, by names that count as slow.
  const others = names(8).map((name, i) => lookUp(name, 10 + i));
  await silence();
  assert.deepEqual(await lookUp("shop.example", MERCHANT), ["192.0.2.1"]);
  never.resolve([]);
  await Promise.all(others);
});

Deno.test("one account's names hold no more than its share, whatever others find them to be", async () => {
  const { lookUp, heldMost } = makeNameServer();
  const dead = Promise.allSettled(names(100).map((name) => lookUp(name, OTHER)));
  let isOver = false;
  void dead.then(() => isOver = true);
  assert.equal(heldMost(), 6);
  assert.deepEqual(await lookUp("shop.example", MERCHANT), ["192.0.2.1"]);
  assert.equal(isOver, false);
  await dead;
});
