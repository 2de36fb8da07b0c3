import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  canonicalRequest,
  isTimely,
  TIMESTAMP_TOLERANCE_S,
} from "../../src/domain/canonical_request.ts";

const EMPTY_HASH = createHash("sha256").update("").digest("hex");

const makeRequest = (method: string, target: string, body = "") => ({
  timestamp: "1767225600",
  method,
  target,
  bodyHashHex: createHash("sha256").update(body).digest("hex"),
});

Deno.test("spec 5.2: five fields are joined by single newlines with none at the end", () => {
  const body = '{"amount":"1"}';
  const text = canonicalRequest(makeRequest("POST", "/v1/withdrawals", body));
  assert.equal(
    text,
    `1767225600\nPOST\n/v1/withdrawals\n\n${createHash("sha256").update(body).digest("hex")}`,
  );
  assert.equal(text.split("\n").length, 5);
});

Deno.test("spec 5.2: a GET without a query keeps the empty field and the hash of no bytes", () => {
  assert.equal(
    canonicalRequest(makeRequest("GET", "/v1/_ping")),
    `1767225600\nGET\n/v1/_ping\n\n${EMPTY_HASH}`,
  );
  assert.equal(EMPTY_HASH, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
});

const TARGETS: readonly (readonly [what: string, target: string, path: string, query: string])[] = [
  [
    "a query",
    "/v1/balances?currency=USDT&network=ETH",
    "/v1/balances",
    "currency=USDT&network=ETH",
  ],
  ["a query in another order", "/v1/balances?b=1&a=2", "/v1/balances", "b=1&a=2"],
  ["a lone question mark", "/v1/balances?", "/v1/balances", ""],
  ["a second question mark", "/v1/balances?a=1?b=2", "/v1/balances", "a=1?b=2"],
  ["two question marks at once", "/v1/balances??a=1", "/v1/balances", "?a=1"],
  ["escapes of either case", "/v1/b%61l?x=%2f%2F+%20", "/v1/b%61l", "x=%2f%2F+%20"],
  ["dots and double slashes", "/v1/../v1//balances?x=/./", "/v1/../v1//balances", "x=/./"],
  ["repeated and empty parameters", "/v1/t?a&a=&&=b", "/v1/t", "a&a=&&=b"],
];

for (const [what, target, path, query] of TARGETS) {
  Deno.test(`contract 1: a target with ${what} is signed byte for byte`, () => {
    const [, method, signedPath, signedQuery] = canonicalRequest(makeRequest("GET", target))
      .split("\n");
    assert.deepEqual([method, signedPath, signedQuery], ["GET", path, query]);
  });
}

const NOW_S = 1_767_225_600;

const TIMES: readonly (readonly [offset: number, isAccepted: boolean])[] = [
  [0, true],
  [-300, true],
  [300, true],
  [-301, false],
  [301, false],
];

for (const [offset, isAccepted] of TIMES) {
  const outcome = isAccepted ? "is timely" : "is outside the window";
  Deno.test(`spec 5.2: a timestamp ${offset} seconds from the server's time ${outcome}`, () => {
    assert.equal(isTimely(String(NOW_S + offset), NOW_S * 1000), isAccepted);
  });
}

Deno.test("contract 1: what isn't a plain integer is never timely", () => {
  const forms = [`${NOW_S}.0`, `${NOW_S}.5`, ` ${NOW_S}`, `${NOW_S} `, `+${NOW_S}`, `-${NOW_S}`];
  for (const text of [...forms, "", "NaN", "1.7672256e9", `0x${NOW_S.toString(16)}`, "١٧٦٧"]) {
    assert.equal(isTimely(text, NOW_S * 1000), false, JSON.stringify(text));
  }
  assert.equal(isTimely(`${NOW_S}000`, NOW_S * 1000), false);
  assert.equal(isTimely("9".repeat(400), NOW_S * 1000), false);
});

Deno.test("signatures are remembered for as long as the spec's window", () => {
  assert.equal(TIMESTAMP_TOLERANCE_S, 300);
});
