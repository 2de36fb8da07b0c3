import assert from "node:assert/strict";
import { dashboardFetch, makeLogin, openAs } from "../../support/dashboard/dashboard.ts";
import { keepScreenshot, startBrowser } from "../../support/dashboard/browser.ts";
import { partlyPaidInvoice } from "../../support/checkout/invoices.ts";
import { orderName, paymentName, paymentState } from "../../../src/dashboard/words/orders.ts";
import type { Ordered } from "../../../src/invoices/reads/orders.ts";
import { refundedIn, refundedOf } from "../../../src/invoices/rules/sums.ts";
import { judgeDue } from "../../../src/invoices/judge_due.ts";
import type { Coins } from "../../../src/invoices/rules/accepted.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { STRANGER } from "../../support/payers.ts";
import { sentId, settleAll, startPayingWorld } from "../../support/payouts.ts";

const NAME = "Order 1042 · Book · Ann";
const DETAILS = { reference: "1042", description: "Book", customer: "Ann" };

/** Of a card's width on a phone, beside the longest amount. */
const NAME_SHARE = `(() => {
  const name = document.querySelector(".cards .at-title");
  document.querySelector(".cards .at-amount").append(" 1,046.875321 USDT (Local chain)");
  return name.getBoundingClientRect().width / name.parentElement.getBoundingClientRect().width;
})()`;

/** Without tags and styles. */
async function textOf(url: string, { token, path }: { token: string; path: string }) {
  const html = await (await dashboardFetch(url, { path, token })).text();
  return html.slice(html.indexOf("<main")).replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
}

Deno.test("payments and invoices are called what they are for, wherever they are listed", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await using browser = await startBrowser();
  const { deps, url, merchant: { accountId } } = world;
  const { id } = await partlyPaidInvoice(world, DETAILS);
  const login = await makeLogin(deps, { accountId });
  const page = await openAs(browser, { url, login });
  for (const path of ["/", "/deposits", "/invoices", "/search?q=104"]) {
    await page.goto(`${url}/dashboard${path}`);
    const kind = path === "/invoices" ? "Invoice" : "Payment";
    const link = page.locator("main").getByRole("link", { name: NAME }).first();
    const to = kind === "Invoice" || path.startsWith("/search") ? `/invoices/${id}` : "/deposits/1";
    assert.equal(await link.getAttribute("href"), `/dashboard${to}`, path);
    if (kind === "Payment" && !path.startsWith("/search")) {
      const row = page.locator("main tr").filter({ has: page.getByRole("link", { name: NAME }) });
      assert.match(await row.innerText(), /partly paid/, `${path}: the order lacks some`);
    }
    await keepScreenshot(page, `named-desk${path.replaceAll(/\W/g, "-")}`);
  }
  await page.setViewportSize({ width: 360, height: 800 });
  for (const path of ["/", "/deposits", "/invoices", "/search?q=104"]) {
    await page.goto(`${url}/dashboard${path}`);
    if (path === "/deposits") {
      const share = await page.evaluate<number>(NAME_SHARE);
      assert.ok(share >= .5, `The name has ${share} of its row`);
    }
    await keepScreenshot(page, `named-phone${path.replaceAll(/\W/g, "-")}`);
  }
});

Deno.test("an invoice of which money went back says so in words, and its status stays paid", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, url, merchant: { accountId, api } } = world;
  const { id } = await partlyPaidInvoice(world, DETAILS);
  const { token } = await makeLogin(deps, { accountId });
  const lacking = await textOf(url, { token, path: "/deposits/1" });
  assert.match(lacking, / partly paid Credited/);
  for (const path of ["/invoices", `/invoices/${id}`]) {
    assert.match(await textOf(url, { token, path }), / partly paid /, path);
  }
  const [{ token: link } = {}] = await deps.db.query("SELECT token FROM invoices");
  const reload = async (path = `/invoices/${id}`) => {
    const page = await dashboardFetch(url, { path, token });
    return /data-reload="([^"]*)"/.exec(await page.text())?.[1];
  };
  const open = await Promise.all([reload("/"), reload("/deposits/1")]);
  await api.post(`/v1/invoices/${id}/accept`, { reason: "It is enough" });
  const accepted = await Promise.all([reload("/"), reload("/deposits/1")]);
  open.forEach((key, i) => assert.notEqual(key, accepted[i], "An open page shows it"));
  const back = async (amount: string) => {
    const wish = { network: "ETH", currency: "ETH", amount, to_address: STRANGER };
    sentId(await api.post(`/v1/invoices/${id}/refunds`, wish));
    await settleAll(world);
    await settleAll(world);
    const arrived = await reload();
    const home = await reload("/");
    await judgeDue(deps);
    assert.notEqual(await reload(), arrived, "An open page shows the word, too");
    assert.notEqual(await reload("/"), home);
  };
  const seen = async () => {
    const { body } = await api.get(`/v1/invoices/${id}`);
    assert.equal(body.data.status, "paid");
    const payer = await (await fetch(`${url}/pay/${link}`)).text();
    const list = await textOf(url, { token, path: "/invoices" });
    return {
      list: /(partly refunded|refunded|paid) 20\d\d-/.exec(list)?.[1],
      page: await textOf(url, { token, path: `/invoices/${id}` }),
      payment: await textOf(url, { token, path: "/deposits/1" }),
      payer: payer.replaceAll(/<[^>]*>/g, " "),
      payments: await Promise.all(["/", "/deposits"].map(async (path) => {
        const html = await (await dashboardFetch(url, { path, token })).text();
        return /deposits\/1"[^]*?class="status[^>]*>([^<]*)</.exec(html)?.[1];
      })),
    };
  };
  const before = await seen();
  assert.equal(before.list, "paid");
  assert.deepEqual(before.payments, ["paid", "paid"]);
  assert.match(before.payment, / paid Credited/);
  assert.doesNotMatch(before.page + before.payment + before.payer, /efunded/);
  assert.match(before.page, /Order 1042 · Book · Ann Copy link Refund Test:/);
  assert.match(before.payment, /Order 1042 · Book · Ann Refund Test:/);
  await back("0.001");
  const part = await seen();
  assert.equal(part.list, "partly refunded");
  assert.deepEqual(part.payments, ["partly refunded", "partly refunded"]);
  assert.match(part.page, / partly refunded Paid\. Part of what was credited has been/);
  assert.match(part.payer, /Paid\. Thank you! .*Partly refunded\./s);
  assert.match(part.payment, /Ann Refund .* partly refunded /);
  assert.match(part.payment, /\. Part of what invoice 1 received in ETH has been refunded\./);
  assert.match(part.payment, /Refunded 0\.001 ETH paid 20\S+ \S+ UTC For invoice 1/);
  await back("0.003");
  const all = await seen();
  assert.equal(all.list, "refunded");
  assert.deepEqual(all.payments, ["refunded", "refunded"]);
  assert.match(all.page, / refunded Paid\. All of what was credited has been refunded/);
  assert.match(all.payer, / Refunded\. /);
  assert.doesNotMatch(all.payer, /Thank you/);
  assert.match(all.page, /Ann Copy link Test:/, "Nothing is left, so nothing is offered");
  assert.match(all.payment, /Ann Test: .* refunded /);
  assert.match(all.payment, /\. All of what invoice 1 received in ETH has been refunded\./);
});

Deno.test("an order's name has what is known of it, and else its number", () => {
  const none: Ordered = {
    ...{ id: 7, reference: null, description: null, customer: null, status: "paid" },
  };
  assert.equal(orderName(none), "Invoice 7");
  assert.equal(orderName({ ...none, ...DETAILS }), NAME);
  assert.equal(orderName({ ...none, reference: "A-7", customer: "Ann" }), "A-7 · Ann");
  const users = new Map([[3, "ann"]]);
  const payers = {
    users,
    orders: new Map<number, Ordered>([[1, none], [2, { ...none, description: "Book" }]]),
  };
  const named = (id: number, addressId: number | null) => paymentName({ id, addressId }, payers);
  assert.deepEqual([named(1, 3), named(2, 3), named(9, 3), named(9, 4), named(9, null)], [
    ...["Invoice 7", "Book", "ann", "Payment 9", "Payment 9"],
  ]);
});

Deno.test("what came for an order that lacks some, or was cancelled, doesn't read as paid", () => {
  const order = { id: 7, reference: null, description: null, customer: null };
  const said = (status: string, ofOrder: Ordered["status"]) =>
    paymentState(status, { order: { ...order, status: ofOrder } });
  for (const status of ["confirmed", "sweep_pending", "swept"]) {
    assert.equal(paymentState(status, {}), status);
    assert.equal(paymentState(status, { refunded: "refunded" }), "refunded");
    for (const whole of ["paid", "processing"] as const) assert.equal(said(status, whole), status);
    for (const short of ["open", "underpaid"] as const) {
      assert.equal(said(status, short), "partly paid");
    }
    assert.equal(said(status, "cancelled"), "order cancelled");
  }
  for (const status of ["detected", "failed"]) {
    assert.equal(said(status, "open"), status);
    assert.equal(paymentState(status, { refunded: "refunded" }), status);
  }
});

Deno.test("all is refunded once each coin that was credited has gone back", () => {
  const credited = { "ETH/ETH": "1.5", "ETH/USDT": "7" };
  assert.equal(refundedOf({ credited }), undefined);
  const wordFor = (returned: Coins) => refundedOf({ credited, returned });
  assert.equal(wordFor({ "ETH/ETH": "1.5" }), "partly refunded");
  assert.equal(wordFor({ "ETH/USDT": "7", "ETH/ETH": "1.499999" }), "partly refunded");
  assert.equal(wordFor({ "ETH/USDT": "7", "ETH/ETH": "1.5" }), "refunded");
  const wordIn = (asset: string) => refundedIn(asset, { credited, returned: { "ETH/ETH": "1.5" } });
  assert.equal(wordIn("ETH/ETH"), "refunded", "of one coin, like its payment");
  assert.equal(wordIn("ETH/USDT"), undefined);
});
