import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { compare, curlOf, headersOf, readPasted, sign } from "../../src/docs/assets/sign.js";
import { canonicalRequest } from "../../src/domain/canonical_request.ts";

const NOW_S = 1_769_860_800;
const ORDER = {
  url: "https://pay.example.com",
  keyId: "cpg_key",
  secret: "c2VjcmV0",
  timestamp: String(NOW_S),
  method: "POST",
  target: "/v1/withdrawals?a=1&b=%20",
  body: '{"amount":"20","note":"it\'s ü"}',
};
const HASH = createHash("sha256").update(ORDER.body).digest("hex");
const LINES = [ORDER.timestamp, "POST", "/v1/withdrawals", "a=1&b=%20", HASH];

const signatureOf = (text: string, secret: string | Uint8Array = ORDER.secret) =>
  createHmac("sha256", secret).update(text).digest("hex");

function headersWith(change: Record<string, string> = {}): string {
  const all = {
    "X-CPG-Key": ORDER.keyId,
    "X-CPG-Timestamp": ORDER.timestamp,
    "X-CPG-Signature": signatureOf(LINES.join("\n")),
    ...change,
  };
  return Object.entries(all).map(([name, value]) => `${name}: ${value}`).join("\n");
}

async function faultsOf(text: string, order = ORDER): Promise<Record<string, string>> {
  const rows = await compare(order, readPasted(text), NOW_S);
  return Object.fromEntries(
    rows.flatMap(({ name, fault }) => fault === undefined ? [] : [[name, fault]]),
  );
}

Deno.test("the browser's five lines and signature are the server's", async () => {
  for (const target of [ORDER.target, "/v1/_ping", "/v1/balances?", "/v1/x??y"]) {
    for (const body of [ORDER.body, ""]) {
      const order = { ...ORDER, target, body };
      const bodyHashHex = createHash("sha256").update(body).digest("hex");
      const text = canonicalRequest({ ...order, bodyHashHex });
      const { lines, signature } = await sign(order);
      assert.equal(lines.join("\n"), text);
      assert.equal(signature, signatureOf(text));
    }
  }
  assert.equal((await sign({ ...ORDER, secret: "" })).signature, "");
});

Deno.test("the curl command is quoted for a shell", () => {
  const command = curlOf(ORDER, headersOf(ORDER, "5d41"));
  assert.match(
    command,
    /^curl -X POST 'https:\/\/pay\.example\.com\/v1\/withdrawals\?a=1&b=%20' \\$/m,
  );
  assert.match(command, /-H 'X-CPG-Signature: 5d41' \\$/m);
  assert.ok(command.endsWith(`--data-binary '{"amount":"20","note":"it'\\''s ü"}'`));
  assert.doesNotMatch(curlOf({ ...ORDER, body: "" }, []), /data-binary/);
});

Deno.test("headers are found as in a log, a curl command, and JSON", () => {
  const wanted = { key: "cpg_1", timestamp: "17", signature: "ab" };
  for (
    const text of [
      "x-cpg-key: cpg_1\r\nx-cpg-timestamp: 17\r\nx-cpg-signature: ab\r\n",
      `curl -H 'X-CPG-Key: cpg_1' -H "X-CPG-Timestamp: 17" -H X-CPG-Signature:ab`,
      '{"X-CPG-Key": "cpg_1", "X-CPG-Timestamp":"17","X-CPG-Signature":"ab"}',
    ]
  ) {
    const { key, timestamp, signature } = readPasted(text);
    assert.deepEqual({ key, timestamp, signature }, wanted);
  }
  const { method, target } = readPasted("> GET https://pay.example.com/v1/balances?x=1 HTTP/1.1");
  assert.deepEqual([method, target], ["GET", "/v1/balances?x=1"]);
});

Deno.test("a request that is right has no fault", async () => {
  assert.deepEqual(await faultsOf(headersWith()), {});
  assert.deepEqual(await faultsOf(`${headersWith()}\n\n${LINES.join("\n")}`), {});
});

Deno.test("a wrong clock is pointed out, in which direction and how far", async () => {
  const at = (timestamp: string) => {
    const signature = signatureOf([timestamp, ...LINES.slice(1)].join("\n"));
    return faultsOf(headersWith({ "X-CPG-Timestamp": timestamp, "X-CPG-Signature": signature }));
  };
  assert.match((await at(String(NOW_S - 3600))).Timestamp!, /3600 seconds before/);
  assert.match((await at(String(NOW_S + 301))).Timestamp!, /301 seconds after/);
  assert.deepEqual(await at(String(NOW_S - 300)), {});
  assert.match((await at(`${NOW_S}000`)).Timestamp!, /milliseconds/);
  assert.match((await at("yesterday")).Timestamp!, /whole number/);
});

const WRONG_LINES = [
  ["Method", 1, "post", /isn't what you sent/],
  ["Path", 2, "/v1/withdrawal", /isn't what you sent/],
  ["Query", 3, "?a=1&b=%20", /isn't what you sent/],
  ["Body hash", 4, createHash("sha256").update("").digest("hex"), /hash of an empty body/],
  ["Body hash", 4, HASH.toUpperCase(), /lower case/],
  ["Body hash", 4, "0".repeat(64), /another body/],
] as const;

for (const [name, at, line, fault] of WRONG_LINES) {
  Deno.test(`five lines with a wrong ${name} are compared line by line: ${line.slice(0, 9)}`, async () => {
    const lines = LINES.with(at, line);
    const pasted = `${headersWith({ "X-CPG-Signature": signatureOf(lines.join("\n")) })}\n${
      lines.join("\n")
    }`;
    const faults = await faultsOf(pasted);
    assert.match(faults[name]!, fault);
    assert.deepEqual(Object.keys(faults), [name, "Signature"]);
  });
}

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");
const SPACED = '{"amount": "20", "note": "it\'s ü"}';
const RIGHT = LINES.join("\n");
const MISTAKES: readonly (readonly [fault: RegExp, text: string, secret?: Uint8Array | string])[] =
  [
    [/no query in line 4/, LINES.with(3, "").join("\n")],
    [/the question mark/, LINES.with(3, "?a=1&b=%20").join("\n")],
    [/the query still in line 3/, LINES.with(2, ORDER.target).with(3, "").join("\n")],
    [/the query in line 3 too/, LINES.with(2, ORDER.target).join("\n")],
    [/the query decoded/, LINES.with(3, "a=1&b= ").join("\n")],
    [/the server's address/, LINES.with(2, `${ORDER.url}/v1/withdrawals`).join("\n")],
    [/no slash at the beginning/, LINES.with(2, "v1/withdrawals").join("\n")],
    [/a slash at the end/, LINES.with(2, "/v1/withdrawals/").join("\n")],
    [/no \/v1/, LINES.with(2, "/withdrawals").join("\n")],
    [/lower case/, LINES.with(1, "post").join("\n")],
    [/the hash in capitals/, LINES.with(4, HASH.toUpperCase()).join("\n")],
    [/the body itself/, LINES.with(4, ORDER.body).join("\n")],
    [/nothing in line 5/, LINES.with(4, "").join("\n")],
    [/milliseconds/, LINES.with(0, `${NOW_S}000`).join("\n")],
    [/line feed at the end/, `${RIGHT}\n`],
    [/carriage returns/, LINES.join("\r\n")],
    [/nothing between the lines/, LINES.join("")],
    [/white space around the secret/, RIGHT, `${ORDER.secret}\n`],
    [/decoded from base64/, RIGHT, Buffer.from(ORDER.secret, "base64")],
    [/the hash of an empty body/, LINES.with(4, hashOf("")).join("\n")],
    [/other white space/, LINES.with(4, hashOf(SPACED)).join("\n")],
    [/another secret, or another text/, RIGHT, "other"],
  ];

for (const [fault, text, secret] of MISTAKES) {
  Deno.test(`headers alone show that a request was signed with ${fault.source}`, async () => {
    const pasted = headersWith({ "X-CPG-Signature": signatureOf(text, secret) });
    const faults = await faultsOf(pasted);
    assert.deepEqual(Object.keys(faults), ["Signature"]);
    assert.match(faults.Signature!, fault);
  });
}

Deno.test("headers alone show an empty query's lost line, and a secret decoded from hex", async () => {
  const order = { ...ORDER, target: "/v1/withdrawals", secret: "0af3" };
  const lines = LINES.with(3, "");
  const signed = (text: string, secret: string | Uint8Array) =>
    faultsOf(headersWith({ "X-CPG-Signature": signatureOf(text, secret) }), order);
  const lost = lines.filter((line) => line !== "").join("\n");
  assert.match((await signed(lost, order.secret)).Signature!, /aren't empty/);
  const bytes = Buffer.from(order.secret, "hex");
  assert.match((await signed(lines.join("\n"), bytes)).Signature!, /from hex/);
});

Deno.test("a signature in another form, another key and a missing secret are pointed out", async () => {
  const right = signatureOf(RIGHT);
  const form = (text: string) => faultsOf(headersWith({ "X-CPG-Signature": text }));
  assert.equal((await form(right.toUpperCase())).Signature, undefined, "the gateway takes it");
  assert.match((await form(Buffer.from(right, "hex").toString("base64"))).Signature!, /base64/);
  assert.match((await form(right.slice(1))).Signature!, /64 digits/);
  assert.match((await faultsOf(headersWith({ "X-CPG-Key": "cpg_other" }))).Key!, /another key/);
  const { Signature } = await faultsOf(headersWith(), { ...ORDER, secret: "" });
  assert.match(Signature!, /Type the secret/);
});
