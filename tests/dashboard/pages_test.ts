import assert from "node:assert/strict";
import { raiseAlert } from "../../src/actions/_alerts.ts";
import { ROUTES } from "../../src/dashboard/pages.ts";
import type { PageRoute } from "../../src/dashboard/routes.ts";
import { startAnvil } from "../support/anvil.ts";
import { assertAccessible, assertFits, keepScreenshot, startBrowser } from "../support/browser.ts";
import { type Login, makeLogin, openAs } from "../support/dashboard.ts";
import { settleAll, startPayingWorld } from "../support/payouts.ts";
import type { World } from "../support/world.ts";

const OUTSIDE = "0x52908400098527886E0F7030069857D2E4169EE7";

/** Something of everything: deposits, withdrawals in several states, an alert. */
async function livedIn(world: World): Promise<void> {
  const { deps, merchant: { api }, anvil } = world;
  const body = { network: "ETH", currency: "ETH", to_address: OUTSIDE, amount: "1.25" };
  const allocated = await api.post("/v1/deposit-addresses", {
    network: "ETH",
    currency: "ETH",
    user_identifier: "alice",
  });
  const { address } = allocated.body.data as { address: string };
  await anvil.rpc("eth_sendTransaction", [{
    from: (await anvil.rpc("eth_accounts", []) as string[])[0],
    to: address,
    value: "0xde0b6b3a7640000",
  }]);
  await api.post("/v1/withdrawals", { ...body, client_reference: "first" });
  await settleAll(world);
  await settleAll(world);
  await api.post("/v1/withdrawals", { ...body, client_reference: "second" });
  await raiseAlert(deps, {
    kind: "deposit_surplus",
    subject: `ETH/ETH ${address}`,
    message: `${address} holds 1 ETH that no transaction tells of`,
  });
}

/** Every page that the role has, by the table that serves them. */
function pathsOf(login: Login, ids: Readonly<Record<string, string>>): string[] {
  return ROUTES
    .filter((route): route is PageRoute => route.kind === "page")
    .filter(({ roles }) => !roles || roles.includes(login.user.role))
    .map(({ path }) =>
      path.replace(/:(\w+)(\{[^}]*\})?/g, (_, name) => {
        const first = path.split("/")[1]!;
        return ids[`${first}.${name}`] ?? assert.fail(`No ${name} for ${path}`);
      })
    );
}

Deno.test("every page of both roles is accessible, fits a phone, and shows no fault", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await using browser = await startBrowser();
  await livedIn(world);
  const { deps, url, merchant: { accountId } } = world;
  const ids = {
    "withdrawals.id": "1",
    "accounts.id": String(accountId),
    "networks.code": "ETH",
    "users.id": "1",
    "keys.id": "",
  };
  for (const login of [await makeLogin(deps), await makeLogin(deps, { accountId })]) {
    const looks = { wide: {}, phone: { isPhone: true, isDark: true } };
    for (const [look, options] of Object.entries(looks)) {
      const page = await openAs(browser, { url, login, ...options });
      const faults: string[] = [];
      page.on("pageerror", (error) => faults.push(String(error)));
      page.on("console", (line) => line.type() === "error" && faults.push(line.text()));
      for (const path of pathsOf(login, ids)) {
        const answer = await page.goto(`${url}/dashboard${path}`);
        assert.equal(answer?.status(), 200, path);
        assert.equal(
          new URL(page.url()).pathname.replace(/\/$/, ""),
          `/dashboard${path}`.replace(/\/$/, ""),
        );
        await assertAccessible(page);
        await assertFits(page);
        const name = path.replaceAll("/", "-").replace(/^-/, "") || "overview";
        await keepScreenshot(page, `${login.user.role}-${name}-${look}`);
      }
      assert.deepEqual(faults, []);
    }
  }
});
