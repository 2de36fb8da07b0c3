import { setAccount } from "../src/accounts/set_account.ts";
import { addUpVolumes } from "../src/accounts/add_up_volumes.ts";
import { adjustBalance } from "../src/accounts/manage_accounts.ts";
import { judgeDue } from "../src/invoices/judge_due.ts";
import { InvoiceAddresses } from "../src/invoices/tables/invoices.ts";
import { addSource } from "../src/rates/manage.ts";
import { makeInvoice } from "./support/checkout/invoices.ts";
import { startBrowser } from "./support/dashboard/browser.ts";
import { makeLogin, openAs } from "./support/dashboard/dashboard.ts";
import { startAnvil } from "./support/nodes/anvil.ts";
import { ETHER, setBalance, STRANGER } from "./support/payers.ts";
import { settleAll } from "./support/payouts.ts";
import { startWorld } from "./support/world.ts";

/** Takes docs/dashboard.png: Home of a shop that has been open for two months. */
const TARGET = new URL("../docs/dashboard.png", import.meta.url).pathname;
const DAY_MS = 86_400_000;
const DAYS = 60;
const PRICES = { ETH: "2870.4", USDT: "0.92" };
const ORDERS = [
  ["1038", "Filter papers", "Lena", "12.5"],
  ["1039", "Espresso machine", "Jonas Weber", "749"],
  ["1040", "Gift card", "Mira", "50"],
  ["1041", "House blend, 1 kg", "Ann", "34.9"],
  ["1042", "Grinder", "Paul", "189"],
] as const;
const actor = "test";

await using anvil = await startAnvil();
await using world = await startWorld({ anvil, env: { CPG_WORKER: "false" } });
const { deps, url, merchant: { accountId, api, hotWallet } } = world;
const token = await world.addToken();
await setAccount(deps, { id: accountId, change: { name: "Roastery", reporting: "EUR" }, actor });
for (const [base, value] of Object.entries(PRICES)) {
  await addSource(deps, { base, quote: "EUR", kind: "manual", value, actor });
}
const float = { accountId, network: "ETH", note: "float", actor };
await adjustBalance(deps, { ...float, currency: "ETH", amount: "1.5" });
await adjustBalance(deps, { ...float, currency: "USDT", amount: "9240" });
await setBalance(anvil, hotWallet, 3n * ETHER / 2n);
await token.send("mint", [hotWallet, 9_240_000_000n]);
await openedBefore();
for (const [reference, description, customer, amount] of ORDERS) {
  const { id } = await makeInvoice(deps, {
    ...{ accountId, amount, currency: "EUR", chosen: { network: "ETH", currency: "USDT" } },
    details: { reference, description, customer },
  });
  const { address } = await deps.db.get(InvoiceAddresses, [id, "ETH"]);
  const raw = BigInt(Math.ceil(1_000_000 * Number(amount) / Number(PRICES.USDT)));
  await token.send("mint", [address, raw]);
}
await api.post("/v1/withdrawals", {
  ...{ network: "ETH", currency: "USDT", to_address: STRANGER, amount: "640" },
  client_reference: "Beans, October",
});
for (let round = 0; round < 2; round++) await settleAll(world);
await judgeDue(deps);
await addUpVolumes(deps);

await using browser = await startBrowser();
const page = await openAs(browser, { url, login: await makeLogin(deps, { accountId }) });
await page.setViewportSize({ width: 1200, height: 900 });
await page.goto(`${url}/dashboard`);
await page.screenshot({ path: TARGET });

/** What came in and went out on each day until yesterday: more each week, least on Sundays. */
async function openedBefore(): Promise<void> {
  const today = Math.floor(Date.now() / DAY_MS);
  await deps.db.execute(
    Array.from({ length: DAYS }, (_, i) => today - DAYS + i).flatMap((day, i) => {
      const isSunday = (day + 4) % 7 === 0;
      const sold = (isSunday ? 90 : 240) + 5 * i + (i * 7_919) % 160;
      const paid = day % 7 === 1 ? 900 + 3 * i : 0;
      return [["deposit", sold], ["withdrawal", paid]].map(([direction = "", amount = 0]) => ({
        sql: `INSERT INTO volumes
(account_id, span, starts_at_ms, network, currency, direction, amount, movements)
VALUES (?, 'day', ?, 'ETH', 'USDT', ?, ?, 1)`,
        args: [accountId, day * DAY_MS, direction, String(amount)],
      }));
    }),
  );
}
