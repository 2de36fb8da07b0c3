import assert from "node:assert/strict";
import { ENDPOINTS } from "../../../src/http/endpoints.ts";
import { PERMISSIONS } from "../../../src/access/rules/permissions.ts";
import { makeClockedMerchant, startClockedGateway } from "../clocked_gateway.ts";
import { assertInvalid, assertRefused } from "../withdrawals/refusals.ts";
import { makeNetworks } from "./books.ts";

const gateway = await startClockedGateway();
Deno.test.afterAll(() => gateway.stop());
await makeNetworks(gateway.deps);
const { api } = await makeClockedMerchant(gateway);
const LISTS = ENDPOINTS.filter(({ hasCsv }) => hasCsv);

const ADDRESSES = ["", "x", "0x1", `0x${"g".repeat(40)}`, "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u"];
const TIMES = [
  "",
  "now",
  "1767225600",
  "2026",
  "2026-01",
  "2026-1-1",
  "2026-02-30",
  "2026-13-01",
  "2026-01-01T00:00:00",
  "2026-01-01T24:00:00Z",
  "2026-01-01T00:60Z",
  "2026-01-01T00:00:60Z",
  "2026-01-01 00:00:00Z",
  "2026-01-01T00:00:00+24:00",
  "2026-01-01T00:00:00+1",
  "2026-01-01Z",
  "2026-01-01T00Z",
];
const BAD: Readonly<Record<string, readonly string[]>> = {
  status: ["", "x", "CONFIRMED", "confirmed,failed"],
  kind: ["", "x", "Credit"],
  address: ADDRESSES,
  to_address: ADDRESSES,
  tx_hash: ["", "x", "0x12", "z".repeat(64), `0x${"a".repeat(63)}`, `0x0x${"a".repeat(62)}`],
  user_identifier: ["u".repeat(257), "\0"],
  client_reference: ["u".repeat(129), "\0"],
  reference: ["u".repeat(129), "\0"],
  customer: ["u".repeat(257), "\0"],
  from: TIMES,
  until: TIMES,
  cursor: ["", "x", "1.5", "1e3", "null"],
  invoice_id: ["", "x", "-1", "1.5", "1e3"],
  limit: ["", "0", "201", "-1", "1.5", "x", "0x10"],
};
/** Codes are never wrong; unknown ones match nothing. */
const CODES = ["network", "currency"];

for (const { path, query, permission } of LISTS) {
  const names = Object.keys(query!.shape);

  Deno.test(`${path}: a wrong value of each parameter is a 422 that names it`, async () => {
    for (const name of names.filter((one) => !CODES.includes(one))) {
      for (const value of BAD[name]!) {
        const reply = await api.get(`${path}?${new URLSearchParams({ [name]: value })}`);
        assertInvalid(reply, [name]);
      }
    }
  });

  Deno.test(`${path}: each parameter may be given once only`, async () => {
    for (const name of names) {
      assertInvalid(await api.get(`${path}?${name}=2026-01-01&${name}=2026-01-01`), [
        name,
      ]);
    }
  });

  Deno.test(`${path}: a misspelt parameter is a 422 that says what was meant`, async () => {
    for (const name of names) {
      const misspelt = `${name.slice(0, 2)}${name.slice(3)}`;
      const reply = await api.get(`${path}?${misspelt}=1&limit=5&nonce=x`);
      if (name === "limit") continue;
      assertInvalid(reply, [misspelt]);
      const [{ message }] = reply.body.error.fields;
      assert.equal(message, `Unknown parameter; did you mean ${name}?`);
    }
    assertInvalid(await api.get(`${path}?direction_of_travel=1`), ["direction_of_travel"]);
  });

  Deno.test(`${path}: unknown codes match nothing, if it has any`, async () => {
    const hasCodes = names.includes("network");
    for (const query of hasCodes ? ["network=DOGE", "currency=", "network=ETH&currency=TRX"] : []) {
      const { status, body } = await api.get(`${path}?${query}`);
      assert.deepEqual([status, body.data, body.has_more], [200, [], false]);
    }
  });

  Deno.test(`${path}: without ${permission} a key gets 403, also for bad input and CSV`, async () => {
    const permissions = PERMISSIONS.filter((name) => name !== permission);
    const weak = await makeClockedMerchant(gateway, { permissions });
    const message = `Missing permission: ${permission}`;
    assertRefused(await weak.api.get(path), "permission_denied", message);
    assertRefused(await weak.api.get(`${path}?x=1`), "permission_denied", message);
    const call = { method: "GET", target: path, headers: { accept: "text/csv" } };
    assertRefused(await weak.api.send(call), "permission_denied", message);
    const enough = await makeClockedMerchant(gateway, { permissions: [permission] });
    assert.equal((await enough.api.get(path)).status, 200);
  });
}

Deno.test("there are lists", () => assert.ok(LISTS.length >= 4));
