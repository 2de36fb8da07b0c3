import assert from "node:assert/strict";
import { createApiKey, revokeApiKey } from "../../../src/access/manage_api_keys.ts";
import {
  apiClient,
  type ApiReply,
  type Credentials,
  type SignedCall,
} from "../../support/api_client.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { makeClockedMerchant, startClockedGateway, timestampOf } from "../clocked_gateway.ts";

const gateway = await startClockedGateway({ CPG_AUTH_FAILURES_PER_MINUTE: "100000" });
Deno.test.afterAll(() => gateway.stop());
const merchant = await makeClockedMerchant(gateway);
const { credentials } = merchant;
const { keyId } = credentials;
const PING = { method: "GET", target: "/v1/_ping" };
const WRONG_SIGNATURE = { "X-CPG-Signature": "0".repeat(64) };

/** Sends it and returns the log line of that request. */
async function logged(sender: Credentials, call: Partial<SignedCall> = {}) {
  const timestamp = timestampOf(gateway.clock);
  const reply = await apiClient(gateway.url, sender).send({ ...PING, timestamp, ...call });
  const id = reply.headers.get("x-request-id");
  const line = await eventually(
    () => Promise.resolve(gateway.logged.map((it) => JSON.parse(it)).find(isOf(id))),
    { until: (found) => found !== undefined },
  );
  return { line, reply };
}

const isOf = (id: string | null) => (line: { message: string; request_id?: string }) =>
  line.message === "request" && line.request_id === id;

async function makeKey(ipList: string[] = []): Promise<Credentials> {
  const { row, secret } = await createApiKey(gateway.deps, {
    ...{ accountId: merchant.accountId, label: "x", permissions: [], rateLimit: 1_000 },
    ...{ ipList, actor: "test" },
  });
  return { keyId: row.keyId, secret };
}

const bodyOf = ({ body: { error: { request_id: _, ...error }, ...rest } }: ApiReply) => ({
  ...rest,
  error,
});

Deno.test("the log says why a signature was refused, and the answer doesn't", async () => {
  const revoked = await makeKey();
  await revokeApiKey(gateway.deps, { keyId: revoked.keyId, actor: "test" });
  const bad = await logged(credentials, { headers: WRONG_SIGNATURE });
  const gone = await logged(revoked);
  const unknown = await logged({ keyId: "cpg_nobody", secret: "x" });
  assert.deepEqual([bad.line.key_id, bad.line.reason], [keyId, "bad_signature"]);
  assert.deepEqual([gone.line.key_id, gone.line.reason], [revoked.keyId, "revoked_key"]);
  assert.deepEqual([unknown.line.key_id, unknown.line.reason], ["cpg_nobody", "unknown_key"]);
  for (const { reply } of [gone, unknown]) {
    assert.equal(reply.status, 401);
    assert.deepEqual(bodyOf(reply), bodyOf(bad.reply));
    const names = (headers: Headers) => [...headers.keys()];
    assert.deepEqual(names(reply.headers), names(bad.reply.headers));
  }
});

Deno.test("the log has the seconds by which a clock is wrong", async () => {
  const now = Number(timestampOf(gateway.clock));
  for (const [seconds, text] of [[301, `${now + 301}`], [-4_000, `${now - 4_000}`]] as const) {
    const { line, reply } = await logged(credentials, { timestamp: text });
    assert.equal(reply.status, 401);
    assert.deepEqual([line.key_id, line.reason], [keyId, "clock_skew"]);
    assert.equal(line.skew_seconds, seconds);
  }
  const { line } = await logged(credentials, { timestamp: "yesterday" });
  assert.deepEqual([line.reason, line.skew_seconds], ["clock_skew", null]);
});

Deno.test("the log has the address that a key may not be used from", async () => {
  const elsewhere = await makeKey(["10.0.0.0/8"]);
  const { line, reply } = await logged(elsewhere);
  assert.equal(reply.status, 403);
  assert.deepEqual([line.key_id, line.reason], [elsewhere.keyId, "ip_not_listed"]);
  assert.equal(line.ip, "127.0.0.1");
});

Deno.test("of a stranger's key id the log keeps 64 characters, on one line", async () => {
  const { line } = await logged({ keyId: `cpg_"${"x".repeat(5_000)}`, secret: "x" });
  assert.equal(line.key_id, `cpg_"${"x".repeat(59)}`);
  assert.equal(line.reason, "unknown_key");
});

Deno.test("any other rejected request has its code as the reason, an accepted one has none", async () => {
  const none = await logged(await makeKey(), { target: "/v1/balances" });
  assert.deepEqual([none.line.status, none.line.reason], [403, "permission_denied"]);
  const missing = await logged(credentials, { headers: { "X-CPG-Signature": "" } });
  assert.deepEqual([missing.line.key_id, missing.line.reason], [keyId, "missing_authentication"]);
  const fine = await logged(credentials);
  assert.equal(fine.line.status, 200);
  assert.ok(!("reason" in fine.line) && !("skew_seconds" in fine.line));
});

Deno.test("the log never has a refund link, however it is asked for", async () => {
  const token = "A".repeat(22);
  for (const [method, end] of [["GET", ""], ["GET", "/"], ["PUT", ""], ["OPTIONS", "?a=1"]]) {
    const { body } = await fetch(`${gateway.url}/refund/${token}${end}`, { method: method! });
    await body?.cancel();
  }
  const targets = () =>
    gateway.logged.map((line) => JSON.parse(line).target)
      .filter((target?: string) => target?.startsWith("/refund"));
  await eventually(() => Promise.resolve(targets()), { until: (all) => all.length === 4 });
  assert.deepEqual([...new Set(targets())], ["/refund/…"]);
});

Deno.test("the log never has a one-time link that was opened at the API's address", async () => {
  const token = "B".repeat(43);
  for (const path of ["/set-up/", "//dashboard/set-up/", "/x/SET-UP/"]) {
    await (await fetch(`${gateway.url}${path}${token}/?a=${token}`)).body?.cancel();
  }
  const targets = () =>
    gateway.logged.map((line) => String(JSON.parse(line).target)).filter((it) =>
      /set-up/i.test(it)
    );
  await eventually(() => Promise.resolve(targets()), { until: (all) => all.length === 3 });
  assert.ok(!JSON.stringify(gateway.logged).includes(token));
});
