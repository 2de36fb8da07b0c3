import assert from "node:assert/strict";
import { enable, makeNetwork } from "../../support/gateway.ts";
import { DEAD_NODE, makeClockedMerchant, startClockedGateway } from "../clocked_gateway.ts";
import { assertInvalid, assertNotAnObject } from "../withdrawals/refusals.ts";

const gateway = await startClockedGateway();
Deno.test.afterAll(() => gateway.stop());
await makeNetwork(gateway.deps, { rpcUrls: [DEAD_NODE] });
const { api, accountId } = await makeClockedMerchant(gateway);
await enable(gateway.deps, { accountId, network: "ETH", currency: "ETH" });

const POSTS = ["/v1/deposit-addresses", "/v1/withdrawals"];
const NO_OBJECTS: Record<string, string | Uint8Array<ArrayBuffer>> = {
  "nothing": "",
  "white space": " \n",
  "an array": "[]",
  "an array of objects": '[{"currency":"ETH","network":"ETH"}]',
  "null": "null",
  "true": "true",
  "a string": '"{}"',
  "a number": "7",
  "a number with an exponent": "1e5",
  "an unfinished object": '{"currency":"ETH"',
  "an object and more": "{}{}",
  "a trailing comma": '{"currency":"ETH",}',
  "single quotes": "{'currency':'ETH'}",
  "a comment": '{"currency":"ETH"/**/}',
  "NaN": '{"amount":NaN}',
  "a number with a plus sign": '{"amount":+1}',
  "a number that begins with a point": '{"amount":.5}',
  "a number with leading zeros": '{"amount":007}',
  "a hexadecimal number": '{"amount":0x10}',
  "form data": "currency=ETH&network=ETH",
  "bytes that are no UTF-8": new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
  "UTF-16": new Uint8Array([0x7b, 0, 0x7d, 0]),
};

for (const [what, body] of Object.entries(NO_OBJECTS)) {
  Deno.test(`contract 1: a body that is ${what} is 422 "Request body must be a JSON object"`, async () => {
    for (const target of POSTS) {
      assertNotAnObject(await api.send({ method: "POST", target, body }));
    }
  });
}

/** With a mark where reading it ends. */
const FAULTS = [
  "|",
  " \n|",
  "|[]",
  '{"currency":"ETH"|',
  '{"currency":"ETH",|}',
  '{"currency":"ETH"} \n |x',
  '{\n  "currency": |ETH\n}',
  '{"amount":0|07}',
  '{"amount": "1|',
  '{"ünïcode":"😀é","x":"a|\nb"}',
  '{"x":"a|\\q"}',
  '\ufeff{"x":|tru}',
];

Deno.test("a body that is no JSON object is refused with the place where it stops being one", async () => {
  for (const marked of FAULTS) {
    const [before = "", after = ""] = marked.split("|");
    const position = new TextEncoder().encode(before).length;
    const lines = before.split("\n");
    const column = [...lines.at(-1)!].length + 1;
    for (const target of [...POSTS, "/v1/invoices"]) {
      // An endpoint that needs no field takes an empty body.
      if (target === "/v1/invoices" && before + after === "") continue;
      const reply = await api.send({ method: "POST", target, body: before + after });
      assertNotAnObject(reply);
      assert.deepEqual(reply.body.error.details, { position, line: lines.length, column }, marked);
    }
  }
  for (const [bytes, position] of [[[0x7b, 0x22, 0xff, 0x22, 0x3a], 2], [[0x7b, 0xe2, 0x82], 1]]) {
    const body = new Uint8Array(bytes as number[]);
    const reply = await api.send({ method: "POST", target: POSTS[0]!, body });
    assert.equal(reply.body.error.details.position, position);
  }
});

Deno.test("contract 1: unknown fields in a body are ignored, with any name and depth", async () => {
  const unknown = [
    '"x":1',
    '"x":{"currency":"no"}',
    '"Currency":"no"',
    '"":""',
    '"__proto__":{"user_identifier":"x"}',
    '"constructor":{"prototype":{}}',
    '"toString":null',
    `"x":${"[".repeat(500)}${"]".repeat(500)}`,
    '"x":1e999',
    '"x":123456789012345678901234567890',
  ];
  for (const field of unknown) {
    const body = `{"currency":"ETH","network":"ETH",${field}}`;
    const reply = await api.post("/v1/deposit-addresses", body);
    assert.equal(reply.status, 200, `${field.slice(0, 60)}: ${JSON.stringify(reply.body)}`);
    assert.equal(reply.body.data.user_identifier, null);
  }
});

Deno.test("contract 1: 64 KiB of deepest nesting in an unknown field are ignored like any other", async () => {
  for (const [open, close] of [["[", "]"], ['{"a":', "}"]] as const) {
    const depth = Math.floor(64_000 / (open.length + close.length));
    const inner = `${open.repeat(depth)}1${close.repeat(depth)}`;
    const body = `{"currency":"ETH","network":"ETH","x":${inner}}`;
    assert.ok(body.length <= 64 * 1024);
    const reply = await api.post("/v1/deposit-addresses", body);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
  }
});

Deno.test("contract 1: optional fields given as null are absent, required ones are missing", async () => {
  const body = { currency: "ETH", network: "ETH", user_identifier: null, idempotency_key: null };
  const reply = await api.post("/v1/deposit-addresses", body);
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  assert.equal(reply.body.data.user_identifier, null);
  const again = await api.post("/v1/deposit-addresses", { ...body, x: 1 });
  assert.notEqual(again.body.data.request_id, reply.body.data.request_id);
  assertInvalid(await api.post("/v1/deposit-addresses", { currency: null, network: null }), [
    "currency",
    "network",
  ]);
});

Deno.test("spec 7: a field of the wrong type is 422 naming it", async () => {
  for (const wrong of [1, true, [], ["ETH"], {}, { value: "ETH" }]) {
    const body = {
      currency: wrong,
      network: wrong,
      user_identifier: wrong,
      idempotency_key: wrong,
    };
    assertInvalid(await api.post("/v1/deposit-addresses", body), Object.keys(body));
  }
  for (const wrong of [1, true, [], {}]) {
    const body = { currency: wrong, network: wrong, to_address: wrong, client_reference: wrong };
    assertInvalid(await api.post("/v1/withdrawals", { ...body, amount: "1" }), Object.keys(body));
  }
});

/** Four UTF-16 units or eight bytes a piece, one code point each. */
const WIDE = ["a", "é", "漢", "😀", "𝕏"];

interface Length {
  readonly target: string;
  readonly field: string;
  readonly min: number;
  readonly max: number;
}

const LENGTHS: readonly Length[] = [
  ...["currency", "network"].flatMap((field) =>
    POSTS.map((target) => ({ target, field, min: 1, max: 32 }))
  ),
  { target: "/v1/withdrawals", field: "to_address", min: 10, max: 256 },
  { target: "/v1/deposit-addresses", field: "user_identifier", min: 0, max: 256 },
  { target: "/v1/deposit-addresses", field: "idempotency_key", min: 0, max: 128 },
  { target: "/v1/withdrawals", field: "client_reference", min: 0, max: 128 },
];

for (const { target, field, min, max } of LENGTHS) {
  Deno.test(`spec 8, contract 1: ${field} of POST ${target} has ${min} to ${max} code points`, async () => {
    const send = (value: string) =>
      api.post(target, {
        currency: "ETH",
        network: "nowhere",
        to_address: `0x${"1".repeat(40)}`,
        amount: "1",
        [field]: value,
      });
    for (const character of WIDE) {
      for (const length of [min, max].filter((n) => n > 0)) {
        const { status } = await send(character.repeat(length));
        assert.equal(status, 404, `${length} times ${character}`);
      }
      assertInvalid(await send(character.repeat(max + 1)), [field]);
      if (min > 1) assertInvalid(await send(character.repeat(min - 1)), [field]);
    }
    if (min > 0) assertInvalid(await send(""), [field]);
    else assert.equal((await send("")).status, 404);
  });
}
