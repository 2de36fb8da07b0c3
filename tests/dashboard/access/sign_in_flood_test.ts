import assert from "node:assert/strict";
import { csrfOf, newVisitorToken } from "../../../src/dashboard/cookies.ts";
import { createDashboard } from "../../../src/dashboard/app.ts";
import { createLiveStreams } from "../../../src/dashboard/live.ts";
import { parseCidr } from "../../../src/base/net/cidr.ts";
import { present } from "../../../src/base/assert.ts";
import { makeUser, PASSWORD } from "../../support/dashboard/dashboard.ts";
import { openStillGateway } from "../gateway.ts";

const ORIGIN = "http://127.0.0.1:8080";
const PROXY = "10.0.0.1";
const ANN = "ann@example.com";
const BOB = "bob@example.com";
const HOME = "192.0.2.7";
const HOTEL = "2001:db8:77::1";

/** A dashboard behind a proxy, with a clock that only moves when the test moves it. */
async function openDashboard() {
  const gateway = await openStillGateway();
  const { deps } = gateway;
  const app = createDashboard({
    deps,
    publicUrl: ORIGIN,
    trustedProxies: [present(parseCidr("10.0.0.0/8"), "a range")],
    bodyTimeoutMs: 20_000,
    live: createLiveStreams(),
    environment: [],
  });
  const add = (email: string) =>
    makeUser(deps, { email, role: "operator", accountId: null, actor: "test" });
  const signIn = async (from: string, email: string, password = PASSWORD) => {
    const token = newVisitorToken();
    const request = new Request(`${ORIGIN}/dashboard/sign-in`, {
      method: "POST",
      headers: {
        cookie: `cpg=${token}`,
        origin: ORIGIN,
        "content-type": "application/x-www-form-urlencoded",
        "x-forwarded-for": from,
      },
      body: new URLSearchParams({ csrf: csrfOf(token), email, password }).toString(),
    });
    const response = await app.fetch(request, { remoteIp: PROXY });
    await response.body?.cancel();
    return { 303: "open", 422: "wrong", 429: "throttled" }[response.status] ?? response.status;
  };
  return { ...gateway, add, signIn };
}

Deno.test("a flood from a hundred addresses for five minutes keeps the owner out of nowhere", async () => {
  await using dashboard = await openDashboard();
  const { add, signIn, moveMs, deps } = dashboard;
  await add(ANN);
  await add(BOB);
  assert.equal(await signIn(HOME, ANN), "open");
  const outcomes = new Map<unknown, number>();
  for (let i = 0; i < 5 * 60 * 5; i++) {
    moveMs(200);
    const outcome = await signIn(`198.51.100.${i % 100}`, ANN, `guess ${i}`);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    if (i % 100 === 99) assert.equal(await signIn(HOME, ANN), "open", `after ${i + 1} guesses`);
  }
  assert.deepEqual([...outcomes.keys()], ["wrong", "throttled"]);
  assert.ok(outcomes.get("wrong")! < 120, "few were looked at");
  assert.equal(await signIn(HOTEL, ANN), "open", "also from where nobody has been");
  assert.equal(await signIn("198.51.100.1", BOB), "open", "and whoever shares an address with it");
  moveMs(5 * 60_000);
  assert.equal(await signIn(HOME, ANN), "open");
  const [{ rows }] = await deps.db.query("SELECT count(*) AS rows FROM throttles") as [
    { rows: number },
  ];
  assert.ok(rows < 500, `${rows} rows`);
});

Deno.test("a flood from ever new addresses delays an owner on a journey by four seconds", async () => {
  await using dashboard = await openDashboard();
  const { add, signIn, moveMs } = dashboard;
  await add(ANN);
  assert.equal(await signIn(HOME, ANN), "open");
  for (let i = 0; i < 1_000; i++) {
    moveMs(200);
    await signIn(`2001:db8:${(i + 4_096).toString(16)}::1`, ANN, "a guess");
  }
  assert.equal(await signIn(HOME, ANN), "open");
  moveMs(4_000);
  assert.equal(await signIn(HOTEL, ANN), "open");
});

Deno.test("thirty-six wrong guesses at many names lock nobody else out behind the same address", async () => {
  await using dashboard = await openDashboard();
  const { add, signIn } = dashboard;
  const office = "203.0.113.5";
  for (const email of [ANN, BOB]) await add(email);
  assert.equal(await signIn(office, ANN), "open");
  for (let i = 0; i < 36; i++) {
    await add(`user${i}@example.com`);
    assert.equal(await signIn(office, `user${i}@example.com`, "a guess"), "wrong");
  }
  assert.equal(await signIn(office, ANN), "open", "who has been there");
  assert.equal(await signIn(office, BOB), "open", "and who has not");
});

Deno.test("all addresses of an IPv6 /64 are one source, known or not", async () => {
  await using dashboard = await openDashboard();
  const { add, signIn } = dashboard;
  await add(ANN);
  for (let i = 1; i <= 5; i++) assert.equal(await signIn(`2001:db8::${i}`, ANN, "x"), "wrong");
  assert.equal(await signIn("2001:db8::6", ANN), "throttled");
  assert.equal(await signIn("2001:db8:0:1::1", ANN), "open");
  for (let i = 0; i < 9; i++) assert.equal(await signIn(`2001:db8:0:1::${i}`, ANN, "x"), "wrong");
  assert.equal(await signIn("2001:db8:0:1:ffff::", ANN), "open");
});

Deno.test("guesses fill neither the audit log nor the table of counts", async () => {
  await using dashboard = await openDashboard();
  const { add, signIn, moveMs, deps } = dashboard;
  await add(ANN);
  const countOf = async (what: string) => {
    const [row] = await deps.db.query(
      `SELECT count(*) AS found FROM audit_log WHERE action = '${what}'`,
    );
    return Number(row!.found);
  };
  for (let i = 0; i < 400; i++) {
    moveMs(4_000);
    await signIn(`2001:db8:${(i + 4_096).toString(16)}::1`, ANN, "a guess");
  }
  const recorded = await countOf("user.sign_in_failed");
  assert.ok(recorded > 100 && recorded < 160, `${recorded} rows`);
  moveMs(36_000);
  await signIn("198.51.100.1", ANN, "a guess");
  const [last] = await deps.db.query(
    "SELECT detail FROM audit_log WHERE action = 'user.sign_in_failed' ORDER BY id DESC LIMIT 1",
  );
  const { not_recorded_before } = JSON.parse(String(last!.detail));
  assert.ok(not_recorded_before > 0 && not_recorded_before < 20);
});
