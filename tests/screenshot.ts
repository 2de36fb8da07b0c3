import { startBrowser } from "./support/dashboard/browser.ts";
import { makeCheckout } from "./support/programs/checkout.ts";
import { openDocumentShell } from "./support/document_shell.ts";

/** Takes docs/dashboard.png from the demo, after its guide and a few withdrawals. */
const TARGET = new URL("../docs/dashboard.png", import.meta.url).pathname;
const PASSWORD = "correct horse battery staple";
/** Volumes are added up every half minute. */
const VOLUMES_AFTER_S = 40;
const AMOUNTS = ["37.5", "120", "64.25", "980", "15"];

await using checkout = await makeCheckout();
await using shell = await openDocumentShell(checkout);
const guide = await shell.start("deno task -q demo");
const [, lines] = /(# cpg METHOD[^]*)The command line works/.exec(guide)!;
const [setUpUrl] = /\S+set-up\S+/.exec(guide)!;
await shell.run(lines!);
const orders = AMOUNTS.map((amount, i) =>
  JSON.stringify({
    network: "ETH",
    currency: "USDT",
    to_address: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    amount,
    client_reference: `order-${i}`,
  })
);
await shell.run(orders.map((order) => `cpg POST /v1/withdrawals '${order}'\n`).join(""));
await shell.run(`sleep ${VOLUMES_AFTER_S}`);

await using browser = await startBrowser();
const page = await browser.open();
await page.setViewportSize({ width: 1200, height: 900 });
await page.goto(setUpUrl!);
await page.fill("[name=email]", "ops@example.com");
await page.fill("[name=password]", PASSWORD);
await page.fill("[name=again]", PASSWORD);
await page.locator("form button:visible").last().click();
await page.waitForURL(/profile/);
await page.goto(setUpUrl!.replace(/\/set-up.*/, ""));
await page.screenshot({ path: TARGET });
