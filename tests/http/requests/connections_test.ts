import assert from "node:assert/strict";
import { signedHeaders } from "../../support/api_client.ts";
import { makeLogin } from "../../support/dashboard/dashboard.ts";
import { makeMerchant, startGateway } from "../../support/gateway.ts";
import { connectSlowly } from "../../support/programs/slow_client.ts";

const STILL = { CPG_WORKER: "false" };
const QUICK = { ...STILL, CPG_HEADER_TIMEOUT: "1", CPG_BODY_TIMEOUT: "1", CPG_IDLE_TIMEOUT: "1" };
/** One second, one until the next check, and many for a busy machine. */
const SOON_MS = 15_000;
const LONG_MS = 4_000;
const ASK = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";

Deno.test("slow headers, missing ones and idle connections are closed in time", async () => {
  await using gateway = await startGateway(QUICK);
  await using slow = await connectSlowly(gateway.url);
  await using silent = await connectSlowly(gateway.url);
  await using idle = await connectSlowly(gateway.url);
  const dripping = slow.drip(`GET /healthz HTTP/1.1\r\nHost: x\r\nX-Filler: ${"a".repeat(1_000)}`);
  await idle.send(ASK);
  const ends = [slow, silent, idle].map((client) => client.untilClosed(SOON_MS));
  const [slowEnd, silentEnd, idleEnd] = await Promise.all(ends);
  await dripping;
  assert.deepEqual([slowEnd, silentEnd], ["", ""]);
  assert.match(idleEnd!, /^HTTP\/1\.1 200 OK\r\n/);
});

Deno.test("a body that doesn't arrive is a 408 in the error format, and the connection is closed", async () => {
  await using gateway = await startGateway(QUICK);
  const { credentials } = await makeMerchant(gateway);
  const call = { method: "POST", target: "/v1/withdrawals", body: "{}" } as const;
  const headers = Object.entries(signedHeaders(credentials, call))
    .map(([name, value]) => `${name}: ${value}\r\n`).join("");
  for (const framing of ["Content-Length: 100", "Transfer-Encoding: chunked"]) {
    await using client = await connectSlowly(gateway.url);
    await client.send(`POST /v1/withdrawals HTTP/1.1\r\nHost: x\r\n${headers}${framing}\r\n\r\n`);
    const text = await client.untilClosed(SOON_MS);
    assert.match(text, /^HTTP\/1\.1 408 Request Timeout\r\n/, framing);
    assert.match(text, /"Request body took too long"/);
  }
});

Deno.test("a form that doesn't arrive is a 408 page, and the connection is closed", async () => {
  await using gateway = await startGateway(QUICK);
  const { token } = await makeLogin(gateway.deps);
  const { host, origin } = new URL(gateway.url);
  await using client = await connectSlowly(gateway.url);
  await client.send(
    `POST /dashboard/sign-out HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\n` +
      `Cookie: cpg=${token}\r\nContent-Type: application/x-www-form-urlencoded\r\n` +
      "Content-Length: 100\r\n\r\ncsrf=",
  );
  const text = await client.untilClosed(SOON_MS);
  assert.match(text, /^HTTP\/1\.1 408 /);
  assert.match(text, /took too long to arrive/);
});

Deno.test("one source can't take all connections, and a trusted proxy can", async () => {
  const answered = async (env: Record<string, string>) => {
    await using gateway = await startGateway({ ...STILL, ...env });
    await using stack = new AsyncDisposableStack();
    const clients = [];
    for (let i = 0; i < 30; i++) clients.push(stack.use(await connectSlowly(gateway.url)));
    const health = await fetch(`${gateway.url}/healthz`);
    assert.equal((await health.json()).status, "alive");
    let count = 0;
    for (const client of clients) {
      await client.send(ASK).catch(() => {});
      if ((await client.next())?.startsWith("HTTP/1.1 200")) count++;
    }
    return count;
  };
  const CPG_CONNECTIONS_PER_SOURCE_MAX = "10";
  assert.equal(await answered({ CPG_CONNECTIONS_PER_SOURCE_MAX }), 9);
  const CPG_TRUSTED_PROXIES = "127.0.0.1";
  assert.equal(await answered({ CPG_CONNECTIONS_PER_SOURCE_MAX, CPG_TRUSTED_PROXIES }), 30);
});

Deno.test("at the limit of all connections somebody new is still answered", async () => {
  await using gateway = await startGateway({ ...STILL, CPG_CONNECTIONS_MAX: "5" });
  await using stack = new AsyncDisposableStack();
  for (let i = 0; i < 50; i++) stack.use(await connectSlowly(gateway.url));
  const health = await fetch(`${gateway.url}/healthz`);
  assert.equal((await health.json()).status, "alive");
});

Deno.test("the dashboard's own listener has the same limits", async () => {
  await using gateway = await startGateway({ ...QUICK, CPG_DASHBOARD_PORT: "0" });
  await using silent = await connectSlowly(gateway.serving.dashboardUrl!);
  assert.equal(await silent.untilClosed(SOON_MS), "");
});

Deno.test("a live page that is read stays open although nothing changes for a while", async () => {
  await using gateway = await startGateway(QUICK);
  const { token } = await makeLogin(gateway.deps);
  await using client = await connectSlowly(gateway.url);
  await client.send(`GET /dashboard/live HTTP/1.1\r\nHost: x\r\nCookie: cpg=${token}\r\n\r\n`);
  assert.match((await client.next())!, /^HTTP\/1\.1 200 OK\r\n/);
  await assert.rejects(client.untilClosed(LONG_MS), /was still open after/);
});
