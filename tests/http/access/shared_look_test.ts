import assert from "node:assert/strict";
import { createGatewayMetrics } from "../../../src/upkeep/metrics.ts";
import { createApp } from "../../../src/http/app.ts";
import { signedHeaders } from "../../support/api_client.ts";
import { makeClockedMerchant, startClockedGateway, timestampOf } from "../clocked_gateway.ts";

Deno.test("requests that arrive together open their API key once", async () => {
  await using gateway = await startClockedGateway();
  const { credentials } = await makeClockedMerchant(gateway);
  const { deps: { vault, ...others }, clock } = gateway;
  let opened = 0;
  const open = (sealed: string, context: string) => (opened++, vault.open(sealed, context));
  const app = createApp({
    deps: { ...others, vault: { ...vault, open } },
    metrics: createGatewayMetrics(),
    trustedProxies: [],
    authFailuresPerMinute: 60,
    bodyTimeoutMs: 60_000,
  });
  const target = "/v1/_ping";
  const headers = signedHeaders(credentials, {
    method: "GET",
    target,
    timestamp: timestampOf(clock),
  });
  const ping = () =>
    app.fetch(new Request(`http://gateway${target}`, { headers }), { remoteIp: "127.0.0.1" });
  const answers = await Promise.all(Array.from({ length: 10 }, ping));
  assert.deepEqual(answers.map(({ status }) => status), new Array(10).fill(200));
  assert.equal(opened, 1);
});
