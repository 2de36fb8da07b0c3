import assert from "node:assert/strict";
import { erc20Abi, type Hex } from "viem";
import { decodeFunctionData, parseUnits } from "viem/utils";
import { at, first } from "../../src/base/lists.ts";
import { enable, makeMerchant, makeNetwork, makeToken, startGateway } from "../support/gateway.ts";
import { eventually } from "../support/programs/eventually.ts";
import { startBrowser } from "../support/dashboard/browser.ts";
import { firstPaint } from "../support/dashboard/first_paint.ts";
import { readEthereumUri } from "../support/checkout/read_uri.ts";
import { readQr } from "../support/dashboard/read_qr.ts";

const USDT = "0xdAC17F958D2ee523a2206206994597C13D831ec7";
const DAI = "0x6B175474E89094C44Da98b954EedeAC495271d0F";
const ON_TRON = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t";
const COINS = [
  { network: "ETH", currency: "ETH", decimals: 18, amount: "1234567890123.000000000000000001" },
  { network: "ETH", currency: "USDT", decimals: 6, amount: "98765432109876.543211", token: USDT },
  { network: "ETH", currency: "DAI", decimals: 18, amount: "0.123456789012345679", token: DAI },
  { network: "TRX", currency: "TRX", decimals: 6, amount: "1234567.000001" },
  { network: "TRX", currency: "USDT", decimals: 6, amount: "0.000001", token: ON_TRON },
];
/** A busy machine draws some late. */
const LOADS_MAX = 20;
const PAINT_MS_MAX = 200;

const gateway = await startGateway({ CPG_WORKER: "false" });
Deno.test.afterAll(() => gateway.stop());
const { deps, url } = gateway;
const rpcUrls = ["http://127.0.0.1:1"];
await makeNetwork(deps, { rpcUrls, chainId: "137" });
const tron = { family: "tron", symbol: "TRX", decimals: 6, chainId: "728126428" } as const;
await makeNetwork(deps, { rpcUrls, code: "TRX", ...tron });
const { api, accountId } = await makeMerchant(gateway);
for (const { network, currency, decimals, token } of COINS) {
  if (token) await makeToken(deps, { network, contract: token, symbol: currency, decimals });
  await enable(deps, { accountId, network, currency });
}

async function ask({ network, currency, amount }: typeof COINS[number]) {
  const method = { network, currency };
  const { body } = await api.post("/v1/invoices", { amount, currency, method });
  const { url: link, methods } = body.data;
  const [{ address, payment_uri }] = methods.filter((one: typeof method) =>
    one.network === network && one.currency === currency
  );
  return { page: url + new URL(link).pathname, address, uri: payment_uri };
}

Deno.test("API, page, codes and browser wallet ask for the same base units of each coin", async () => {
  for (const coin of COINS) {
    const { page, address, uri } = await ask(coin);
    const html = await (await fetch(page)).text();
    const codes = html.match(/<svg class="qr".*?<\/svg>/gs)?.map(readQr) ?? [];
    const [, opened] = /class="button" href="([^"]+)"/.exec(html) ?? [];
    assert.equal(opened?.replaceAll("&amp;", "&"), uri);
    assert.deepEqual(codes.slice(0, 2), [uri, address]);
    if (coin.network === "TRX") {
      assert.equal(codes.length, 2);
      const token = coin.token ? `&token=${coin.token}` : "";
      assert.equal(uri, `tron:${address}?amount=${coin.amount}${token}`);
      continue;
    }
    const raw = parseUnits(coin.amount, coin.decimals);
    const contract = coin.token ?? null;
    assert.deepEqual(readEthereumUri(codes[0] ?? ""), { chainId: "137", contract, address, raw });
    const universal = "https://metamask.app.link/send/";
    assert.deepEqual(codes.slice(2), [uri.replace("ethereum:", universal)]);
    const [, chain, to, value, data] =
      /data-chain="(.+?)" data-to="(.+?)" data-value="(.+?)" data-data="(.+?)"/s.exec(
        html.replace(/\s+/g, " "),
      ) ?? [];
    assert.deepEqual([BigInt(chain ?? 0), to], [137n, contract ?? address]);
    assert.equal(BigInt(value ?? -1), contract === null ? raw : 0n);
    if (contract === null) assert.equal(data, "0x");
    else {
      const called = decodeFunctionData({ abi: erc20Abi, data: data as Hex });
      assert.deepEqual(called, { functionName: "transfer", args: [address, raw] });
    }
  }
});

Deno.test("a browser wallet isn't asked for more than a transaction can hold", async () => {
  const [eth, usdt] = ["1" + "0".repeat(59), "115" + "7".repeat(69)];
  const amounts = [[0, eth, 3], [0, `${eth}0`, 2], [1, usdt, 3], [1, `${usdt}0`, 2]] as const;
  for (const [i, amount, codes] of amounts) {
    const { page } = await ask({ ...at(COINS, i), amount });
    const html = await (await fetch(page)).text();
    assert.equal(html.match(/class="qr"/g)?.length, codes);
    assert.equal(html.includes("data-chain"), codes === 3);
  }
});

Deno.test("a payer sees the page within 200 ms, copies what to send and sees time go by", async () => {
  const coin = first(COINS);
  const { page: link } = await ask(coin);
  await using browser = await startBrowser();
  const page = await browser.open({ isPhone: true });
  let best = Infinity;
  for (let load = 0; load < LOADS_MAX && best >= PAINT_MS_MAX; load++) {
    await page.goto(link);
    best = Math.min(best, (await firstPaint(page)).tookMs);
  }
  assert.ok(best < PAINT_MS_MAX, `It took ${best} ms at best`);
  const { page: fresh, address } = await ask(coin);
  await page.goto(fresh);
  const left = page.locator("time[data-left]");
  const before = await left.innerText();
  assert.match(before, /^(15:00|14:\d\d)$/);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  for (const [i, text] of [address, coin.amount].entries()) {
    await page.locator(".copy").nth(i).click();
    const copied = () => page.evaluate<string>("navigator.clipboard.readText()");
    await eventually(copied, { until: (now) => now === text });
  }
  await eventually(() => left.innerText(), {
    until: (now) => /^14:\d\d$/.test(now) && now < before,
  });
});
