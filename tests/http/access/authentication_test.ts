import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { revokeApiKey } from "../../../src/access/manage_api_keys.ts";
import { signedHeaders } from "../../support/api_client.ts";
import { makeClockedMerchant, startClockedGateway, timestampOf } from "../clocked_gateway.ts";
import { rawRequest } from "../requests/raw_request.ts";
import { assertInvalid, assertNotAnObject, assertRefused } from "../withdrawals/refusals.ts";
import { EMPTY_BODY_HASH, hmacHex, sha256Hex } from "../signing.ts";

const gateway = await startClockedGateway({ CPG_AUTH_FAILURES_PER_MINUTE: "100000" });
Deno.test.afterAll(() => gateway.stop());
const merchant = await makeClockedMerchant(gateway);
const { credentials: { keyId, secret }, api } = merchant;
const NOW = timestampOf(gateway.clock);
const PING = "/v1/_ping";

function pingWith(headers: Record<string, string>) {
  return api.send({ method: "GET", target: PING, headers });
}

/** Sends the target with a signature over any text. */
function getSignedOver(canonical: string, { target = PING, timestamp = NOW } = {}) {
  const headers = { "X-CPG-Signature": hmacHex(secret, canonical) };
  return api.send({ method: "GET", target, timestamp, headers });
}

Deno.test("spec 4.1: GET /v1/_ping answers success, message pong and the calling key's key_id", async () => {
  const { status, body } = await api.get(PING);
  assert.equal(status, 200);
  assert.deepEqual(body, { success: true, message: "pong", data: { key_id: keyId } });
});

for (const missing of ["X-CPG-Key", "X-CPG-Timestamp", "X-CPG-Signature"]) {
  Deno.test(`spec 5.1: a request without ${missing} is 401 "Missing authentication headers"`, async () => {
    const headers = signedHeaders(merchant.credentials, {
      method: "GET",
      target: PING,
      timestamp: NOW,
    });
    delete headers[missing];
    const left = Object.entries(headers);
    assert.equal(left.length, 2);
    const reply = await rawRequest(gateway.url, { method: "GET", target: PING, headers: left });
    assertRefused(reply, "missing_authentication");
  });
}

Deno.test("spec 5.2: a proxy that merges the three headers into one gets 401", async () => {
  const call = { method: "GET", target: PING, timestamp: NOW };
  const merged = Object.values(signedHeaders(merchant.credentials, call)).join(", ");
  const headers = [["X-CPG-Key", merged]] as const;
  const reply = await rawRequest(gateway.url, { method: "GET", target: PING, headers });
  assertRefused(reply, "missing_authentication");
});

Deno.test("spec 5.1: header names are case-insensitive", async () => {
  const call = { method: "GET", target: PING, timestamp: NOW };
  const signed = Object.entries(signedHeaders(merchant.credentials, call));
  for (
    const spelt of [(name: string) => name.toLowerCase(), (name: string) => name.toUpperCase()]
  ) {
    const headers = signed.map(([name, value]) => [spelt(name), value] as const);
    const { status } = await rawRequest(gateway.url, { method: "GET", target: PING, headers });
    assert.equal(status, 200);
  }
});

Deno.test("spec 5.1: signatures are compared case-insensitively", async () => {
  const signature = hmacHex(secret, `${NOW}\nGET\n${PING}\n\n${EMPTY_BODY_HASH}`);
  const mixed = [...signature].map((c, i) => i % 2 === 0 ? c.toUpperCase() : c).join("");
  for (const spelt of [signature, signature.toUpperCase(), mixed]) {
    assert.equal((await pingWith({ "X-CPG-Signature": spelt })).status, 200);
  }
});

Deno.test("spec 5.2: the canonical string is five fields joined by newlines, without a trailing one", async () => {
  const target = "/v1/balances?network=ETH&currency=ETH";
  const canonical = `${NOW}\nGET\n/v1/balances\nnetwork=ETH&currency=ETH\n${EMPTY_BODY_HASH}`;
  assert.equal((await getSignedOver(canonical, { target })).status, 200);
});

const QUERY = "network=ETH&currency=ETH";
const TARGET = `/v1/balances?${QUERY}`;
const MISMATCHES: Record<string, string> = {
  "a trailing newline": `${NOW}\nGET\n/v1/balances\n${QUERY}\n${EMPTY_BODY_HASH}\n`,
  "CRLF between the fields": `${NOW}\r\nGET\r\n/v1/balances\r\n${QUERY}\r\n${EMPTY_BODY_HASH}`,
  "the empty body hash omitted on GET": `${NOW}\nGET\n/v1/balances\n${QUERY}`,
  "the empty body hash left empty": `${NOW}\nGET\n/v1/balances\n${QUERY}\n`,
  "the body hash in capitals":
    `${NOW}\nGET\n/v1/balances\n${QUERY}\n${EMPTY_BODY_HASH.toUpperCase()}`,
  "query parameters reordered":
    `${NOW}\nGET\n/v1/balances\ncurrency=ETH&network=ETH\n${EMPTY_BODY_HASH}`,
  "a leading ? included": `${NOW}\nGET\n/v1/balances\n?${QUERY}\n${EMPTY_BODY_HASH}`,
  "the query left out": `${NOW}\nGET\n/v1/balances\n\n${EMPTY_BODY_HASH}`,
  "the query in the path": `${NOW}\nGET\n${TARGET}\n\n${EMPTY_BODY_HASH}`,
  "the method not in upper case": `${NOW}\nget\n/v1/balances\n${QUERY}\n${EMPTY_BODY_HASH}`,
  "another method": `${NOW}\nPOST\n/v1/balances\n${QUERY}\n${EMPTY_BODY_HASH}`,
  "the host in the path": `${NOW}\nGET\n${gateway.url}/v1/balances\n${QUERY}\n${EMPTY_BODY_HASH}`,
  "the path without its version": `${NOW}\nGET\n/balances\n${QUERY}\n${EMPTY_BODY_HASH}`,
  "another timestamp": `${Number(NOW) + 1}\nGET\n/v1/balances\n${QUERY}\n${EMPTY_BODY_HASH}`,
  "another body's hash": `${NOW}\nGET\n/v1/balances\n${QUERY}\n${sha256Hex("{}")}`,
};

for (const [what, canonical] of Object.entries(MISMATCHES)) {
  Deno.test(`spec 5.2: any difference gives 401 "Invalid signature": ${what}`, async () => {
    assertRefused(await getSignedOver(canonical, { target: TARGET }), "invalid_signature");
  });
}

Deno.test("spec 5.2: without a query its field is an empty string and the separator remains", async () => {
  assert.equal((await getSignedOver(`${NOW}\nGET\n${PING}\n\n${EMPTY_BODY_HASH}`)).status, 200);
  const joined = await getSignedOver(`${NOW}\nGET\n${PING}\n${EMPTY_BODY_HASH}`);
  assertRefused(joined, "invalid_signature");
});

Deno.test("spec 5.2: the signed bytes must be the bytes sent: a body serialised again is 401", async () => {
  const [signed, sent] = ['{"currency":"ETH"}', '{"currency": "ETH"}'];
  const target = "/v1/deposit-addresses";
  const canonical = (body: string) => `${NOW}\nPOST\n${target}\n\n${sha256Hex(body)}`;
  const send = (canonicalText: string) => {
    const headers = { "X-CPG-Signature": hmacHex(secret, canonicalText) };
    return api.send({ method: "POST", target, body: sent, headers });
  };
  assertRefused(await send(canonical(signed)), "invalid_signature");
  assertInvalid(await send(canonical(sent)), ["network"]);
});

Deno.test("spec 5.2: the body hash is over the raw body bytes, whatever they are", async () => {
  const body = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  const target = "/v1/withdrawals";
  assertNotAnObject(await api.send({ method: "POST", target, body }));
});

Deno.test("spec 5.1: the signature is made with the key's secret: another key's secret is 401", async () => {
  const other = await makeClockedMerchant(gateway);
  const canonical = `${NOW}\nGET\n${PING}\n\n${EMPTY_BODY_HASH}`;
  const signature = hmacHex(other.credentials.secret, canonical);
  assertRefused(await pingWith({ "X-CPG-Signature": signature }), "invalid_signature");
});

Deno.test("contract 1: the HMAC key is the secret's text as shown, not what it might decode to", async () => {
  const canonical = `${NOW}\nGET\n${PING}\n\n${EMPTY_BODY_HASH}`;
  for (const encoding of ["base64", "base64url", "hex"] as const) {
    const signature = hmacHex(Buffer.from(secret, encoding), canonical);
    assertRefused(await pingWith({ "X-CPG-Signature": signature }), "invalid_signature");
  }
});

Deno.test("contract 1: an unknown key is 401 Invalid signature, whoever's secret signs", async () => {
  for (const unknown of ["cpg_unknown", keyId.toUpperCase(), `${keyId}x`, keyId.slice(0, -1)]) {
    assertRefused(await pingWith({ "X-CPG-Key": unknown }), "invalid_signature");
  }
});

Deno.test("contract 1: an unknown key takes the same time as a bad signature", async () => {
  const costs: Record<string, number[]> = { known: [], unknown: [], stranger: [] };
  for (let round = 0; round < 200; round++) {
    const keys = { known: keyId, unknown: "cpg_unknown", stranger: `cpg_unknown${round}` };
    for (const [kind, key] of Object.entries(keys)) {
      const headers = { "X-CPG-Key": key, "X-CPG-Signature": "0".repeat(64) };
      const startedAt = performance.now();
      await pingWith(headers);
      costs[kind]!.push(performance.now() - startedAt);
    }
  }
  // The fastest tenth, since the machine may be busy.
  const fast = (kind: string) => costs[kind]!.toSorted((a, b) => a - b)[20]!;
  for (const kind of ["unknown", "stranger"]) {
    const ratio = fast(kind) / fast("known");
    assert.ok(ratio > 0.5 && ratio < 2, `${kind}: ${ratio.toFixed(1)} times a bad signature`);
  }
});

Deno.test("contract 1: a revoked key is 401 Invalid signature at once, though its signature is right", async () => {
  const leaving = await makeClockedMerchant(gateway);
  assert.equal((await leaving.api.get(PING)).status, 200);
  const { keyId } = leaving.credentials;
  await revokeApiKey(gateway.deps, { keyId, actor: "test" });
  assertRefused(await leaving.api.get(PING), "invalid_signature");
  assert.equal((await api.get(PING)).status, 200);
});

Deno.test("spec 5.1: text that isn't 32 bytes of hex is 401 Invalid signature", async () => {
  const right = hmacHex(secret, `${NOW}\nGET\n${PING}\n\n${EMPTY_BODY_HASH}`);
  const base64 = Buffer.from(right, "hex").toString("base64");
  const zeros = "0".repeat(64);
  const wrongs = [right.slice(1), right.slice(2), `${right}00`, `${right}0`, `0x${right}`, base64];
  for (const signature of [...wrongs, zeros, "z".repeat(64), "-", `${right.slice(0, 63)}g`]) {
    assertRefused(await pingWith({ "X-CPG-Signature": signature }), "invalid_signature");
  }
});

Deno.test("spec 8: a timestamp is good up to 300 seconds either way of server time", async () => {
  for (const offsetS of [-300, -299, 0, 299, 300]) {
    const timestamp = timestampOf(gateway.clock, { offsetS });
    const { status } = await api.send({ method: "GET", target: PING, timestamp });
    assert.equal(status, 200, `${offsetS} s`);
  }
});

Deno.test("contract 1: a timestamp more than 300 seconds from server time is 401", async () => {
  for (const offsetS of [-301, 301, -86_400, 86_400, -Number(NOW)]) {
    const timestamp = timestampOf(gateway.clock, { offsetS });
    const reply = await api.send({ method: "GET", target: PING, timestamp });
    assertRefused(reply, "timestamp_out_of_window");
  }
});

Deno.test("contract 1: a timestamp that isn't an integer is 401, though its signature is right", async () => {
  const hex = `0x${Number(NOW).toString(16)}`;
  const forms = [`${NOW}.0`, `${NOW}.5`, `${NOW}e0`, hex, `+${NOW}`, `-${NOW}`, "now", "NaN"];
  for (const timestamp of [...forms, `${NOW}000`, "9".repeat(40), `${NOW} ${NOW}`, `${NOW},`]) {
    const reply = await api.send({ method: "GET", target: PING, timestamp });
    assertRefused(reply, "timestamp_out_of_window");
  }
});

Deno.test("contract 1: reads may repeat: an exact copy of a signed GET is answered again", async () => {
  const signature = hmacHex(secret, `${NOW}\nGET\n${PING}\n\n${EMPTY_BODY_HASH}`);
  for (let copy = 0; copy < 3; copy++) {
    assert.equal((await pingWith({ "X-CPG-Signature": signature })).status, 200);
  }
});

Deno.test("spec 5: every method needs the three headers, HEAD and OPTIONS too", async () => {
  for (const method of ["HEAD", "OPTIONS", "DELETE", "PURGE"]) {
    const reply = await rawRequest(gateway.url, { method, target: PING, headers: [] });
    assert.equal(reply.status, 401, method);
  }
});
