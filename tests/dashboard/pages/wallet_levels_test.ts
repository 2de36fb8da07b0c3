import assert from "node:assert/strict";
import { runIn } from "../../cli/world_host.ts";
import { lookAtWallets, type WalletLook } from "../../../src/wallets/look.ts";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { createWithdrawal } from "../../../src/withdrawals/create.ts";
import { setNetwork } from "../../../src/networks/set.ts";
import { gasWallet } from "../../../src/wallets/gas_wallet.ts";
import { haltWallet } from "../../../src/wallets/halt.ts";
import { auditPage } from "../../../src/audit/reads/page.ts";
import { Addresses } from "../../../src/wallets/tables/addresses.ts";
import { someWallets } from "../../../src/wallets/reads/wallets.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { keepScreenshot, startBrowser } from "../../support/dashboard/browser.ts";
import { dashboardFetch, makeLogin, openAs } from "../../support/dashboard/dashboard.ts";
import { csrfOf } from "../../../src/dashboard/cookies.ts";
import { ETHER, setBalance, STRANGER } from "../../support/payers.ts";
import { settleAll, startPayingWorld } from "../../support/payouts.ts";
import type { World } from "../../support/world.ts";

/** Each look is 20 seconds later, so no recent answer is reused. */
function looker({ deps }: World) {
  let aheadMs = 0;
  const clock = { nowMs: () => Date.now() + aheadMs };
  return async (): Promise<WalletLook[]> => {
    aheadMs += 20_000;
    const rows = await someWallets(deps.db, 50);
    return await lookAtWallets({ ...deps, clock }, { rows, waitMs: 5_000 });
  };
}

const levels = (looks: readonly WalletLook[]) =>
  looks.map(({ row, level, stocks }) => [
    row.purpose,
    level,
    ...stocks.map(({ held, needed, symbol }) => `${held} of ${needed} ${symbol}`),
  ]);

Deno.test("a hot wallet is low below its needs or its target, and empty without coins", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { accountId, hotWallet, credentials: { keyId } } } = world;
  const look = looker(world);
  assert.deepEqual(levels(await look()), [["hot", "ok", "200 of 0 ETH"]]);

  await createWithdrawal(deps, {
    caller: { accountId, keyId, actor: "test", signature: null },
    ...{ network: "ETH", currency: "ETH", toAddress: STRANGER, amount: "60", clientReference: "w" },
  });
  assert.deepEqual(levels(await look()), [["hot", "ok", "200 of 60 ETH"]]);
  await setBalance(anvil, hotWallet, 59n * ETHER);
  await anvil.mine(1);
  assert.deepEqual(levels(await look()), [["hot", "low", "59 of 60 ETH"]]);
  await setBalance(anvil, hotWallet, 61n * ETHER);
  await anvil.mine(1);
  assert.deepEqual(levels(await look()), [["hot", "ok", "61 of 60 ETH"]]);

  const change = { hotGasTarget: "123" };
  await setNetwork(deps, { code: "ETH", change, actor: "test" });
  assert.deepEqual(levels(await look()), [["hot", "low", "61 of 60 ETH"]]);
  await setNetwork(deps, { code: "ETH", change: { hotGasTarget: "122" }, actor: "test" });
  assert.deepEqual(levels(await look()), [["hot", "ok", "61 of 60 ETH"]]);
  await setBalance(anvil, hotWallet, 0n);
  await anvil.mine(1);
  assert.deepEqual(levels(await look()), [["hot", "empty", "0 of 60 ETH"]]);
});

Deno.test("a sent payment counts until a block has it, and then the cost of one more payment does", async () => {
  await using anvil = await startAnvil({ args: ["--no-mining"] });
  await using world = await startPayingWorld({ anvil });
  const { merchant: { api } } = world;
  const look = looker(world);
  await api.post("/v1/withdrawals", {
    ...{ network: "ETH", currency: "ETH", to_address: STRANGER, amount: "20" },
    client_reference: "sent",
  });
  const needed = async () => Number((await look())[0]!.stocks[0]!.needed.toString());
  const sent = await needed();
  assert.ok(sent > 20 && sent < 20.1, String(sent));
  await anvil.mine(3);
  await world.round();
  const later = await needed();
  assert.ok(later > 0 && later < 0.05, String(later));
});

Deno.test("tokens that an account may withdraw and its wallet lacks are missing there", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { accountId, hotWallet } } = world;
  const token = await world.addToken();
  const look = looker(world);
  assert.deepEqual(levels(await look()), [["hot", "ok", "200 of 0 ETH"]]);
  const asset = { accountId, network: "ETH", currency: "USDT" };
  await adjustBalance(deps, { ...asset, amount: "5", note: "test", actor: "test" });
  assert.deepEqual(levels(await look()), [["hot", "empty", "200 of 0 ETH", "0 of 0 USDT"]]);
  await token.send("mint", [hotWallet, 7_000_000n]);
  await anvil.mine(1);
  assert.deepEqual(levels(await look()), [["hot", "ok", "200 of 0 ETH", "7 of 0 USDT"]]);
});

Deno.test("wallet list says of each wallet what it holds and what is missing", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { accountId, hotWallet } } = world;
  const { address: gas } = await gasWallet(deps, { network: "ETH", actor: "test" });
  await setNetwork(deps, { code: "ETH", change: { hotGasTarget: "410" }, actor: "test" });
  const listed = JSON.parse((await runIn(world, ["wallet", "list", "--json"])).out);
  const wallet = { network: "ETH", halted_reason: null };
  assert.deepEqual(listed, [
    {
      ...wallet,
      account_id: accountId,
      purpose: "hot",
      address: hotWallet,
      state: "low",
      outputs: null,
      holds: [{ currency: "ETH", amount: "200", needed: "0", missing: "210" }],
    },
    {
      ...wallet,
      account_id: null,
      purpose: "gas",
      address: gas,
      state: "empty",
      outputs: null,
      holds: [{ currency: "ETH", amount: "0", needed: "410", missing: "410" }],
    },
  ]);
  const { out } = await runIn(world, ["wallet", "list"]);
  assert.match(out, /STATE +HOLDS +NEEDS/);
  assert.match(out, /low +200 ETH +210 ETH/);
  assert.match(out, /empty +0 ETH +410 ETH/);
  await setNetwork(deps, {
    code: "ETH",
    change: { hotGasTarget: "0", rpcUrls: ["http://127.0.0.1:1"] },
    actor: "test",
  });
  const unknown = await runIn(world, ["wallet", "list", "--json"]);
  const [{ state, holds }] = JSON.parse(unknown.out);
  assert.deepEqual([state, holds[0].amount], ["unknown", null]);
});

Deno.test("a gas wallet must fill hot wallets below half, and without a node levels are unknown", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps } = world;
  const look = looker(world);
  const { address } = await gasWallet(deps, { network: "ETH", actor: "test" });
  const gas = async () => levels(await look()).find(([purpose]) => purpose === "gas");
  assert.deepEqual(await gas(), ["gas", "empty", "0 of 0 ETH"]);
  await setBalance(anvil, address, 9n * ETHER);
  await anvil.mine(1);
  assert.deepEqual(await gas(), ["gas", "ok", "9 of 0 ETH"]);
  await setNetwork(deps, { code: "ETH", change: { hotGasTarget: "410" }, actor: "test" });
  assert.deepEqual(await gas(), ["gas", "low", "9 of 410 ETH"]);
  await setNetwork(deps, {
    code: "ETH",
    change: { rpcUrls: ["http://127.0.0.1:1"] },
    actor: "test",
  });
  assert.deepEqual((await look()).map(({ level }) => level), ["unknown", "unknown"]);
});

Deno.test("the overview shows which wallets need what, all to operators and their own to merchants", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await using browser = await startBrowser();
  const { deps, url, merchant: { accountId, hotWallet } } = world;
  const other = await world.addMerchant("Other");
  const { address: gas } = await gasWallet(deps, { network: "ETH", actor: "test" });
  // Pages don't wait for a slow node, so the answers must be there already.
  await lookAtWallets(deps, { rows: await someWallets(deps.db, 50), waitMs: 30_000 });
  for (
    const [login, shown] of [
      [await makeLogin(deps), [gas, other.hotWallet, hotWallet]],
      [await makeLogin(deps, { accountId }), [hotWallet]],
    ] as const
  ) {
    const page = await openAs(browser, { url, login });
    await page.goto(`${url}/dashboard`);
    const table = page.getByRole("region", { name: /^Hot (?:and gas )?wallets$/ });
    const codes = await table.locator(".hash code[title]").all();
    const addresses = await Promise.all(codes.map((code) => code.getAttribute("title")));
    assert.deepEqual(addresses.toSorted(), [...shown].toSorted());
    const row = table.getByRole("row").last();
    assert.match(await row.innerText(), /200 ETH[^]*ok/);
    await row.getByText("QR code").click();
    const code = row.getByRole("img", { name: `QR code of ${hotWallet}` });
    await code.evaluate((image: { decode(): Promise<void> }) => image.decode());
    assert.ok(await row.getByRole("button", { name: "Copy" }).first().isVisible());
  }
});

Deno.test("the QR code of a wallet is for those who may see the wallet, and none is for deposit addresses", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, url, merchant } = world;
  const other = await world.addMerchant("Other");
  const { address: gas } = await gasWallet(deps, { network: "ETH", actor: "test" });
  const { body } = await merchant.api.post("/v1/deposit-addresses", {
    ...{ network: "ETH", currency: "ETH", user_identifier: "u" },
  });
  const tokens = [
    (await makeLogin(deps)).token,
    (await makeLogin(deps, { accountId: merchant.accountId })).token,
    (await makeLogin(deps, { accountId: other.accountId, email: "other@example.com" })).token,
  ];
  const answers = async (address: string) => {
    const row = await deps.db.find(Addresses, ["ETH", address], "address");
    return await Promise.all(tokens.map(async (token) => {
      const answer = await dashboardFetch(url, { path: `/wallets/${row!.id}/qr.svg`, token });
      const text = await answer.text();
      if (answer.status !== 200) return answer.status;
      assert.equal(answer.headers.get("content-type"), "image/svg+xml");
      assert.equal(answer.headers.get("cache-control"), "no-store");
      return /^<svg .*aria-label="(0x\w+)"/.exec(text)![1];
    }));
  };
  assert.deepEqual(await answers(merchant.hotWallet), [
    merchant.hotWallet,
    merchant.hotWallet,
    404,
  ]);
  assert.deepEqual(await answers(gas), [gas, 404, 404]);
  assert.deepEqual(await answers(body.data.address), [404, 404, 404]);
});

Deno.test("a halted wallet says why on its page, and an operator lets it sign again", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await using browser = await startBrowser();
  const { deps, url, merchant: { accountId } } = world;
  const [wallet] = await someWallets(deps.db, 9);
  await haltWallet(deps, wallet!, "seen elsewhere");
  const merchant = await makeLogin(deps, { accountId });
  const path = `/wallets/${wallet!.id}/resume`;
  const form = { csrf: csrfOf(merchant.token) };
  const refused = await dashboardFetch(url, { path, token: merchant.token, form });
  assert.equal(refused.status, 404);
  await refused.body?.cancel();

  const login = await makeLogin(deps);
  const page = await openAs(browser, { url, login, isScriptOn: false });
  await page.goto(`${url}/dashboard`);
  await page.getByRole("cell", { name: "halted" }).waitFor();
  await page.getByRole("link", { name: "All wallets" }).click();
  await page.getByText("has stopped signing: seen elsewhere").waitFor();
  await page.getByRole("button", { name: "Resume signing" }).click();
  await page.getByText(`${wallet!.address} can sign again`).waitFor();
  const actor = `user:${login.user.id}`;
  const rows = await auditPage(deps.db, { actor, subject: null, cursor: null, limit: 9 });
  assert.deepEqual(rows.map(({ action }) => action), ["wallet.resumed"]);
});

Deno.test("a wallet with an unexplained payment signs again only if its operator disowns the payment", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await using browser = await startBrowser();
  const { deps, url, merchant: { hotWallet } } = world;
  await anvil.rpc("anvil_impersonateAccount", [hotWallet]);
  await anvil.rpc("eth_sendTransaction", [{ from: hotWallet, to: hotWallet, value: "0x1" }]);
  await settleAll(world);
  const login = await makeLogin(deps);
  const page = await openAs(browser, { url, login, isScriptOn: false });
  await page.goto(`${url}/dashboard/wallets`);
  await page.getByRole("button", { name: "Resume signing" }).click();
  await page.getByText("sent one payment that the books do not explain").waitFor();
  await page.goto(`${url}/dashboard/wallets`);
  await page.getByLabel(/none of them was a payout/).check();
  await page.getByRole("button", { name: "Resume signing" }).click();
  await page.getByText(`${hotWallet} can sign again`).waitFor();
});

Deno.test("on a phone a wallet's holdings are visible without moving its table", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await using browser = await startBrowser();
  const { deps, url, merchant: { accountId, hotWallet } } = world;
  const token = await world.addToken();
  const asset = { accountId, network: "ETH", currency: "USDT" };
  await adjustBalance(deps, { ...asset, amount: "5", note: "test", actor: "test" });
  await token.send("mint", [hotWallet, 1_234_567_890_123n]);
  await setBalance(anvil, hotWallet, 200n * ETHER + 123_456_789_012_345_678n);
  await anvil.mine(1);
  const page = await openAs(browser, { url, login: await makeLogin(deps), isPhone: true });
  await page.goto(`${url}/dashboard/wallets`);
  await keepScreenshot(page, "operator-wallets-held-phone");
  const table = page.getByRole("region", { name: /^Hot (?:and gas )?wallets$/ });
  const { x, width } = (await table.boundingBox())!;
  for (const held of ["200.1234 ETH", "1,234,567.89 USDT"]) {
    const box = (await table.getByText(held).boundingBox())!;
    assert.ok(box.x >= x && box.x + box.width <= x + width, `${held} ends within the table`);
  }
});
