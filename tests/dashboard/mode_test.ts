import assert from "node:assert/strict";
import { serve } from "../../src/app/serve.ts";
import { makePlace } from "../support/database/database.ts";
import { dashboardFetch, makeLogin } from "../support/dashboard/dashboard.ts";
import { makeNetwork, testConfig } from "../support/gateway.ts";

const PARTS = { demo: { demoWallet: { pay: () => Promise.resolve() } }, own: {} };

/** On a local chain, of which nobody could tell whose it is. */
async function badgeOf(program: keyof typeof PARTS): Promise<string | undefined> {
  const place = await makePlace({ isMigrated: true });
  const env = { ...place.env, CPG_PORT: "0", CPG_LOG_LEVEL: "silent", CPG_WORKER: "false" };
  const serving = await serve({ ...testConfig(env), ...PARTS[program] });
  try {
    const { url, gateway: { deps } } = serving;
    await makeNetwork(deps, { rpcUrls: ["http://127.0.0.1:9"] });
    const { token } = await makeLogin(deps);
    const html = await (await dashboardFetch(url, { path: "/accounts", token })).text();
    return /class="mode[^>]*>([^<]+)</.exec(html)?.[1];
  } finally {
    await serving.stop();
    await place.remove();
  }
}

Deno.test("only the demo's own program says that it is a demo", async () => {
  assert.deepEqual([await badgeOf("demo"), await badgeOf("own")], ["Demo (test)", "Test"]);
});
