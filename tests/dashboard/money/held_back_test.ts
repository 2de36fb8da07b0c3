import assert from "node:assert/strict";
import { enableCurrency } from "../../../src/accounts/enable_currency.ts";
import { Withdrawals } from "../../../src/withdrawals/table.ts";
import { assertAccessible, keepScreenshot, startBrowser } from "../../support/dashboard/browser.ts";
import { makeLogin, openAs } from "../../support/dashboard/dashboard.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { STRANGER } from "../../support/payers.ts";
import { askForApprovals, startPayingWorld } from "../../support/payouts.ts";
import { withdraw } from "../../support/views.ts";

const WHY = "Payouts of ETH on ETH are switched off for the account";

Deno.test("contract 1: pages say why a payout that waits isn't approved now, and a merchant cancels it", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await using browser = await startBrowser();
  const { deps, url, merchant: { api, accountId } } = world;
  await askForApprovals(deps);
  const { body: { data } } = await withdraw(api, { to: STRANGER, amount: "2" });
  const id = data.withdrawal_id as number;
  await enableCurrency(deps, {
    ...{ accountId, network: "ETH", currency: "ETH", isOperator: true, actor: "test" },
    ...{ isDepositEnabled: true, isWithdrawalEnabled: false },
  });
  const page = await openAs(browser, { url, login: await makeLogin(deps) });
  await page.goto(`${url}/dashboard/inbox`);
  await page.getByText(`It can't be approved now. ${WHY}.`).waitFor();
  await assertAccessible(page);
  await keepScreenshot(page, "inbox-held-back");
  await page.locator(`#payout-${id}`).getByRole("button", { name: "Approve" }).click();
  await page.getByText(`Payout ${id} can't be approved now. ${WHY}`).waitFor();
  assert.equal((await deps.db.get(Withdrawals, [id])).approval, "waiting");

  const theirs = await openAs(browser, { url, login: await makeLogin(deps, { accountId }) });
  await theirs.goto(`${url}/dashboard/withdrawals/${id}`);
  await theirs.getByText(`${WHY}. The amount stays held until`).waitFor();
  await keepScreenshot(theirs, "payout-held-back");
  await theirs.getByRole("button", { name: "Cancel payout" }).click();
  await theirs.getByRole("dialog").getByRole("button", { name: "Cancel payout" }).click();
  await theirs.getByText("Cancelled. The held amount is released").waitFor();
  assert.equal((await deps.db.get(Withdrawals, [id])).status, "cancelled");
});
