import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { startBrowser } from "../support/dashboard/browser.ts";
import { makeMerchant, startGateway } from "../support/gateway.ts";

const BODY = '{"network":"ETH","currency":"ETH"}';

/** What is shown once it has been worked out. */
async function shown(page: Page, id: string, pattern: RegExp): Promise<string> {
  const found = page.locator(`#${id}`).filter({ hasText: pattern });
  await found.waitFor();
  return await found.innerText();
}

async function fillIn(page: Page, values: Readonly<Record<string, string>>): Promise<void> {
  for (const [label, value] of Object.entries(values)) {
    await page.getByLabel(label, { exact: true }).fill(value);
  }
}

function headersIn(text: string): [string, string][] {
  return text.split("\n").map((line) => {
    const [name, value] = line.split(": ");
    return [name!, value!];
  });
}

Deno.test("the page signs as the server verifies, offline, and no request has the secret", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  const { credentials: { keyId, secret } } = await makeMerchant(gateway);
  await using browser = await startBrowser();
  const page = await browser.open();
  const sent: string[] = [];
  const faults: string[] = [];
  page.on("request", (request) => sent.push(request.url() + (request.postData() ?? "")));
  page.on("pageerror", (error) => faults.push(error.message));
  await page.goto(`${gateway.url}/docs/sign`);
  const loaded = sent.length;
  await page.context().setOffline(true);
  try {
    for (
      const [method, target, body, status] of [
        ["GET", "/v1/_ping", "", 200],
        ["GET", "/v1/balances?currency=usdt&network=", "", 200],
        ["POST", "/v1/deposit-addresses?x=%20", BODY, 404],
      ] as const
    ) {
      await page.getByLabel("Method", { exact: true }).selectOption(method);
      await fillIn(page, { "Path and query": target, Body: body, "Key id": keyId });
      await fillIn(page, { Secret: secret });
      await shown(page, "line-2", new RegExp(`^${target.split("?")[0]}$`));
      const text = await shown(page, "headers", /X-CPG-Signature: [0-9a-f]{64}/);
      const headers = headersIn(text);
      const init = { method, headers, ...body ? { body } : {} };
      const reply = await fetch(gateway.url + target, init);
      const answer = await reply.json();
      assert.equal(reply.status, status, JSON.stringify(answer));
    }
  } finally {
    await page.context().setOffline(false);
  }
  assert.deepEqual(sent.slice(loaded), []);
  assert.ok(sent.every((one) => !one.includes(secret)));
  assert.equal(await page.evaluate("JSON.stringify({ ...localStorage, ...sessionStorage })"), "{}");
  assert.deepEqual(faults, []);
});

Deno.test("the page can't send anything, and shows what was wrong with pasted headers", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  await using browser = await startBrowser();
  const page = await browser.open();
  await page.goto(`${gateway.url}/docs/sign`);
  const escape = `fetch("/healthz").then(() => "sent", () => "refused")`;
  assert.equal(await page.evaluate(escape), "refused");
  await fillIn(page, { "Path and query": "/v1/_ping", "Key id": "cpg_a", Secret: "hush" });
  const right = await shown(page, "headers", /X-CPG-Signature: [0-9a-f]{64}/);
  const pasted = page.getByLabel("Headers of the refused request");
  await pasted.fill(right);
  await shown(page, "verdict", /The signature is right/);
  await pasted.fill(right.replace(/Timestamp: \d+/, "Timestamp: 1700000000"));
  await shown(page, "verdict", /Timestamp: This is \d+ seconds before/);
  await pasted.fill(right);
  await page.getByLabel("Body", { exact: true }).fill("{}");
  await shown(page, "verdict", /hash of an empty body/);
  const lines = await page.locator(".lines code").allInnerTexts();
  const wrong = lines.with(2, "/v1/_pong").with(3, "").join("\n");
  await pasted.fill(`${right}\n${wrong}`);
  await shown(page, "verdict", /Path: This isn't what you sent/);
  assert.equal(await page.locator("tr.wrong").getByText("/v1/_pong").isVisible(), true);
});
