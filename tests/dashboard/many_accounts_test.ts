import assert from "node:assert/strict";
import { raiseAlert } from "../../src/books/alerts.ts";
import type { Deps } from "../../src/deps/deps.ts";
import { adjustBalance, createAccount } from "../../src/accounts/manage_accounts.ts";
import { createUser } from "../../src/access/manage_users.ts";
import { totalBalances } from "../../src/accounts/total_balances.ts";
import { watchWallets } from "../../src/wallets/watch.ts";
import type { BalanceAsked } from "../../src/chains/chain.ts";
import { dashboardFetch, makeLogin } from "../support/dashboard/dashboard.ts";
import { makeWebhook } from "../support/webhooks.ts";
import { enable, makeNetwork, startGateway } from "../support/gateway.ts";
import { eventually } from "../support/programs/eventually.ts";

const LONG_MS = 16_000;

/** A gateway with an unreachable node, and its clock. */
async function startQuiet() {
  const gateway = await startGateway({ CPG_WORKER: "false" });
  let aheadMs = 0;
  const clock = { nowMs: () => Date.now() + aheadMs };
  await makeNetwork(gateway.deps, { rpcUrls: ["http://127.0.0.1:1"] });
  return { ...gateway, deps: { ...gateway.deps, clock }, wait: (ms: number) => aheadMs += ms };
}

async function addAccount(deps: Deps, n: number): Promise<string> {
  const { id: accountId } = await createAccount(deps, { name: `Merchant ${n}`, actor: "test" });
  return await enable(deps, { accountId, network: "ETH", currency: "ETH" });
}

async function book(deps: Deps, accountId: number, amount: string): Promise<void> {
  const asset = { accountId, network: "ETH", currency: "ETH" };
  await adjustBalance(deps, { ...asset, amount, note: "test", actor: "test" });
}

Deno.test("a few accounts' balances are added up at once, many only now and then, and exactly", async () => {
  await using gateway = await startQuiet();
  const { deps, url, wait } = gateway;
  const total = () => totalBalances(deps, { waitMs: 5_000 });
  assert.deepEqual(await total(), { rows: [] });
  for (let n = 1; n <= 50; n++) {
    await addAccount(deps, n);
    await book(deps, n, `${n}.000000000000000001`);
  }
  const eth = (balance: string) => [{ network: "ETH", currency: "ETH", balance, held: "0" }];
  assert.deepEqual(await total(), { rows: eth("1275.00000000000000005") });
  await book(deps, 50, "-2.1");
  assert.deepEqual(await total(), { rows: eth("1272.90000000000000005") });

  await addAccount(deps, 51);
  await book(deps, 51, "1000000000000000000000000.000000000000000001");
  const sum = "1000000000000000000001272.900000000000000051";
  const many = await total();
  assert.deepEqual(many, { rows: eth(sum), atMs: many.atMs });
  assert.ok(many.atMs);
  await book(deps, 1, "1");
  assert.deepEqual(await total(), many);
  wait(LONG_MS);
  const later = await eventually(total, { until: ({ atMs }) => atMs !== many.atMs });
  assert.deepEqual(later.rows, eth("1000000000000000000001273.900000000000000051"));
  assert.ok(later.atMs! - many.atMs >= LONG_MS);

  const { token } = await makeLogin(deps);
  const answer = await dashboardFetch(url, { path: "", token });
  const html = await answer.text();
  const text = html.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
  assert.match(text, /Balances As of \d\d:\d\d:\d\d UTC/);
  assert.match(text, /ETH Ethereum 1\.000 × 10²⁴ 0/);
  assert.match(html, /title="1,000,000,000,000,000,000,001,273\.900000000000000051"/);
  assert.match(
    text,
    /Not all wallets are shown\. Halted, empty and low ones among the first 200 come first/,
  );
});

Deno.test("of many wallets those that need something are shown, with current holdings", async () => {
  await using gateway = await startQuiet();
  const { deps, wait } = gateway;
  const held = new Map<string, bigint>();
  const chains = {
    of: () => ({
      tip: () => Promise.resolve({ height: 1, hash: "0x1" }),
      balancesAt: (_: unknown, asked: readonly BalanceAsked[]) =>
        Promise.resolve(asked.map(({ address }) => held.get(address)!)),
    }),
  } as unknown as Deps["chains"];
  const wallets: string[] = [];
  const add = async () => {
    const address = await addAccount(deps, wallets.length);
    held.set(address, 5n * 10n ** 18n);
    wallets.push(address);
  };
  const watch = async () => {
    const { looks, isCut } = await watchWallets(
      { ...deps, chains },
      { shownMax: 3, waitMs: 5_000 },
    );
    return {
      isCut,
      shown: looks.map(({ row, level, stocks }) => [
        wallets.indexOf(row.address),
        level,
        String(stocks[0]!.held),
      ]),
    };
  };
  for (let n = 0; n < 3; n++) await add();
  held.set(wallets[2]!, 0n);
  assert.deepEqual(await watch(), {
    isCut: false,
    shown: [[2, "empty", "0"], [0, "ok", "5"], [1, "ok", "5"]],
  });

  for (let n = 3; n < 8; n++) await add();
  held.set(wallets[7]!, 0n);
  assert.deepEqual(await watch(), {
    isCut: true,
    shown: [[2, "empty", "0"], [7, "empty", "0"], [0, "ok", "5"]],
  });
  held.set(wallets[2]!, 1n);
  held.set(wallets[5]!, 0n);
  wait(LONG_MS);
  const later = await eventually(watch, {
    until: ({ shown }) => shown.some(([wallet]) => wallet === 5),
  });
  assert.deepEqual(later, {
    isCut: true,
    shown: [[5, "empty", "0"], [7, "empty", "0"], [0, "ok", "5"]],
  });
});

const LISTS: readonly (readonly [path: string, name: RegExp])[] = [
  ["/accounts", /href="\/dashboard\/accounts\/(\d+)">/g],
  ["/users", />user(\d+)@example\.com</g],
  ["/webhooks", /https:\/\/shop\.example\.com\/(\d+)</g],
  ["/wallets", /href="\/dashboard\/accounts\/(\d+)">/g],
];

Deno.test("pages of accounts, users, webhooks and wallets show each one once", async () => {
  await using gateway = await startQuiet();
  const { deps, url } = gateway;
  const { token } = await makeLogin(deps);
  const all: string[] = [];
  for (let accountId = 1; accountId <= 55; accountId++) {
    await addAccount(deps, accountId);
    const email = `user${accountId}@example.com`;
    await createUser(deps, { email, role: "merchant", accountId, actor: "test" }, null);
    await makeWebhook(deps, { url: `https://shop.example.com/${accountId}`, accountId });
    all.push(String(accountId));
  }
  for (const [list, name] of LISTS) {
    const pages: string[][] = [];
    for (let path: string | undefined = list; path !== undefined;) {
      const answer = await dashboardFetch(url, { path, token });
      const text = await answer.text();
      pages.push([...text.matchAll(name)].map(([, id]) => id!));
      path = /rel="next" href="\/dashboard([^"]*)"/.exec(text)?.[1];
    }
    const listed = pages.flat();
    const inOrder = listed.toSorted((a, b) => Number(a) - Number(b));
    assert.deepEqual(inOrder, all, list);
    assert.ok([listed, listed.toReversed()].some((ids) => ids.join() === all.join()), list);
    assert.ok(pages.length > 1 && pages.every((ids) => ids.length > 0), list);
  }
});

Deno.test("however many hot wallets are low, an operator first sees what is wrong", async () => {
  await using gateway = await startQuiet();
  const { deps, url } = gateway;
  const message = "It is not on the chain that its name says";
  await raiseAlert(deps, { kind: "network_halted", subject: "ETH", message });
  for (let n = 1; n <= 30; n++) {
    const subject = `network:ETH account:${n}`;
    await raiseAlert(deps, { kind: "hot_wallet_low", subject, message: `Wallet ${n} is low` });
  }
  const { token } = await makeLogin(deps);
  for (const path of ["", "/inbox"]) {
    const text = await (await dashboardFetch(url, { path, token })).text();
    assert.match(text, new RegExp(`${message}[^]*Wallet 30 is low`), path);
  }
});
