import assert from "node:assert/strict";
import { adjustBalance, createAccount } from "../../../src/accounts/manage_accounts.ts";
import { raiseAlert } from "../../../src/books/alerts.ts";
import { setCurrency } from "../../../src/networks/currencies.ts";
import { setNetwork } from "../../../src/networks/set.ts";
import { addWebhook } from "../../../src/webhooks/add.ts";
import { signIn } from "../../../src/access/sign_in.ts";
import { createApiKey } from "../../../src/access/manage_api_keys.ts";
import { mayUse } from "../../../src/dashboard/routes.ts";
import { ROUTES } from "../../../src/dashboard/pages.ts";
import type { PageRoute } from "../../../src/dashboard/routes.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { startBrowser } from "../../support/dashboard/browser.ts";
import { makeLogin, makeUser, openAs, PASSWORD } from "../../support/dashboard/dashboard.ts";
import { startPayingWorld } from "../../support/payouts.ts";
import type { World } from "../../support/world.ts";
import { livedIn } from "../lived_in.ts";
import { filled, lasting } from "./route_paths.ts";

const SCRIPT =
  `<script>document.documentElement.id="taken"</script><img src=x onerror="document.documentElement.id='taken'">`;

/** Traces of the script, and elements that none of our pages contains. */
const STRANGE = `[...document.querySelectorAll("#taken, img:not(.qr), script:not([src])")]
  .map((it) => it.outerHTML)`;

Deno.test("a script in every free text is text on every page of both roles", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await using browser = await startBrowser();
  const { deps, url, merchant: { accountId, api } } = world;
  await livedIn(world);
  await writeScripts(world);
  const asset = { network: "ETH", currency: "ETH" };
  const body = { ...asset, to_address: `0x${"11".repeat(20)}`, amount: "1" };
  const paid = await api.post("/v1/withdrawals", { ...body, client_reference: SCRIPT });
  assert.equal(paid.status, 200);
  await api.post("/v1/deposit-addresses", { ...asset, user_identifier: SCRIPT });
  const withdrawal = String(paid.body.data.withdrawal_id);
  const query = new URLSearchParams({ q: SCRIPT, actor: SCRIPT, subject: SCRIPT, webhook: SCRIPT });
  let shown = 0;
  const logins = [await makeLogin(deps), await makeLogin(deps, { accountId })];
  await Promise.all(logins.map(async (login) => {
    const page = await openAs(browser, { url, login });
    const headers = { cookie: `cpg=${login.token}` };
    const seen = new Set<string>();
    for (const route of ROUTES.filter((it): it is PageRoute => it.kind === "page")) {
      if (!mayUse(login.user.role, route)) continue;
      const id = route.path.startsWith("/withdrawals") ? withdrawal : "1";
      const ids = { id, code: "ETH", network: "ETH", symbol: "ETH", event: "1" };
      for (const asked of ["", `?${query}`, `?account=${accountId}`]) {
        const path = filled(route, ids) + asked;
        const answer = await fetch(`${url}/dashboard${path}`, { headers });
        assert.ok([200, 404].includes(answer.status), `${answer.status} ${path}`);
        const text = await answer.text();
        if (/&lt;script(>|&gt;)/.test(text)) shown++;
        // Many pages ignore the query, so the browser has already seen this one.
        if (seen.has(lasting(text))) continue;
        seen.add(lasting(text));
        await page.goto(`${url}/dashboard${path}`);
        assert.deepEqual(await page.evaluate(STRANGE), [], path);
      }
    }
  }));
  assert.ok(shown >= 30, `${shown} pages show it`);
});

/** Into every free text field. */
async function writeScripts({ deps, merchant: { accountId } }: World): Promise<void> {
  const actor = "test";
  await createAccount(deps, { name: SCRIPT, actor });
  const key = { accountId, label: SCRIPT, permissions: [], ipList: [], rateLimit: 1, actor };
  await createApiKey(deps, key);
  const asset = { accountId, network: "ETH", currency: "ETH" };
  await adjustBalance(deps, { ...asset, amount: "1", note: SCRIPT, actor });
  await setNetwork(deps, { code: "ETH", change: { name: SCRIPT }, actor });
  const change = { name: SCRIPT };
  await setCurrency(deps, { network: "ETH", symbol: "ETH", change, actor });
  const url = `https://shop.example.com/${SCRIPT.replace(/\s/g, "")}`;
  await addWebhook(deps, { accountId, url, eventTypes: null, actor });
  await raiseAlert(deps, { kind: "deposit_surplus", subject: SCRIPT, message: SCRIPT });
  const email = `${SCRIPT.replace(/\s/g, "")}@x`;
  const user = await makeUser(deps, { email, role: "operator", accountId: null, actor });
  const origin = { ip: "192.0.2.1", userAgent: SCRIPT };
  const signed = await signIn(deps, { email: user.email, password: PASSWORD, origin });
  assert.equal(signed.outcome, "open");
}
