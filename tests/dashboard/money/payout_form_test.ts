import assert from "node:assert/strict";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { mostPayable } from "../../../src/domain/money/most_payable.ts";
import { feeOf } from "../../../src/domain/money/fee.ts";
import { Amount } from "../../../src/domain/money/amount.ts";
import { csrfOf } from "../../../src/dashboard/cookies.ts";
import { LedgerEntries } from "../../../src/books/table.ts";
import { Withdrawals } from "../../../src/withdrawals/table.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { assertAccessible, assertFits, startBrowser } from "../../support/dashboard/browser.ts";
import { dashboardFetch, makeLogin, openAs } from "../../support/dashboard/dashboard.ts";
import { startPayingWorld } from "../../support/payouts.ts";
import { STRANGER } from "../../support/payers.ts";
import type { World } from "../../support/world.ts";

async function startForm() {
  const anvil = await startAnvil();
  const world = await startPayingWorld({ anvil });
  const { deps, url, merchant: { accountId } } = world;
  // The books have more than the 200 in the hot wallet.
  const asset = { accountId, network: "ETH", currency: "ETH" };
  await adjustBalance(deps, { ...asset, amount: "900", note: "x", actor: "test" });
  const login = await makeLogin(deps, { accountId });
  const { token } = login;
  const form = {
    csrf: csrfOf(token),
    account: String(accountId),
    once: "of_one_page_only_123",
    asset: "ETH/ETH",
    to_address: STRANGER,
    amount: "1",
  };
  return {
    ...{ world, login },
    post: async (change: Record<string, string>) => {
      const sent = { path: "/withdrawals/new", token, form: { ...form, ...change } };
      const answer = await dashboardFetch(url, sent);
      return { status: answer.status, text: (await answer.text()).replaceAll("&#39;", "'") };
    },
    [Symbol.asyncDispose]: async () => {
      await world[Symbol.asyncDispose]();
      await anvil[Symbol.asyncDispose]();
    },
  };
}

async function rowsOf({ deps: { db } }: World): Promise<[withdrawals: number, entries: number]> {
  const [withdrawals, entries] = await Promise.all([
    db.rows(Withdrawals, ""),
    db.rows(LedgerEntries, ""),
  ]);
  return [withdrawals.length, entries.length];
}

function faultAt(text: string, field: string): string {
  return new RegExp(`id="field-${field}-fault">([^<]*)<`).exec(text)?.[1] ?? "";
}

Deno.test("a payout that the hot wallet can't cover is refused in the form, and nothing is written", async () => {
  await using started = await startForm();
  const { world, post } = started;
  const before = await rowsOf(world);
  const { status, text } = await post({ amount: "500" });
  assert.equal(status, 422);
  assert.match(
    faultAt(text, "amount"),
    /^The hot wallet has 200 ETH, and 500 ETH are to be paid: send 300 ETH and about 0\.0\d+ ETH for fees to 0x[0-9a-fA-F]{40}$/,
  );
  assert.match(
    text,
    /200 ETH in the hot wallet\. <a href="\/dashboard\/wallets">Fund it<\/a> to pay more\./,
  );
  assert.deepEqual(await rowsOf(world), before);
  assert.equal((await post({ amount: "1" })).status, 303);
  assert.equal((await rowsOf(world))[0], 1);
});

Deno.test("an amount with a decimal comma is paid, and one that may be a thousand is refused", async () => {
  await using started = await startForm();
  const { world: { deps: { db } }, post } = started;
  for (const amount of ["1,000", "1.000,50", "1 000", "1,000.50"]) {
    const { status, text } = await post({ amount });
    const said = "Must be a plain decimal number such as 12.5, without thousands separators";
    assert.deepEqual([status, faultAt(text, "amount")], [422, said], amount);
  }
  assert.deepEqual(await db.rows(Withdrawals, ""), []);
  assert.equal((await post({ amount: " 1,50 " })).status, 303);
  assert.equal((await post({ amount: "0,002", once: "other" })).status, 303);
  assert.deepEqual((await db.rows(Withdrawals, "")).map(({ amount }) => amount), ["1.5", "0.002"]);
});

Deno.test("each error stands next to its field, all at once, and nothing is written", async () => {
  await using started = await startForm();
  const { world, post } = started;
  const before = await rowsOf(world);
  const both = await post({ to_address: "0x1234", amount: "5000" });
  assert.equal(both.status, 422);
  assert.match(faultAt(both.text, "to_address"), /not an address of that network/);
  assert.match(
    faultAt(both.text, "amount"),
    /doesn't cover the amount and its fee: 1000 ETH are available, 5025\.0001 ETH are needed/,
  );
  assert.match(faultAt((await post({ amount: "0" })).text, "amount"), /below the minimum/);
  assert.match(faultAt((await post({ amount: "1e3" })).text, "amount"), /plain decimal number/);
  assert.match(faultAt((await post({ asset: "ETH/NONE" })).text, "asset"), /doesn't exist/);
  assert.match(faultAt((await post({ asset: "x" })).text, "asset"), /one of the listed/);
  assert.deepEqual(await rowsOf(world), before);
});

Deno.test("a form sent again after it was paid is the same payout, even if it couldn't be paid now", async () => {
  await using started = await startForm();
  const { world, post } = started;
  assert.equal((await post({ amount: "150" })).status, 303);
  const again = await post({ amount: "150.0" });
  assert.equal(again.status, 303, again.text);
  const other = await post({ amount: "1" });
  assert.match(other.text, /This form was already sent: it made payout 1\. Open the form again/);
  assert.equal((await rowsOf(world))[0], 1);
  assert.equal((await post({ amount: "150", once: "other" })).status, 422);
  assert.equal((await rowsOf(world))[0], 1);
});

Deno.test("a node that doesn't answer leaves no failed withdrawal", async () => {
  await using started = await startForm();
  const { world, post } = started;
  const before = await rowsOf(world);
  await world.anvil[Symbol.asyncDispose]();
  const { status, text } = await post({});
  assert.equal(status, 422);
  assert.match(faultAt(text, "asset"), /node does not answer, so nothing can be paid/);
  assert.deepEqual(await rowsOf(world), before);
});

Deno.test("while typing, the form shows the fee and what is wrong; without scripts, the server does", async () => {
  await using started = await startForm();
  const { world: { url }, login } = started;
  await using browser = await startBrowser();
  const page = await openAs(browser, { url, login });
  await page.goto(`${url}/dashboard/withdrawals/new`);
  await page.getByLabel("Amount").fill("2.5");
  await page.getByText("Fee: 0.0126 ETH. 2.5126 ETH leave your balance.").waitFor();
  await page.getByLabel("Amount").fill("3,5");
  await page.getByText("Fee: 0.0176 ETH. 3.5176 ETH leave your balance.").waitFor();
  await page.getByLabel("Amount").fill("3,500");
  await page.locator("#field-amount-live", { hasText: "without thousands separators" }).waitFor();
  await page.getByLabel("Amount").fill("700");
  await page.locator("#field-amount-live", { hasText: /^Only [\d.]+ ETH can be paid now$/ })
    .waitFor();
  await page.getByLabel("To address").fill(STRANGER);
  const asked = async (amount: string) => {
    await page.getByLabel("Amount").fill(amount);
    await page.getByRole("button", { name: "Pay out" }).click();
    const dialog = page.getByRole("dialog");
    const lines = (await dialog.locator("#question").innerText()).split(/\n+/);
    await dialog.getByRole("button", { name: "Go back" }).click();
    return lines;
  };
  const warning = "Payments to a wrong address can't be called back.";
  assert.deepEqual(await asked("2.5"), [
    ...["Pay 2.5 ETH to", STRANGER],
    `Fee: 0.0126 ETH. 2.5126 ETH leave your balance. ${warning}`,
  ]);
  assert.deepEqual((await asked("2,5")).at(-1), (await asked("2.5")).at(-1));
  await page.getByLabel("To address").fill("0x12");
  await page.getByText("This is not an address of that network").waitFor();
  await assertAccessible(page);
  await assertFits(page);
  const still = await openAs(browser, { url, login, isScriptOn: false });
  await still.goto(`${url}/dashboard/withdrawals/new`);
  await still.getByLabel("To address").fill(STRANGER);
  await still.getByLabel("Amount").fill("700");
  await still.getByRole("button", { name: "Pay out" }).click();
  await still.locator("#field-amount-fault").waitFor();
  assert.equal(await still.getByLabel("Amount").inputValue(), "700");
});

Deno.test("only who sees several accounts is asked whether this one pays", async () => {
  await using started = await startForm();
  const { world: { deps, url, addMerchant, merchant: { accountId } }, login } = started;
  const operator = await makeLogin(deps);
  const questionFor = async ({ token }: { token: string }) => {
    const path = `/withdrawals/new?account=${accountId}`;
    const html = await (await dashboardFetch(url, { path, token })).text();
    return /data-confirm="(Pay [^\n]*)/.exec(html)?.[1];
  };
  assert.equal(await questionFor(operator), "Pay {amount} {asset} to");
  await addMerchant("Other");
  assert.equal(await questionFor(operator), "Pay {amount} {asset} from {account} to");
  assert.equal(await questionFor(login), "Pay {amount} {asset} to");
});

Deno.test("the most that is payable and its fee never exceed what is available, to the last unit", () => {
  const asset = "ETH/ETH";
  for (const available of ["0", "1", "0.00000001", "123456789.123456789123456789", "99.5"]) {
    for (const feeFlat of ["0", "0.0001", "2", "0.000000000000000001"]) {
      for (const feePercent of ["0", "0.5", "100", "33.333333"]) {
        for (const decimals of [0, 6, 18]) {
          const currency = { feeFlat, feePercent, decimals };
          const left = Amount.parse(available, asset);
          const most = mostPayable(left, currency);
          const costs = (amount: Amount) => amount.plus(feeOf(amount, currency));
          const unit = Amount.fromRaw(1n, { asset, decimals });
          const name = JSON.stringify({ available, ...currency });
          if (!most.isZero()) assert.ok(!left.isLessThan(costs(most)), name);
          assert.ok(left.isLessThan(costs(most.plus(unit))), name);
        }
      }
    }
  }
});
