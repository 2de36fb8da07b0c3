import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { recordAudit } from "../../src/books/records.ts";
import type { Deps } from "../../src/deps/deps.ts";
import { createAccount } from "../../src/accounts/manage_accounts.ts";
import { createApiKey } from "../../src/access/manage_api_keys.ts";
import { Transactions } from "../../src/deposits/tables/transactions.ts";
import { Withdrawals } from "../../src/withdrawals/table.ts";
import { keepScreenshot, startBrowser } from "../support/dashboard/browser.ts";
import { makeLogin, openAs } from "../support/dashboard/dashboard.ts";
import { enable, makeNetwork, startGateway } from "../support/gateway.ts";
import { makeTransaction, makeWithdrawal } from "../store/reads/make_rows.ts";

const ROWS = 20;
const LINE_PX = 23;
const LINES_MAX = 10;
const ADDRESS = "0x52908400098527886E0F7030069857D2E4169EE7";

async function fill(deps: Deps): Promise<void> {
  await makeNetwork(deps, { rpcUrls: ["http://127.0.0.1:1"] });
  const { id: accountId } = await createAccount(deps, { name: "Acme", actor: "test" });
  const asset = { accountId, network: "ETH", currency: "ETH" };
  await enable(deps, asset);
  const may = { permissions: [], ipList: [], rateLimit: 1 };
  const { row: { keyId } } = await createApiKey(deps, {
    ...{ accountId, label: "shop", ...may, actor: "test" },
  });
  await deps.db.write({
    reads: [],
    decide: (view) => {
      for (let n = 0; n < ROWS; n++) {
        const txHash = `0x${String(n).padStart(64, "0")}`;
        const amounts = { amount: "1234.567891", fee: "12.345678" };
        recordAudit(view, {
          ...{ actor: `api:${keyId}`, action: "withdrawal.requested", nowMs: n },
          subject: `ETH/ETH ${ADDRESS}`,
          detail: { amount: amounts.amount, reference: `order ${n}` },
        });
        view.insert(
          Transactions,
          makeTransaction({
            ...{
              id: 0,
              ...asset,
              direction: "withdrawal",
              status: "confirmed",
              live: 1,
              position: 0,
            },
            ...{ txHash, toAddress: ADDRESS, amount: amounts.amount, addressId: null },
            ...{ depositRequestId: null, withdrawalId: null, sweepId: null },
          }),
        );
        view.insert(
          Withdrawals,
          makeWithdrawal({
            ...{ id: 0, ...asset, keyId, status: "confirmed", clientReference: `w${n}` },
            ...{ ...amounts, toAddress: ADDRESS, txHash },
          }),
        );
      }
    },
  });
}

const heights = (page: Page) =>
  page.evaluate<number[]>(
    `[...document.querySelectorAll("tbody tr")].map((row) => row.offsetHeight)`,
  );

/** How many pixels of the table are cut off on the right. */
const hidden = (page: Page) =>
  page.evaluate<number>(
    `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector(".scroll"))`,
  );

Deno.test("the audit log is readable on a phone, and payment lists fit a screen with all their buttons", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  await using browser = await startBrowser();
  await fill(gateway.deps);
  const { deps, url } = gateway;
  const page = await openAs(browser, { url, login: await makeLogin(deps) });
  await page.setViewportSize({ width: 390, height: 800 });
  await page.goto(`${url}/dashboard/audit`);
  const rows = await heights(page);
  assert.ok(rows.length >= ROWS);
  assert.deepEqual(rows.filter((px) => px > LINES_MAX * LINE_PX), []);
  await page.setViewportSize({ width: 1280, height: 800 });
  for (const list of ["withdrawals", "transactions"]) {
    await page.goto(`${url}/dashboard/${list}`);
    await page.locator("tbody tr").first().waitFor();
    await keepScreenshot(page, `table-${list}`);
    assert.equal(await hidden(page), 0, list);
  }
});
