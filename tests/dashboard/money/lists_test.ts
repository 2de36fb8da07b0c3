import assert from "node:assert/strict";
import { Transactions } from "../../../src/deposits/tables/transactions.ts";
import { addSource, removeSource } from "../../../src/rates/manage.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { assertAccessible, assertFits, startBrowser } from "../../support/dashboard/browser.ts";
import { dashboardFetch, makeLogin, openAs } from "../../support/dashboard/dashboard.ts";
import { startPayingWorld } from "../../support/payouts.ts";
import { makeStage, noteTest } from "../../support/stage.ts";
import { makeTransaction } from "../../store/reads/make_rows.ts";
import type { World } from "../../support/world.ts";

const DAY_MS = 86_400_000;

interface Paid {
  readonly amount: string;
  readonly atMs: number;
  readonly accountId?: number;
  readonly status?: "confirmed" | "failed";
  readonly currency?: string;
}

/** Payments as if they had been detected at these times. */
async function pay({ deps, merchant }: World, paid: readonly Paid[]): Promise<void> {
  const [last] = await deps.db.query("SELECT coalesce(max(id), 0) AS id FROM transactions");
  await deps.db.write({
    reads: [],
    decide: (view) => {
      noteTest(view);
      paid.forEach((one, n) => {
        const { amount, atMs, accountId = merchant.accountId, status = "confirmed" } = one;
        const { currency = "ETH" } = one;
        const none = { addressId: null, depositRequestId: null, withdrawalId: null, sweepId: null };
        const txHash = `0x${String(Number(last!.id) + n + 1).padStart(64, "0")}`;
        view.insert(
          Transactions,
          makeTransaction({
            ...{ ...none, id: 0, accountId, txHash, position: 0, live: 1, amount, status },
            ...{ network: "ETH", currency, direction: "deposit", createdAtMs: atMs },
          }),
        );
      });
    },
  });
}

Deno.test("a list says what its filter comes to, by preset, in the export, and only of one's own", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, url, merchant: { accountId } } = world;
  const { accountId: other } = await world.addMerchant("Other");
  const nowMs = deps.clock.nowMs();
  const dayMs = nowMs - nowMs % DAY_MS;
  await pay(world, [
    { amount: "1000.5", atMs: dayMs - 40 * DAY_MS },
    { amount: "0.000000000000000001", atMs: dayMs - DAY_MS },
    { amount: "2", atMs: dayMs },
    { amount: "3", atMs: dayMs, status: "failed" },
    { amount: "700", atMs: dayMs, accountId: other },
  ]);
  const { token } = await makeLogin(deps, { accountId });
  const { token: operator } = await makeLogin(deps);
  const get = async (path: string, as = token) =>
    await (await dashboardFetch(url, { path, token: as })).text();
  const totals = async (query: string, as = token) => {
    const html = await get(`/deposits${query}`, as);
    const sums = /<div class="sums">([^]*?)<\/div>/.exec(html)?.[1] ?? "";
    return sums.replace(/<\/?i>/g, "").replace(/<[^>]*>/g, " ").replace(/\s+/g, " ").trim();
  };
  const left = "1 failed or cancelled not counted";
  const price = {
    kind: "manual",
    actor: "test",
    base: "ETH",
    quote: "USD",
    value: "2000",
  } as const;
  assert.equal(await totals(""), `3 payments 1,002.500000000000000001 ETH ${left}`);
  assert.equal(await totals("", operator), `4 payments 1,702.500000000000000001 ETH ${left}`);
  assert.equal(await totals(`?account=${other}`), await totals(""));
  assert.equal(await totals("?period=today"), `1 payment 2 ETH ${left}`);
  assert.equal(await totals("?period=yesterday"), "1 payment 0.000000000000000001 ETH");
  assert.equal(await totals("?status=failed"), "1 payment 3 ETH");
  assert.equal(await totals("?q=nobody"), "");
  assert.match(await get("/deposits?status=swept"), /Nothing matches these filters/);
  const { id } = await addSource(deps, price);
  assert.equal(
    await totals(""),
    `3 payments 1,002.500000000000000001 ETH about $2,005,000.00 ${left}`,
  );
  assert.equal(await totals("?period=today"), `1 payment 2 ETH about $4,000.00 ${left}`);
  assert.equal(
    await totals(`?period=today&account=${other}`, operator),
    "1 payment 700 ETH about $1,400,000.00",
  );
  assert.equal(await totals("", operator), `4 payments 1,702.500000000000000001 ETH ${left}`);
  await pay(world, [{ amount: "5", atMs: dayMs, currency: "COIN" }]);
  assert.equal(
    await totals("?period=today"),
    `2 payments 5 COIN (Ethereum) 2 ETH ${left}`,
    "COIN has no price",
  );
  await addSource(deps, { ...price, base: "COIN", value: "0.5" });
  assert.equal(
    await totals("?period=today"),
    `2 payments 5 COIN (Ethereum) 2 ETH about $4,002.50 ${left}`,
  );
  await removeSource(deps, { id, actor: "test" });
  assert.equal(await totals("?period=today"), `2 payments 5 COIN (Ethereum) 2 ETH ${left}`);
  const lines = (await get("/transactions/export.csv?period=today")).trimEnd().split("\r\n");
  assert.equal(lines.length, 4);
  const shown = await get("/deposits?period=yesterday");
  const day = new Date(dayMs - DAY_MS).toISOString().slice(0, 10);
  assert.equal(shown.split(`value="${day}"`).length, 3, "the preset's days are in both fields");
});

Deno.test("more rows than are added up are said to be the newest ones", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const atMs = world.deps.clock.nowMs();
  await pay(world, Array.from({ length: 1_001 }, () => ({ amount: "1", atMs })));
  for (const accountId of [world.merchant.accountId, null]) {
    const { token } = await makeLogin(world.deps, { accountId });
    const html = await (await dashboardFetch(world.url, { path: "/deposits", token })).text();
    assert.match(html, /<strong>The newest 1,000 payments<\/strong>[^]*>1,000</);
  }
});

Deno.test("an open list says how many rows are new and shows them on a click, also without scripts", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await using browser = await startBrowser();
  const { deps, url, merchant: { accountId } } = world;
  const login = await makeLogin(deps, { accountId });
  const page = await openAs(browser, { url, login, isPhone: true });
  const lists = [
    ["/deposits", "payments", () => pay(world, [{ amount: "1", atMs: deps.clock.nowMs() }])],
    ["/withdrawals", "payouts", () => makeStage(world).waitingWithdrawal()],
  ] as const;
  for (const [path, words, add] of lists) {
    await page.goto(`${url}/dashboard${path}`);
    const line = page.getByRole("status").getByRole("link");
    assert.equal(await line.innerText(), `Look for new ${words}`);
    await add();
    await page.getByRole("status").getByText("1 new").waitFor();
    await assertAccessible(page);
    await assertFits(page);
    await line.click();
    await page.getByRole("status").getByText(`Look for new ${words}`).waitFor();
    assert.equal(await page.locator("tbody tr").count(), 1);
  }
  const plain = await openAs(browser, { url, login, isScriptOn: false });
  await plain.goto(`${url}/dashboard/deposits`);
  await pay(world, [{ amount: "1", atMs: deps.clock.nowMs() }]);
  await plain.getByRole("link", { name: "Look for new payments" }).click();
  await plain.locator("tbody tr").nth(1).waitFor();
});
