import assert from "node:assert/strict";
import { createGatewayMetrics } from "../../../src/upkeep/metrics.ts";
import { readConfig } from "../../../src/app/config/config.ts";
import { createApp } from "../../../src/http/app.ts";
import { startGateway } from "../../support/gateway.ts";
import { startClockedGateway } from "../clocked_gateway.ts";

const TOKEN = "opens-the-amounts-of-all";
const WALLET = "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed";
const gateway = await startClockedGateway();
Deno.test.afterAll(() => gateway.stop());

async function scrape(
  { metricsToken, authorization }: { metricsToken?: string; authorization?: string },
): Promise<{ status: number; text: string }> {
  const metrics = createGatewayMetrics();
  const labels = { network: "ETH", account: "4711", address: WALLET, currency: "ETH" };
  metrics.gauge("cpg_hot_wallet_balance", 98.7654, labels);
  const { deps } = gateway;
  const app = createApp({ ...readConfig({}), deps, metrics, metricsToken });
  const request = new Request("http://x/metrics", {
    headers: { host: "x", ...(authorization === undefined ? {} : { authorization }) },
  });
  const reply = await app.fetch(request, { remoteIp: "127.0.0.1" });
  return { status: reply.status, text: await reply.text() };
}

for (const metricsToken of [undefined, TOKEN]) {
  const how = metricsToken ? "with CPG_METRICS_TOKEN set" : "without CPG_METRICS_TOKEN";
  Deno.test(`${how} nobody without the token sees an account, a wallet or an amount`, async () => {
    const { status, text } = await scrape({ ...(metricsToken && { metricsToken }) });
    assert.equal(status, 200);
    for (const secret of ["4711", WALLET, "98.7654", "cpg_hot_wallet"]) {
      assert.equal(text.includes(secret), false, secret);
    }
    assert.match(text, /^cpg_write_queue_depth 0$/m);
  });

  Deno.test(`${how} a wrong one is 401`, async () => {
    const wrong = [
      `Bearer ${TOKEN}x`,
      "Bearer",
      "",
      `Basic ${TOKEN}`,
      `bearer ${TOKEN}`,
      "Bearer é",
    ]
      .concat(metricsToken ? [] : [`Bearer ${TOKEN}`, "Bearer undefined", "Bearer "]);
    for (const authorization of wrong) {
      const { status, text } = await scrape({
        authorization,
        ...(metricsToken && { metricsToken }),
      });
      assert.equal(status, 401, authorization);
      assert.equal(JSON.parse(text).message, "Invalid token");
    }
  });
}

Deno.test("the token shows everything, and is in no log", async () => {
  const { status, text } = await scrape({ metricsToken: TOKEN, authorization: `Bearer ${TOKEN}` });
  assert.equal(status, 200);
  assert.ok(text.includes(`account="4711",address="${WALLET}",currency="ETH"} 98.7654`));
  assert.equal(gateway.logged.join("").includes(TOKEN), false);
});

Deno.test("a served gateway takes its token from CPG_METRICS_TOKEN", async () => {
  await using served = await startGateway({ CPG_WORKER: "false", CPG_METRICS_TOKEN: TOKEN });
  const ask = async (headers: HeadersInit) => {
    const reply = await fetch(`${served.url}/metrics`, { headers });
    return {
      status: reply.status,
      isWhole: (await reply.text()).includes("cpg_hot_wallet_balance"),
    };
  };
  assert.deepEqual(await ask({}), { status: 200, isWhole: false });
  const authorization = `Bearer ${TOKEN}`;
  assert.deepEqual(await ask({ authorization }), { status: 200, isWhole: true });
});
