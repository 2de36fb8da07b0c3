import assert from "node:assert/strict";
import { createAccount } from "../../../src/accounts/manage_accounts.ts";
import { Shares } from "../../../src/base/waiting/shares.ts";
import { utf8 } from "../../../src/base/bytes.ts";
import { pageShares } from "../../../src/domain/shares.ts";
import { createDashboard } from "../../../src/dashboard/app.ts";
import { ASSETS } from "../../../src/dashboard/assets/assets.ts";
import { csrfOf } from "../../../src/dashboard/cookies.ts";
import { createLiveStreams } from "../../../src/dashboard/live.ts";
import { forgetProof, makeSession, makeUser, PASSWORD } from "../../support/dashboard/dashboard.ts";
import { openStillGateway } from "../gateway.ts";

const ORIGIN = "http://127.0.0.1:8080";
const AT_ONCE = 8;

interface Sent {
  readonly path: string;
  readonly body?: BodyInit;
  readonly method?: string;
}

async function open({ placeMs = 60_000 } = {}) {
  const gateway = await openStillGateway();
  const shares = new Shares({ atOnce: 2, waitMaxMs: placeMs, slowAfterMs: 250 });
  const deps = { ...gateway.deps, memory: { ...gateway.deps.memory, shares } };
  const live = createLiveStreams();
  // Waiting for a place keeps no test from ending.
  const awake = setInterval(() => {}, 1_000);
  const app = createDashboard({
    ...{ deps, publicUrl: ORIGIN, trustedProxies: [], live, environment: [] },
    bodyTimeoutMs: 60_000,
  });
  const order = { email: "ann@example.com", role: "operator", accountId: null } as const;
  const user = await makeUser(deps, { ...order, actor: "test" });
  const send = async (token: string, { path, body, method = "GET" }: Sent) => {
    const headers = {
      ...{ cookie: `cpg=${token}`, origin: ORIGIN },
      ...body === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" },
    };
    const posted = body === undefined
      ? { method }
      : { method: "POST", body, duplex: "half" as const };
    const request = new Request(`${ORIGIN}/dashboard${path}`, { headers, ...posted });
    return await app.fetch(request, { remoteIp: "127.0.0.1" });
  };
  return {
    ...{ deps, user, send, session: () => makeSession(deps, user) },
    [Symbol.asyncDispose]: async () => {
      clearInterval(awake);
      live.close();
      await gateway[Symbol.asyncDispose]();
    },
  };
}

type Dashboard = Awaited<ReturnType<typeof open>>;

async function statusOf(answer: Promise<Response>): Promise<number> {
  const { status, body } = await answer;
  await body?.cancel();
  return status;
}

/** A form that is still arriving takes a place until it is there. */
function slowForm({ send }: Dashboard, token: string) {
  const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>>();
  const answer = statusOf(send(token, { path: "/prove", body: readable }));
  const finish = async () => {
    const writer = writable.getWriter();
    await writer.write(utf8(`csrf=${csrfOf(token)}&secret=wrong`));
    await writer.close();
    return await answer;
  };
  return { finish };
}

Deno.test("a session with eight requests in progress waits for one of them, and nobody else does", async () => {
  await using dashboard = await open();
  const { send, session } = dashboard;
  const [token, other] = [await session(), await session()];
  const forms = Array.from({ length: AT_ONCE }, () => slowForm(dashboard, token));
  let isAnswered = false;
  const own = statusOf(send(token, { path: "" })).finally(() => isAnswered = true);
  assert.equal(await statusOf(send(other, { path: "" })), 200);
  const asset = ASSETS[0]!.path.replace("/dashboard", "");
  assert.equal(await statusOf(send(token, { path: asset })), 200);
  assert.equal(isAnswered, false);
  assert.equal(await forms[0]!.finish(), 422);
  assert.equal(await own, 200);
  const rest = await Promise.all(forms.slice(1).map(({ finish }) => finish()));
  assert.ok(rest.every((status) => status === 422 || status === 429), rest.join());
});

Deno.test("whoever waits too long for their own requests is told, with their form unread", async () => {
  await using dashboard = await open({ placeMs: 20 });
  const { send, session } = dashboard;
  const token = await session();
  const forms = Array.from({ length: AT_ONCE }, () => slowForm(dashboard, token));
  const late = await send(token, { path: "" });
  assert.deepEqual([late.status, late.headers.get("retry-after")], [503, "2"]);
  assert.match(await late.text(), /Not available right now/);
  let isRead = false;
  const body = new ReadableStream({ pull: () => void (isRead = true) }, { highWaterMark: 0 });
  assert.equal(await statusOf(send(token, { path: "/prove", body })), 503);
  assert.equal(isRead, false);
  for (const { finish } of forms) await finish();
  assert.equal(await statusOf(send(token, { path: "" })), 200);
});

Deno.test("a user's sessions share 16 places, 112 more wait, and the next is told at once", async () => {
  await using dashboard = await open();
  const { deps, user, send, session } = dashboard;
  const { shares } = deps.memory;
  const asking = Array.from({ length: 128 }, () => shares.enter(pageShares(user)));
  const late = await send(await session(), { path: "/deposits" });
  assert.deepEqual([late.status, late.headers.get("retry-after")], [503, "2"]);
  const stream = await send(await session(), { path: "/deposits/live" });
  assert.equal(stream.status, 200);
  await stream.body!.cancel();
  const order = { email: "bob@example.com", role: "operator", accountId: null } as const;
  const bob = await makeSession(deps, await makeUser(deps, { ...order, actor: "test" }));
  assert.equal(await statusOf(send(bob, { path: "/deposits" })), 200);
  await Promise.all(asking.map(async (place) => (await place).leave()));
  assert.equal(await statusOf(send(await session(), { path: "/deposits" })), 200);
});

Deno.test("a user reads eight files at once, in all sessions, and the next once one is over", async () => {
  await using dashboard = await open();
  const { send, session } = dashboard;
  const ask = async () => await send(await session(), { path: "/transactions/export.csv" });
  const files = [];
  for (let i = 0; i < 8; i++) files.push(await ask());
  assert.ok(files.every(({ status }) => status === 200));
  const late = await ask();
  assert.deepEqual([late.status, late.headers.get("retry-after")], [503, "2"]);
  await late.body?.cancel();
  const token = await session();
  for (let i = 0; i < 20; i++) {
    const head = await send(token, { path: "/transactions/export.csv", method: "HEAD" });
    assert.deepEqual([head.status, head.body], [200, null]);
  }
  await files[0]!.body!.cancel();
  const next = await ask();
  assert.equal(next.status, 200);
  for (const { body } of [...files.slice(1), next]) await body!.cancel();
});

Deno.test("open pages and downloads take no places once they have begun", async () => {
  await using dashboard = await open({ placeMs: 5_000 });
  const { send, session } = dashboard;
  const token = await session();
  const begun = await Promise.all(
    Array.from(
      { length: AT_ONCE + 2 },
      (_, n) => send(token, { path: n % 2 === 0 ? "/live" : "/transactions/export.csv" }),
    ),
  );
  assert.ok(begun.every(({ status }) => status === 200), begun.map(({ status }) => status).join());
  assert.equal(await statusOf(send(token, { path: "" })), 200);
  for (const { body } of begun) await body!.cancel();
});

Deno.test("a form that waited for a proof is part of the proof's request, and needs no other place", async () => {
  await using dashboard = await open({ placeMs: 20 });
  const { deps, user, send, session } = dashboard;
  const token = await session();
  const { id } = await createAccount(deps, { name: "Acme", actor: "test" });
  const csrf = csrfOf(token);
  const key = { csrf, label: "shop", rate_limit: "60", preset: "shop", account: String(id) };
  await forgetProof(deps, { user });
  const asked = await send(token, { path: "/keys/new", body: new URLSearchParams(key) });
  const { searchParams } = new URL(asked.headers.get("location")!, ORIGIN);
  const proof = new URLSearchParams({ csrf, secret: PASSWORD });
  for (const name of ["held", "next"]) proof.set(name, searchParams.get(name)!);
  const forms = Array.from({ length: AT_ONCE - 1 }, () => slowForm(dashboard, token));
  const proven = await send(token, { path: "/prove", body: proof });
  assert.equal(proven.status, 200);
  assert.match(await proven.text(), /API key created/);
  for (const { finish } of forms) await finish();
});
