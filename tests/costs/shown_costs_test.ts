import assert from "node:assert/strict";
import { newKeySecret } from "../../src/access/manage_api_keys.ts";
import { createRoleKey } from "../../src/access/role_keys.ts";
import { isAble, isGatewayRole, type Role, ROLES } from "../../src/access/rules/roles.ts";
import { monthsToShow } from "../../src/costs/of_month.ts";
import { CostHours, NodeCalls } from "../../src/costs/table.ts";
import { addSource } from "../../src/rates/manage.ts";
import { runIn } from "../cli/world_host.ts";
import { apiClient } from "../support/api_client.ts";
import {
  assertAccessible,
  assertFits,
  keepScreenshot,
  startBrowser,
} from "../support/dashboard/browser.ts";
import { dashboardFetch, makeLogin, openAs } from "../support/dashboard/dashboard.ts";
import { makeMerchant, makeNetwork, startGateway } from "../support/gateway.ts";

const HOUR_MS = 3_600_000;
const MARCH_MS = Date.parse("2026-03-01T00:00:00Z");
const APRIL_MS = Date.parse("2026-04-01T00:00:00Z");
const HOUR = { network: "ETH", startsAtMs: MARCH_MS, firstSweeps: 0 };

const gateway = await startGateway({ CPG_WORKER: "false" });
Deno.test.afterAll(() => gateway.stop());
const { deps, url } = gateway;
const { accountId, api } = await makeMerchant(gateway, { name: "Acme" });
await makeNetwork(deps, { rpcUrls: ["http://127.0.0.1:1"], chainId: "1" });
await deps.db.write({
  reads: [],
  decide: (view) => {
    const hours = [
      {
        currency: "USDT",
        way: "single",
        sweeps: 4,
        deposits: 5,
        feeRaw: "1000000000000001",
        gas: 160_200,
      },
      {
        currency: "USDT",
        way: "batch",
        sweeps: 1_240,
        deposits: 1_300,
        feeRaw: `${31n * 10n ** 15n}`,
        gas: 18_600_000,
      },
      {
        currency: "ETH",
        way: "single",
        sweeps: 3,
        deposits: 3,
        feeRaw: "300000000000000",
        gas: 63_000,
      },
      { currency: "", way: "single", sweeps: 0, deposits: 0, feeRaw: "200000000000000", gas: 0 },
    ] as const;
    for (const hour of hours) view.insertKeyed(CostHours, { ...HOUR, ...hour });
    const last = { ...HOUR, currency: "USDT", way: "single", sweeps: 1, deposits: 1 } as const;
    view.insertKeyed(CostHours, {
      ...last,
      startsAtMs: APRIL_MS - HOUR_MS,
      feeRaw: "1",
      gas: 53_400,
    });
    view.insertKeyed(CostHours, { ...last, startsAtMs: APRIL_MS, feeRaw: "5", gas: 53_400 });
    const day = { network: "ETH", host: "rpc.example.com" };
    view.insertKeyed(NodeCalls, { ...day, dayMs: MARCH_MS, calls: 41_000 });
    view.insertKeyed(NodeCalls, { ...day, dayMs: MARCH_MS + 24 * HOUR_MS, calls: 42_001 });
    view.insertKeyed(NodeCalls, { ...day, dayMs: APRIL_MS, calls: 7 });
  },
});

const PATH = "/admin/v1/network/costs?code=ETH&month=2026-03";

async function keyOf(role: Role) {
  const { secret, ...made } = await newKeySecret(deps);
  const own = isGatewayRole(role) ? null : accountId;
  const terms = { accountId: own, role, label: role, ipList: [], rateLimit: 100_000 };
  await createRoleKey(deps, { ...terms, actor: "user:7", made });
  return apiClient(url, { keyId: made.keyId, secret });
}

const MARCH = {
  network: "ETH",
  month: "2026-03",
  symbol: "ETH",
  currencies: [
    {
      ...{ currency: "ETH", sweeps: 3, single: 3, batch: 0, lent: 0, deposits: 3 },
      ...{ cost: "0.0003", cost_per_deposit: "0.0001", value: null },
      ...{ other_mode: "batch", other_cost: "0.000298571428571428", other_basis: "documented" },
    },
    {
      ...{ currency: "USDT", sweeps: 1_245, single: 5, batch: 1_240, lent: 0, deposits: 1_306 },
      ...{ cost: "0.032000000000000002", cost_per_deposit: "0.000024502297090352", value: null },
      ...{ other_mode: "single", other_cost: "0.249000000000000498", other_basis: "measured" },
    },
  ],
  upkeep: "0.0002",
  cost: "0.032500000000000002",
  value: null,
  value_currency: null,
  gas_on_addresses: "0",
  nodes: [{
    ...{ node: "rpc.example.com", calls_a_day: 41_501, calls_most: 42_001 },
    calls_today: null,
  }],
};

Deno.test("costs: command and management API say the same, exactly, and nothing of the next month", async () => {
  const { code, out } = await runIn({ deps }, [
    ...["network", "costs", "eth", "--month", "2026-03", "--json"],
  ]);
  assert.deepEqual([code, JSON.parse(out)], [0, MARCH]);
  const { status, body } = await (await keyOf("operator")).get(PATH);
  assert.deepEqual([status, body.data], [200, MARCH]);
  const said = await runIn({ deps }, ["network", "costs", "ETH", "--month", "2026-03"]);
  assert.match(said.out, /^Collecting on ETH in 2026-03 cost 0\.0325 ETH$/m);
  assert.match(said.out, /^Of it, 0\.0002 ETH was for other things, such as deploying the /m);
  assert.match(
    said.out,
    /^USDT: all one by one, they would have cost about 0\.249 ETH \(by what such sweeps cost in /m,
  );
  assert.match(said.out, /^USDT +1245 +1306 +0\.032 +0\.000024502297$/m);
  assert.match(said.out, /^Gas left on deposit addresses: 0 ETH$/m);
  assert.match(said.out, /CALLS A DAY, ON AVERAGE +BUSIEST DAY +TODAY\n/i);
  assert.match(said.out, /rpc\.example\.com +41501 +42001/);
  for (const wrong of ["2026-13", "2026", "March"]) {
    const refused = await runIn({ deps }, ["network", "costs", "ETH", "--month", wrong]);
    assert.equal(refused.code, 2, wrong);
  }
  assert.equal((await runIn({ deps }, ["network", "costs", "NONE"])).code, 1);
  const future = await runIn({ deps }, ["network", "costs", "ETH", "--month", "2999-01"]);
  assert.equal(future.code, 2);
  assert.match(future.err, /2999-01 hasn't begun/);
});

Deno.test("costs: an empty month has nothing, and no month given is this one", async () => {
  const operator = await keyOf("operator");
  const none = { currencies: [], upkeep: "0", cost: "0", gas_on_addresses: "0", nodes: [] };
  for (const query of ["code=ETH&month=2025-11", "code=ETH"]) {
    const { body: { data } } = await operator.get(`/admin/v1/network/costs?${query}`);
    assert.deepEqual({ ...data, ...none }, data, query);
  }
  const { token } = await makeLogin(deps, { email: "empty@example.com" });
  const answer = await dashboardFetch(url, { path: "/networks/ETH/costs?month=2025-11", token });
  assert.match(await answer.text(), /Nothing was swept in this month/);
});

Deno.test("costs: of the last twelve months, this one and those that have anything are chosen from", async () => {
  const shown = (today: string) =>
    monthsToShow(deps.db, { network: "ETH", nowMs: Date.parse(today) });
  assert.deepEqual(await shown("2026-11-29"), ["2026-11", "2026-04", "2026-03"]);
  assert.deepEqual(await shown("2027-03-31"), ["2027-03", "2026-04"]);
});

Deno.test("costs: whoever sees the gateway sees them, and nobody of an account does", async () => {
  for (const role of ROLES) {
    const mayGateway = isAble(role, "see_gateway");
    assert.equal(mayGateway, isGatewayRole(role), role);
    const own = isGatewayRole(role) ? null : accountId;
    const { token } = await makeLogin(deps, { role, accountId: own, email: `${role}@a.example` });
    const page = await dashboardFetch(url, { path: "/networks/ETH/costs?month=2026-03", token });
    const text = await page.text();
    assert.equal(page.status, mayGateway ? 200 : 404, role);
    assert.equal(text.includes("rpc.example.com"), mayGateway, role);
    if (role === "approver") continue;
    const { status, body } = await (await keyOf(role)).get(PATH);
    assert.deepEqual([status, body.data === undefined], mayGateway ? [200, false] : [403, true]);
  }
  assert.equal((await api.get(PATH)).status, 403);
});

Deno.test("costs: the page shows the month on a desk and a phone, with what it is worth if a rate is known", async () => {
  await using browser = await startBrowser();
  const login = await makeLogin(deps, { email: "ops@example.com" });
  const price = {
    base: "ETH",
    quote: "USD",
    value: "2500",
    kind: "manual",
    actor: "test",
  } as const;
  await addSource(deps, price);
  const { body } = await (await keyOf("auditor")).get(PATH);
  assert.deepEqual([body.data.value, body.data.value_currency], ["81.250000000000005", "USD"]);
  for (const isPhone of [false, true]) {
    const page = await openAs(browser, { url, login, isPhone });
    await page.goto(`${url}/dashboard/networks/ETH`);
    await page.getByRole("link", { name: "Costs and calls" }).click();
    await page.goto(`${url}/dashboard/networks/ETH/costs?month=2026-03`);
    const text = await page.locator("main").innerText();
    assert.equal(await page.locator("h1").innerText(), "Costs and calls");
    const figures = page.locator("td[data-l]", { hasText: /^(41,501|42,001)$/ });
    assert.equal(await figures.count(), 2, "each has its title on a phone");
    assert.match(text, /0\.0325\s+ETH, now worth \$81\.25/);
    assert.match(text, /1,240 in batches/);
    assert.match(text, /All one by one: about 0\.249\d* ETH/);
    assert.match(text, /41,501/);
    await assertFits(page);
    await assertAccessible(page);
    await keepScreenshot(page, `costs-${isPhone ? "phone" : "desk"}`);
  }
});
