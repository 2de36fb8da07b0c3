import assert from "node:assert/strict";
import type { Deps } from "../../../src/deps/deps.ts";
import { createUser } from "../../../src/access/manage_users.ts";
import { mayUse } from "../../../src/dashboard/routes.ts";
import { csrfOf } from "../../../src/dashboard/cookies.ts";
import { LIVE_PATH } from "../../../src/dashboard/live.ts";
import { ROUTES } from "../../../src/dashboard/pages.ts";
import type { Route } from "../../../src/dashboard/routes.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { dashboardFetch, makeLogin } from "../../support/dashboard/dashboard.ts";
import { startPayingWorld } from "../../support/payouts.ts";
import { doingOf, makeScene } from "../doings.ts";
import { livedIn } from "../lived_in.ts";

const isForMerchants = (route: Route) => mayUse("merchant", route);

async function startTwoMerchants() {
  const anvil = await startAnvil();
  const world = await startPayingWorld({ anvil });
  await livedIn(world);
  const { accountId: mine } = await world.addMerchant("Mine");
  const { token } = await makeLogin(world.deps, { accountId: mine });
  return {
    ...{ world, token, url: world.url, deps: world.deps, theirs: world.merchant.accountId },
    [Symbol.asyncDispose]: async () => {
      await world[Symbol.asyncDispose]();
      await anvil[Symbol.asyncDispose]();
    },
  };
}

/** Every row of the account, in all tables. */
/** Without the requests, which are written down some time after they were made. */
async function rowsOf({ db }: Deps, accountId: number): Promise<Record<string, unknown>> {
  const tables = await db.query(
    `SELECT m.name FROM sqlite_master AS m
JOIN pragma_table_info(m.name) AS c ON c.name = 'account_id'
WHERE m.type = 'table' AND m.name NOT GLOB 'request_*'`,
  );
  assert.ok(tables.length > 10);
  const owned = await Promise.all(tables.map(async ({ name }) => [
    name,
    await db.query(`SELECT * FROM ${name} WHERE account_id = ?`, [accountId]),
  ]));
  const deliveries = await db.query(
    `SELECT * FROM webhook_deliveries
WHERE endpoint_id IN (SELECT id FROM webhook_endpoints WHERE account_id = ?)`,
    [accountId],
  );
  return { ...Object.fromEntries(owned), deliveries };
}

Deno.test("a merchant who asks any page or download for another account's things sees none of them", async () => {
  await using two = await startTwoMerchants();
  const { world, deps, url, token, theirs } = two;
  const { merchant: { hotWallet, credentials } } = world;
  const email = "them@acme.example";
  await createUser(deps, { email, role: "merchant", accountId: theirs, actor: "test" }, null);
  const found = await deps.db.query(
    `SELECT tx_hash AS text FROM transactions WHERE account_id = ?
UNION SELECT address FROM addresses WHERE account_id = ?
UNION SELECT url FROM webhook_endpoints WHERE account_id = ?`,
    [theirs, theirs, theirs],
  );
  const secrets = [hotWallet, credentials.keyId, email, ...found.map(({ text }) => String(text))];
  assert.ok(secrets.length > 6);
  const query = `account=${theirs}&network=ETH&currency=ETH&q=alice`;
  const shown = ROUTES.filter((route) => route.kind !== "act" && isForMerchants(route));
  let looked = 0;
  for (const { path, ...route } of shown.filter((it) => !it.path.includes(":"))) {
    const isLive = route.kind === "page" && "live" in route && route.live !== undefined;
    const answer = await dashboardFetch(url, {
      path: `${path === "/" ? "" : path}?${query}`,
      token,
    });
    const text = await answer.text();
    assert.equal(answer.status, 200, path);
    assert.deepEqual(secrets.filter((secret) => text.includes(secret)), [], path);
    looked++;
    if (!isLive) continue;
    const streamed = await firstOf(url, {
      path: `${path === "/" ? "" : path}${LIVE_PATH}?${query}`,
      token,
    });
    assert.deepEqual(secrets.filter((secret) => streamed.includes(secret)), [], `${path} live`);
  }
  assert.ok(looked > 8, `${looked} pages`);
  for (const route of shown) {
    if (route.kind !== "page" || !route.live || !route.path.includes(":")) continue;
    const path = `${route.path.replace(/:(\w+)(\{[^}]*\})?/g, "1")}${LIVE_PATH}`;
    const answer = await dashboardFetch(url, { path, token });
    await answer.body?.cancel();
    assert.equal(answer.status, 404, path);
  }
});

/** The first event of a live page. */
async function firstOf(url: string, asked: { path: string; token: string }): Promise<string> {
  const answer = await dashboardFetch(url, asked);
  assert.equal(answer.status, 200, asked.path);
  const reader = answer.body!.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return new TextDecoder().decode(value);
}

Deno.test("a merchant who names another account in any form changes nothing of it", async () => {
  await using two = await startTwoMerchants();
  const { world, deps, url, token, theirs } = two;
  const scene = await makeScene(world);
  let tried = 0;
  for (const route of ROUTES.filter((it) => it.kind === "act").filter(isForMerchants)) {
    const { path } = route;
    const { ids = {}, form, ...doing } = await doingOf(route, scene);
    // These change the user's own login.
    if (doing.token !== undefined || path === "/sign-out") continue;
    const before = await rowsOf(deps, theirs);
    const filled = path.replace(/:(\w+)(\{[^}]*\})?/g, (_, name) => String(ids[name]));
    const sent = { path: filled, token, form: { ...form, csrf: csrfOf(token) } };
    const answer = await dashboardFetch(url, sent);
    await answer.body?.cancel();
    assert.deepEqual(await rowsOf(deps, theirs), before, `${path}: ${answer.status}`);
    if (path.includes(":")) assert.equal(answer.status, 404, path);
    tried++;
  }
  assert.ok(tried > 15, `${tried} forms`);
});
