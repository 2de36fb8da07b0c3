import assert from "node:assert/strict";
import { csrfOf } from "../../../src/dashboard/cookies.ts";
import { ROUTES } from "../../../src/dashboard/pages.ts";
import { dashboardFetch, makeLogin } from "../../support/dashboard/dashboard.ts";
import { enable, makeMerchant, makeNetwork, startGateway } from "../../support/gateway.ts";

const FORMS = ROUTES.filter(({ kind }) => kind === "act").map(({ path }) => path);

Deno.test("every form sent without its fields says what is missing, and is no fault", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps, url } = gateway;
  await makeNetwork(deps, { rpcUrls: ["http://127.0.0.1:9"] });
  const { accountId } = await makeMerchant(gateway);
  await enable(deps, { accountId, network: "ETH", currency: "ETH" });
  for (const [i, path] of FORMS.entries()) {
    for (const account of [null, accountId]) {
      const email = `${i}-${account}@example.com`;
      const { token } = await makeLogin(deps, { accountId: account, email });
      const filled = path.replace(/:(\w+)(\{[^}]*\})?/g, (_, name) => name === "id" ? "1" : "ETH");
      const reply = await dashboardFetch(url, {
        path: filled,
        token,
        form: { csrf: csrfOf(token) },
      });
      await reply.body?.cancel();
      assert.ok(reply.status < 500, `${path} by ${account ?? "an operator"}: ${reply.status}`);
    }
  }
});
