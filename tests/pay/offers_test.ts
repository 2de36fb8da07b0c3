import assert from "node:assert/strict";
import { Volumes } from "../../src/accounts/tables/volumes.ts";
import { judgeDue } from "../../src/invoices/judge_due.ts";
import { addSource } from "../../src/rates/manage.ts";
import { startBrowser } from "../support/dashboard/browser.ts";
import { enable, makeNetwork } from "../support/gateway.ts";
import { startAnvil } from "../support/nodes/anvil.ts";
import { sendTx } from "../support/nodes/contracts.ts";
import { startPayingWorld } from "../support/payouts.ts";
import { eventually } from "../support/programs/eventually.ts";

const DAY_MS = 86_400_000;
const UNIT = 10n ** 15n;

async function openShop() {
  const anvil = await startAnvil();
  const world = await startPayingWorld({ anvil });
  const { deps, url, merchant: { api, accountId } } = world;
  await makeNetwork(deps, { code: "OTHER", rpcUrls: [anvil.url] });
  await enable(deps, { accountId, network: "OTHER", currency: "ETH" });
  await world.round();
  const { body: { data } } = await api.post("/v1/invoices", { amount: "0.01", currency: "ETH" });
  const page = url + new URL(data.url).pathname;
  const htmlFor = async (cookie = "") =>
    await (await fetch(page, { headers: cookie === "" ? {} : { cookie } })).text();
  return {
    ...{ anvil, world, page, htmlFor, id: data.invoice_id },
    offers: async (cookie?: string) =>
      [...(await htmlFor(cookie)).matchAll(/name="coin" value="([^"]+)"/g)].map(([, it]) => it),
    [Symbol.asyncDispose]: async () => {
      await world[Symbol.asyncDispose]();
      await anvil[Symbol.asyncDispose]();
    },
  };
}

Deno.test("what the browser paid with last comes first, then what the merchant is paid with most", async () => {
  await using shop = await openShop();
  const { deps, merchant: { accountId } } = shop.world;
  assert.deepEqual(await shop.offers(), ["ETH.ETH", "OTHER.ETH"]);
  const nowMs = deps.clock.nowMs();
  const day = {
    accountId,
    span: "day",
    direction: "deposit",
    currency: "ETH",
    amount: "1",
  } as const;
  await deps.db.write({
    reads: [],
    decide: (view) => {
      const startsAtMs = nowMs - nowMs % DAY_MS;
      view.insertKeyed(Volumes, { ...day, startsAtMs, network: "ETH", movements: 2 });
      view.insertKeyed(Volumes, { ...day, startsAtMs, network: "OTHER", movements: 3 });
      const longAgo = startsAtMs - 60 * DAY_MS;
      view.insertKeyed(Volumes, { ...day, startsAtMs: longAgo, network: "ETH", movements: 9 });
    },
  });
  deps.memory.looks.clear();
  assert.deepEqual(await shop.offers(), ["OTHER.ETH", "ETH.ETH"]);
  assert.deepEqual(await shop.offers("a=b; paid_with=ETH.ETH; c=d"), ["ETH.ETH", "OTHER.ETH"]);
  for (const odd of ["paid_with=GONE.ETH", `paid_with=${"E".repeat(9_000)}`, "paid_with=%E0%A4"]) {
    assert.deepEqual(await shop.offers(odd), ["OTHER.ETH", "ETH.ETH"], odd.slice(0, 20));
  }
});

Deno.test("a browser that has paid is told so once, in a cookie of these pages only", async () => {
  await using shop = await openShop();
  const { anvil, world, page } = shop;
  const cookieAfter = async (cookie?: string) =>
    (await fetch(page, { headers: cookie ? { cookie } : {} })).headers.get("set-cookie");
  const body = new URLSearchParams({ coin: "ETH.ETH" });
  await fetch(page, { method: "POST", body, redirect: "manual" });
  assert.equal(await cookieAfter(), null, "to choose isn't to pay");
  const { body: { data } } = await world.merchant.api.get(`/v1/invoices/${shop.id}`);
  await sendTx(anvil, { to: data.methods[0].address, valueRaw: 4n * UNIT });
  await world.round();
  await judgeDue(world.deps);
  const set = await cookieAfter();
  assert.match(
    set ?? "",
    /^paid_with=ETH.ETH; Path=\/pay; Max-Age=\d+; HttpOnly; SameSite=Lax$/,
  );
  const [known = ""] = set!.split(";");
  assert.equal(await cookieAfter(known), null);
});

Deno.test("what the network charges is said beside the price, in money if a rate is known", async () => {
  await using shop = await openShop();
  const { deps } = shop.world;
  await using browser = await startBrowser();
  const tab = await browser.open();
  const said = async () => {
    await tab.goto(shop.page);
    const [first = ""] = await tab.locator(".offer small").allTextContents();
    return first.replaceAll(/[\u2068\u2069]/g, "");
  };
  // A busy node's answer is on the next page.
  const becomes = (text: RegExp) => eventually(said, { until: (now) => text.test(now) });
  await becomes(/^network fee ≈ 0\.0000\d+ ETH$/);
  const price = { base: "ETH", quote: "EUR", kind: "manual", value: "100000" } as const;
  await addSource(deps, { ...price, actor: "test" });
  await becomes(/^network fee (≈ €\d+\.\d\d|<€0\.01)$/);
});
