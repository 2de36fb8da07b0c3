import assert from "node:assert/strict";
import { makeInvoice } from "../support/checkout/invoices.ts";
import { makeServerPlace } from "../support/database/database.ts";
import {
  assertAccessible,
  assertFits,
  keepScreenshot,
  startBrowser,
} from "../support/dashboard/browser.ts";
import { enable, makeMerchant, makeNetwork, startGateway } from "../support/gateway.ts";

const GERMAN = "Die Zahlungsseite des Shops ist gerade nicht erreichbar. Es geht nichts verloren.";

Deno.test("while the database is away a payer is told so in a page that comes back by itself", async () => {
  await using place = await makeServerPlace({ isMigrated: true });
  await using gateway = await startGateway({ ...place.env, CPG_WORKER: "false" });
  const { deps, url } = gateway;
  await makeNetwork(deps, { rpcUrls: ["http://127.0.0.1:1"] });
  const { accountId } = await makeMerchant(gateway);
  await enable(deps, { accountId, network: "ETH", currency: "ETH" });
  const { token } = await makeInvoice(deps, { accountId });
  const path = `${url}/pay/${token}?lang=de`;
  await using browser = await startBrowser();
  const page = await browser.open({ isPhone: true });
  // Each second instead of each fifteenth.
  await page.route(path, async (route) => {
    if (route.request().method() === "HEAD") return await route.continue();
    const response = await route.fetch();
    const body = (await response.text()).replace('data-again="15"', 'data-again="1"');
    await route.fulfill({ response, body });
  });

  await place.sqld.kill();
  const answer = await page.goto(path);
  assert.equal(answer?.status(), 503);
  assert.equal(answer?.headers()["retry-after"], "15");
  assert.equal(answer?.headers()["cache-control"], "no-store");
  await page.getByText(GERMAN).waitFor();
  await assertAccessible(page);
  await assertFits(page);
  await keepScreenshot(page, "pay-away-de");
  for (const to of [`/pay/${token}`, `/buy/${token}`, `/refund/${token}`]) {
    const sent = { method: "POST", body: new URLSearchParams({ coin: "ETH.ETH" }) };
    for (const init of [{}, sent]) {
      const headers = { "accept-language": "fr" };
      const { status, text } = await asked(url + to, { ...init, headers });
      assert.equal(status, 503, to);
      assert.match(text, /La page de paiement de la boutique n’est pas disponible/, to);
    }
  }
  // What a script asks for stays short.
  const state = await asked(`${url}/pay/${token}/state`);
  assert.equal(state.status, 503);
  assert.equal(JSON.parse(state.text).success, false);

  const plain = await browser.open({ isScriptOn: false });
  await plain.goto(path);
  const refresh = plain.locator("meta[http-equiv=refresh]");
  assert.equal(await refresh.getAttribute("content"), "15");
  await plain.getByText("Diese Seite lädt alle 15 Sekunden neu.").waitFor();

  const isLook = (response: { request(): { method(): string } }) =>
    response.request().method() === "HEAD";
  assert.equal((await page.waitForResponse(isLook)).status(), 503);
  await page.getByText(GERMAN).waitFor();
  await place.sqld.restart();
  await page.getByText("Senden Sie genau").waitFor();
});

async function asked(url: string, init: RequestInit = {}) {
  const response = await fetch(url, init);
  return { status: response.status, text: await response.text() };
}
