import assert from "node:assert/strict";
import { csvRows } from "../../../src/base/csv_rows.ts";
import { signedHeaders } from "../../support/api_client.ts";
import { enable, makeNetwork } from "../../support/gateway.ts";
import {
  DEAD_NODE,
  makeClockedMerchant,
  startClockedGateway,
  timestampOf,
} from "../clocked_gateway.ts";

const gateway = await startClockedGateway();
Deno.test.afterAll(() => gateway.stop());

Deno.test("a CSV of invoices has their methods, payments and metadata as JSON, each in its column", async () => {
  const { deps } = gateway;
  await makeNetwork(deps, { rpcUrls: [DEAD_NODE] });
  const { accountId, api, credentials } = await makeClockedMerchant(gateway);
  await enable(deps, { accountId, network: "ETH", currency: "ETH" });
  const asset = { network: "ETH", currency: "ETH" };
  const metadata = { order: "7, or 8" };
  const order = { amount: "0.01", currency: "ETH", method: asset, metadata };
  const { body: { data } } = await api.post("/v1/invoices", order);
  const [target, timestamp] = ["/v1/invoices", timestampOf(gateway.clock)];
  const signed = signedHeaders(credentials, { method: "GET", target, timestamp });
  const reply = await fetch(gateway.url + target, { headers: { ...signed, accept: "text/csv" } });
  const [head, line] = csvRows(await reply.text()).map(({ cells }) => cells);
  const cells = Object.fromEntries(head!.map((name, i) => [name, line![i]]));
  assert.equal(line!.length, head!.length);
  assert.deepEqual(JSON.parse(cells.methods!), data.methods);
  assert.deepEqual(JSON.parse(cells.payments!), []);
  assert.deepEqual(JSON.parse(cells.metadata!), metadata);
  assert.deepEqual([cells.amount, cells.created_at], ["0.01", data.created_at]);
});
