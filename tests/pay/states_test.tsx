import assert from "node:assert/strict";
import { LANGUAGES } from "../../src/invoices/rules/languages.ts";
import { fiatText } from "../../src/domain/money/written.ts";
import { createTooMany, message } from "../../src/pay/answers.tsx";
import { ASSETS } from "../../src/pay/assets/assets.ts";
import { isRightToLeft, type Language, sayIn } from "../../src/pay/texts/texts.ts";
import { draw, drawOrder, serve } from "../support/checkout/drawn.tsx";
import { COIN, ORDERS } from "../support/checkout/orders.ts";
import {
  assertAccessible,
  assertFits,
  keepScreenshot,
  startBrowser,
} from "../support/dashboard/browser.ts";

const WEIGHT_MAX = 51_200;
const SMALLEST = { width: 320, height: 800 };
const COLOURS = `(({ backgroundColor, color }) => [backgroundColor, color])(
  getComputedStyle(document.getElementById("order")),
)`;
const FOR_AXE: readonly Language[] = ["en", "ar"];

Deno.test("each state fits the smallest phone in every language, is light, and is accessible", async () => {
  await using browser = await startBrowser();
  const page = await browser.open({ isPhone: true });
  const show = await serve(page);
  await page.setViewportSize(SMALLEST);
  const bytes = (text: string) => new TextEncoder().encode(text).length;
  const beside = ASSETS.reduce((sum, { text }) => sum + bytes(text), 0);
  for (const language of LANGUAGES) {
    for (const state of Object.keys(ORDERS)) {
      const html = await draw(state, language);
      assert.ok(bytes(html) + beside <= WEIGHT_MAX, `${state} in ${language} is too heavy`);
      await show(html);
      await assertFits(page);
      await keepScreenshot(page, `pay-${state}-${language}`);
      if (!FOR_AXE.includes(language)) continue;
      for (const colorScheme of ["dark", "light"] as const) {
        await page.emulateMedia({ colorScheme });
        await assertAccessible(page);
      }
    }
  }
});

Deno.test("only an invoice that takes money asks for it, in the language's direction", async () => {
  const asking = ["choosing", "open", "partly", "underpaid", "underpaid-refunded"];
  for (const language of LANGUAGES) {
    for (const state of Object.keys(ORDERS)) {
      const html = await draw(state, language);
      const asks = html.includes('class="pay"') || html.includes('class="choices"');
      assert.equal(asks, asking.includes(state), `${state} in ${language}`);
      const direction = isRightToLeft(language) ? "rtl" : "ltr";
      assert.ok(html.includes(`<html lang="${language}" dir="${direction}">`), language);
    }
  }
});

Deno.test("what came without a price is said once, and not asked for again", async () => {
  const html = await draw("unrated", "en");
  const [order] = ORDERS.unrated!;
  const said = sayIn("en")("unrated", { name: order.name });
  assert.equal(html.split(said).length, 2);
  assert.ok(!html.includes("missing"), "Nobody knows what is missing");
});

Deno.test("a receipt and a cancelled invoice are headed by the name alone", async () => {
  for (const state of Object.keys(ORDERS)) {
    const html = await draw(state, "en");
    const isOver = /^(paid|overpaid|refunded|partly-refunded|cancelled)/.test(state);
    const heading = isOver ? "Acme" : "Pay Acme";
    assert.ok(html.includes(`<title>${heading}</title>`), state);
    assert.ok(html.includes(`<bdi>${heading}</bdi>`), state);
  }
});

Deno.test("what can't be shown is said on a page that looks like the others", async () => {
  const spoken = { language: "en", say: sayIn("en") } as const;
  const html = await (await message(spoken, "absent", 404)).text();
  assert.match(html, /<div id="order">\s*<div class="sum">\s*<h1>There is nothing to pay here/);
});

Deno.test("whoever asked too often sees the page after a minute, with and without scripts", async () => {
  const answer = await createTooMany()({ language: "en", say: sayIn("en") });
  const html = await answer.text();
  assert.equal(answer.headers.get("retry-after"), "60");
  assert.match(html, /<noscript>\s*<meta http-equiv="refresh" content="60">/);
  assert.match(html, /<div id="order" data-again="60">/);
});

Deno.test("a receipt is printed dark on white, however dark the screen is", async () => {
  await using browser = await startBrowser();
  const page = await browser.open({ isDark: true });
  const show = await serve(page);
  await show(await draw("paid", "en"));
  const colours = () => page.evaluate<string[]>(COLOURS);
  const onScreen = await colours();
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  const printed = await colours();
  await page.emulateMedia({ media: null });
  assert.notDeepEqual(onScreen, printed);
  assert.deepEqual(printed, ["rgb(255, 255, 255)", "rgb(20, 24, 33)"]);
});

Deno.test("whom, how much, how long, the coin, code, address and amount are on the first screen", async () => {
  await using browser = await startBrowser();
  const page = await browser.open();
  const show = await serve(page);
  const [open] = ORDERS.open!;
  const parts = ["h1", ".owed", "time", ".coin", ".qr", ".ends", ".field .all"];
  const ends = `${JSON.stringify(parts)}.map((part) =>
    [part, Math.ceil(document.querySelector(part).getBoundingClientRect().bottom)])`;
  const orders = [open, { ...open, isTest: true }, ORDERS.partly![0]];
  for (const [width, height] of [[390, 700], [1440, 900]] as const) {
    await page.setViewportSize({ width, height });
    for (const language of LANGUAGES) {
      for (const order of orders) {
        await show(await drawOrder(order, { chosen: COIN.id, language }));
        const below = (await page.evaluate<[string, number][]>(ends))
          .filter(([, end]) => end > height);
        assert.deepEqual(below, [], `${language} at ${height} px`);
      }
    }
  }
});

Deno.test("a receipt says which order it is of, and on which network it was paid", async () => {
  const [order, chosen] = ORDERS["partly-refunded"]!;
  const shown = { ...order, row: { ...order.row, reference: "1042" } };
  const text = (await drawOrder(shown, { chosen, language: "en" })).replaceAll(/<[^>]*>/g, "");
  assert.match(text, /Receipt\s*Reference\s*1042\s*Paid on/);
  assert.match(text, /0.01 ETH · Ethereum\s*0x5c/);
  assert.match(text, /0.004 ETH · Ethereum\s*0x7a/);
  for (const state of ["open", "partly", "expired"]) {
    const { row, ...open } = ORDERS[state]![0];
    const asked = { ...open, row: { ...row, reference: "no receipt yet" } };
    const html = await drawOrder(asked, { chosen, language: "en" });
    assert.ok(!html.includes("no receipt yet"), state);
  }
});

Deno.test("whose time is up learns where to begin again, and that a payment still shows up", async () => {
  for (const language of LANGUAGES) {
    const text = (await draw("expired", language)).replaceAll(/<[^>]*>/g, "");
    assert.ok(text.includes(sayIn(language)("expired", { name: "Acme" })), language);
  }
  const said = sayIn("en")("expired", { name: "Acme" });
  assert.match(said, /To pay, start again at Acme\..*already paid, this page will show it/);
});

const CORNERS = `(() => {
  const card = document.getElementById("order").getBoundingClientRect();
  return [card.top + 30, card.bottom - 30].map((y) => {
    let one = document.elementFromPoint(card.left + 30, y);
    while (getComputedStyle(one).backgroundColor === "rgba(0, 0, 0, 0)") one = one.parentElement;
    return getComputedStyle(one).backgroundColor;
  });
})()`;
const OPENER = `getComputedStyle(document.querySelector(".wallets > a")).backgroundColor`;

Deno.test("on a desk the order's half has one colour to the bottom, and the code is the main way to pay", async () => {
  await using browser = await startBrowser();
  const page = await browser.open();
  const show = await serve(page);
  const [order, chosen] = ORDERS.open!;
  for (const redirectUrl of [null, order.row.redirectUrl]) {
    const row = { ...order.row, redirectUrl };
    await show(await drawOrder({ ...order, row }, { chosen, language: "en" }));
    const [top, bottom] = await page.evaluate<string[]>(CORNERS);
    assert.equal(top, bottom);
  }
  assert.equal(await page.evaluate(OPENER), "rgba(0, 0, 0, 0)");
});

Deno.test("what is missing is the amount to pay", async () => {
  const [order, chosen] = ORDERS.partly!;
  const html = await drawOrder({ ...order, due: "14.4" }, { chosen, language: "en" });
  assert.match(html, /class="owed">\s*<bdi>€14.40<\/bdi>/);
  assert.match(html, /€25.00 in all/);
});

Deno.test("what came is shown at once, with a link to where anybody can look it up", async () => {
  for (const state of ["partly", "processing"]) {
    const html = await draw(state, "en");
    const [, list = ""] = /<ul class="seen">(.*?)<\/ul>/s.exec(html) ?? [];
    assert.match(list, /<bdi>0.01 ETH<\/bdi>/, state);
    assert.match(list, /href="https:\/\/etherscan.io\/tx\/0x(5c){32}"/, state);
  }
});

Deno.test("a coin that is chosen from has a sign, its network, its price and the network's fee", async () => {
  const [order] = ORDERS.choosing!;
  const [eth, usdt] = order.coins;
  const coins = [
    { ...eth!, due: "0.007961234" },
    usdt!,
    { ...usdt!, id: "X.XYZ", coin: "XYZ", isCheap: false },
  ];
  const html = await drawOrder({ ...order, coins }, { chosen: null, language: "de" });
  const offers = html.match(/<button type="submit" name="coin".*?<\/button>/gs) ?? [];
  const said = offers.map((offer) => {
    assert.match(offer, /<svg class="sign"/);
    return offer.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ").trim();
  });
  assert.deepEqual(said, [
    "ETH · Ethereum 0,00796 ETH Netzgebühr ≈ €0.42",
    "USDT · Arbitrum 27,1729 USDT meist geringe Gebühr",
    "X XYZ · Arbitrum 27,1729 XYZ",
  ]);
  assert.match(offers[0]!, /title="0,007961234 ETH"/);
});

Deno.test("money is written as each language writes it, and all digits are shown on hover", async () => {
  for (const language of LANGUAGES) {
    const html = await draw("partly", language);
    const euros = (amount: string) => fiatText(amount, { code: "EUR", language });
    const text = html.replaceAll(/<[^>]*>/g, "");
    for (const amount of ["25.00", "10.50", "14.50"]) {
      assert.ok(text.includes(euros(amount)), `${amount} in ${language}`);
    }
    assert.ok(!/10.5000002|14.4999998|25 EUR/.test(text), language);
    const [, hover = ""] = /<strong title="([^"]*)"/.exec(html) ?? [];
    assert.ok(hover.includes(euros("10.5000002")) && hover.includes(euros("14.4999998")), hover);
    assert.ok(text.includes("0.01 ETH"), "Coins are the truth: all digits, as wallets take them");
  }
});

Deno.test("a coin with the letters of a state's money is written as one", async () => {
  const [order, chosen] = ORDERS.partly!;
  const row = { ...order.row, currency: "MNT" };
  const html = await drawOrder({ ...order, row, isCoin: true }, { chosen, language: "en" });
  assert.ok(html.includes("10.5 MNT received, 14.5 MNT missing"));
  assert.ok(html.includes("10.5000002 MNT received, 14.4999998 MNT missing"), "on hover");
});
