import assert from "node:assert/strict";
import { prune } from "../../../src/upkeep/prune.ts";
import { UsedSignatures } from "../../../src/store/tables/signatures.ts";
import { type SignedCall, signedHeaders } from "../../support/api_client.ts";
import { enable, makeNetwork } from "../../support/gateway.ts";
import {
  DEAD_NODE,
  makeClockedMerchant,
  startClockedGateway,
  timestampOf,
} from "../clocked_gateway.ts";
import { rawRequest } from "../requests/raw_request.ts";
import { assertInvalid, assertRefused, type RefusalCode } from "../withdrawals/refusals.ts";

const gateway = await startClockedGateway();
Deno.test.afterAll(() => gateway.stop());
const { deps, clock } = gateway;
await makeNetwork(deps, { rpcUrls: [DEAD_NODE] });

async function makeEnabled() {
  const merchant = await makeClockedMerchant(gateway);
  await enable(deps, { accountId: merchant.accountId, network: "ETH", currency: "ETH" });
  return merchant;
}

function allocation(timestamp: string): SignedCall {
  const body = JSON.stringify({ currency: "ETH", network: "ETH" });
  return { method: "POST", target: "/v1/deposit-addresses", body, timestamp };
}

for (const offsetS of [-300, -1, 0, 1, 300]) {
  Deno.test(`contract 1: a copy of a write signed ${offsetS} s from server time is refused, after clean-up too`, async () => {
    const { api } = await makeEnabled();
    const call = allocation(timestampOf(clock, { offsetS }));
    assert.equal((await api.send(call)).status, 200);
    const copy = async () => {
      await prune(deps);
      return await api.send(call);
    };
    assertRefused(await copy(), "replayed_request");
    clock.advance((300 + offsetS) * 1000);
    assertRefused(await copy(), "replayed_request");
    clock.advance(999);
    const { status } = await copy();
    assert.equal(status, 401);
    clock.advance(1);
    assertRefused(await copy(), "timestamp_out_of_window");
  });
}

Deno.test("a copy is refused after the clock ran ahead, the clean-up ran and the clock was corrected", async () => {
  const { api } = await makeEnabled();
  const call = allocation(timestampOf(clock));
  assert.equal((await api.send(call)).status, 200);
  clock.advance(3_600_000);
  await prune(deps);
  clock.advance(-3_600_000);
  assertRefused(await api.send(call), "replayed_request");
});

Deno.test("signatures are deleted a day after they expired", async () => {
  const { api } = await makeEnabled();
  assert.equal((await api.send(allocation(timestampOf(clock)))).status, 200);
  clock.advance(24 * 3_600_000 + 700_000);
  await prune(deps);
  assert.deepEqual(await deps.db.rows(UsedSignatures, ""), []);
});

Deno.test("the database has no signature that a reader of it could send again", async () => {
  const { api, credentials } = await makeEnabled();
  const call = allocation(timestampOf(clock));
  const signature = signedHeaders(credentials, call)["X-CPG-Signature"]!;
  assert.equal((await api.send(call)).status, 200);
  const rows = await deps.db.rows(UsedSignatures, "");
  assert.ok(rows.length > 0);
  assert.ok(rows.every((row) => row.signature !== signature));
});

Deno.test("a copy of a write that an earlier version accepted is refused", async () => {
  const { api, credentials } = await makeEnabled();
  const call = allocation(timestampOf(clock));
  const signature = signedHeaders(credentials, call)["X-CPG-Signature"]!;
  const sql = "INSERT INTO used_signatures (signature, expires_at_ms) VALUES (?, ?)";
  const update = new URL("../../../migrations/0028_half_signatures.sql", import.meta.url);
  await deps.db.execute([
    { sql, args: [signature, clock.nowMs() + 300_000] },
    { sql: await Deno.readTextFile(update) },
  ]);
  assertRefused(await api.send(call), "replayed_request");
});

Deno.test("contract 1: a copy whose signature has other capitals is a copy", async () => {
  const { api, credentials } = await makeEnabled();
  const call = allocation(timestampOf(clock));
  const signature = signedHeaders(credentials, call)["X-CPG-Signature"]!;
  const spelt = (text: string) => api.send({ ...call, headers: { "X-CPG-Signature": text } });
  assert.equal((await spelt(signature.toUpperCase())).status, 200);
  assertRefused(await spelt(signature), "replayed_request");
  assertRefused(await spelt(signature.toUpperCase()), "replayed_request");
});

Deno.test("contract 1: a copy with other unsigned headers is a copy", async () => {
  const { credentials } = await makeEnabled();
  const { method, target, body, ...call } = allocation(timestampOf(clock));
  const signed = Object.entries(
    signedHeaders(credentials, { method, target, body: body!, ...call }),
  );
  const length = ["Content-Length", String(body!.length)] as const;
  const send = (extra: readonly (readonly [string, string])[]) => {
    const headers = [...signed, length, ...extra];
    return rawRequest(gateway.url, { method, target, headers, body: body! });
  };
  assert.equal((await send([])).status, 200);
  for (const extra of [["Content-Type", "text/plain"], ["Host", "other"], ["X-Request-Id", "1"]]) {
    assertRefused(await send([[extra[0]!, extra[1]!]]), "replayed_request");
  }
});

Deno.test("contract 1: two keys may sign the same write in the same second", async () => {
  const [one, two] = [await makeEnabled(), await makeEnabled()];
  const call = allocation(timestampOf(clock));
  assert.equal((await one.api.send(call)).status, 200);
  assert.equal((await two.api.send(call)).status, 200);
});

const ORDER = { currency: "ETH", network: "ETH", to_address: `0x${"1".repeat(40)}`, amount: "1" };

/** Requests with a reference that each endpoint refuses, and the code. */
const REFUSED: readonly (readonly [RefusalCode, target: string, change: object])[] = [
  ["network_not_found", "/v1/withdrawals", { network: "NONE" }],
  ["currency_not_found", "/v1/withdrawals", { currency: "NONE" }],
  ["invalid_address", "/v1/withdrawals", { to_address: "0xnoaddress" }],
  ["amount_below_minimum", "/v1/withdrawals", { amount: "0" }],
  ["insufficient_balance", "/v1/withdrawals", {}],
  ["network_not_found", "/v1/deposit-addresses", { network: "NONE" }],
  ["currency_not_found", "/v1/deposit-addresses", { currency: "NONE" }],
];

for (const [code, target, change] of REFUSED) {
  Deno.test(`contract 1: a copy of a POST ${target} refused with ${code} is refused as a copy`, async () => {
    const { api } = await makeEnabled();
    for (const reference of [{}, { client_reference: "r", idempotency_key: "r" }]) {
      const body = JSON.stringify({ ...ORDER, ...change, ...reference });
      const call = { method: "POST", target, body, timestamp: timestampOf(clock) };
      assertRefused(await api.send(call), code);
      assertRefused(await api.send(call), "replayed_request");
    }
  });
}

Deno.test("a malformed write uses up no signature: no copy of it can ever be executed", async () => {
  const { api } = await makeEnabled();
  const before = (await deps.db.rows(UsedSignatures, "")).length;
  const body = JSON.stringify({ ...ORDER, amount: "-1", client_reference: "r" });
  const call = { method: "POST", target: "/v1/withdrawals", body, timestamp: timestampOf(clock) };
  for (const _ of [1, 2]) assertInvalid(await api.send(call), ["amount"]);
  assert.equal((await deps.db.rows(UsedSignatures, "")).length, before);
});
