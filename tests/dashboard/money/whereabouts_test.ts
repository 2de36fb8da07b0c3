import assert from "node:assert/strict";
import { addUpCoins } from "../../../src/accounts/coins_moved.ts";
import { approveWithdrawal } from "../../../src/approvals/approve.ts";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { type AssetMoney, moneyOf } from "../../../src/payouts/money_of.ts";
import { Amount } from "../../../src/domain/money/amount.ts";
import { Withdrawals } from "../../../src/withdrawals/table.ts";
import { CoinMoves } from "../../../src/accounts/tables/coins.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { dashboardFetch, makeLogin } from "../../support/dashboard/dashboard.ts";
import { ETHER, setBalance, STRANGER } from "../../support/payers.ts";
import { askForApprovals, receivedBy, sentId } from "../../support/payouts.ts";
import {
  fundGasWallet,
  payIn,
  RECEIVER,
  startSweepingWorld,
  type SweepingWorld,
} from "../../support/sweeping.ts";
import { allocate } from "../../support/views.ts";

const CLI = { person: "cli", actor: "cli", user: undefined };

Deno.test("Home says where deposits, sweeps, gas, fees, payouts and bookings left an account's coins", async () => {
  await using anvil = await startAnvil();
  await using world = await startSweepingWorld({ anvil });
  const { deps, merchant: { accountId, api, hotWallet } } = world;
  const token = await world.addToken();
  await fundGasWallet(world);
  const coins = await allocate(api);
  const tokens = await allocate(api, { currency: "USDT" });
  await payIn(world, { to: coins.address, raw: 3n * ETHER });
  await payIn(world, { to: tokens.address, raw: 226_600_000n, token });
  await world.turn(4);
  const sweptRaw = await receivedBy(anvil, RECEIVER);
  const book = (currency: string, amount: string) =>
    adjustBalance(deps, {
      ...{ accountId, network: "ETH", currency, amount, note: "test", actor: "test" },
    });
  await book("ETH", "-0.5");
  await book("USDT", "7");
  await setBalance(anvil, hotWallet, 10n * ETHER);
  await payIn(world, { to: hotWallet, raw: 40_000_000n, token });
  await anvil.mine(1);
  const order = { network: "ETH", to_address: STRANGER, client_reference: crypto.randomUUID() };
  sentId(await api.post("/v1/withdrawals", { ...order, currency: "USDT", amount: "10" }));
  const again = { client_reference: crypto.randomUUID(), currency: "ETH", amount: "1" };
  sentId(await api.post("/v1/withdrawals", { ...order, ...again }));
  await world.turn(2);
  const hotRaw = await receivedBy(anvil, hotWallet);

  const [eth, usdt] = await both(world);
  assert.deepEqual(partsOf(usdt), {
    balance: "222.6",
    payable: "30",
    swept: "226.6",
    charged: "-1",
    unexplained: "-33",
  });
  const ofRaw = (raw: bigint) => Amount.fromRaw(raw, { asset: "ETH/ETH", decimals: 18 });
  const hot = ofRaw(hotRaw);
  const sum = (...list: Amount[]) => list.reduce((all, one) => all.plus(one), ofRaw(0n)).toString();
  assert.equal(eth.charged.toString(), "-0.0051");
  assert.equal(eth.swept.toString(), ofRaw(sweptRaw).toString(), "the wallet has exactly this");
  assert.equal(eth.booked.toString(), "-0.5");
  // All of the fees: what the 3 coins lost, what the tokens' gas cost, and what two payouts cost.
  const ownFees = ofRaw(3n * ETHER - sweptRaw);
  const paidFees = ofRaw(10n * ETHER).minus(ofRaw(ETHER)).minus(hot);
  const left = ofRaw(await receivedBy(anvil, tokens.address));
  const inHot = sum(eth.payable!, eth.beyond, eth.keptForGas.minus(left));
  assert.equal(inHot, hot.toString());
  const gasFees = eth.toppedUp.negated().minus(left);
  assert.equal(eth.fees.toString(), sum(ownFees, paidFees, gasFees));
  assert.equal(eth.unexplained?.toString(), "-10", "exactly what came to the hot wallet");

  const before = (await both(world)).map(partsOf);
  const noted = await deps.db.rows(CoinMoves, "ORDER BY id");
  const text = await Deno.readTextFile("migrations/0100_coins_moved.sql");
  const [, past = ""] = text.split("-- What happened before this.");
  // What was signed is in another table since.
  const statements = past.replaceAll("signed_transfers", "signed_transactions").split(";")
    .filter((sql) => sql.trim() !== "");
  await deps.db.execute(
    ["DELETE FROM coin_moves", ...statements].map((sql) => ({ sql, args: [] })),
  );
  const found = await deps.db.rows(CoinMoves, "ORDER BY id");
  const told = (rows: typeof noted) =>
    rows.map(({ id: _, atMs: _at, ...row }) => JSON.stringify(row)).toSorted();
  assert.deepEqual(told(found), told(noted), "an older database gets the same");
  await addUpCoins(deps);
  assert.deepEqual(await deps.db.rows(CoinMoves, "ORDER BY id"), []);
  assert.deepEqual((await both(world)).map(partsOf), before, "added up or not, it is the same");
  const { token: login } = await makeLogin(deps, { accountId });
  const home = await (await dashboardFetch(world.url, { path: "", token: login })).text();
  assert.match(home, /Swept to your wallet, since \d{4}-\d\d-\d\d<\/dt>/);
  assert.match(home, /Network fees paid<\/dt>/);
  assert.match(home, /href="\/dashboard\/balances\/ETH\/USDT">Not explained by deposits<\/a>/);
  assert.doesNotMatch(home, /In your own wallet/);
  const rows = columnsIn(home);
  assert.equal(rows.length, 2);
  for (const { Coin, Yours, ...columns } of rows) {
    assert.ok("Other" in columns && "Kept for the fee" in columns);
    assert.ok(!("On deposit addresses" in columns), "They are swept");
    assert.equal(Amount.sumOf(Object.values(columns), "any").toString(), Yours, Coin);
  }
});

Deno.test("Home tells an account to which nothing was swept that its coins are on addresses", async () => {
  await using anvil = await startAnvil();
  await using world = await startSweepingWorld({ anvil, receiver: null });
  const { deps, url, merchant: { accountId, api } } = world;
  const { address } = await allocate(api);
  await payIn(world, { to: address, raw: 3n * ETHER });
  await world.turn(2);
  const [eth] = await moneyOf(deps, { accountId, waitMs: 5_000 });
  assert.deepEqual(partsOf(eth!), { balance: "3", onDeposits: "3" });
  const { token } = await makeLogin(deps, { accountId });
  const home = await (await dashboardFetch(url, { path: "", token })).text();
  assert.doesNotMatch(home, /Swept to your wallet|In your own wallet|Not explained/);
  // Nothing moves them, so they aren't under way.
  assert.deepEqual(columnsIn(home)[0], {
    ...{ Coin: "ETH", Yours: "3", "Can be paid out": "0", "Under way": "0" },
    ...{ "On deposit addresses": "3", "Moved to your wallet": "0", "Gas and fees": "0" },
  });
});

Deno.test("Home explains every coin while a payout waits, is in a block, and is confirmed", async () => {
  await using anvil = await startAnvil();
  await using world = await startSweepingWorld({ anvil, receiver: null });
  const { deps, merchant: { accountId, api, hotWallet } } = world;
  const token = await world.addToken();
  await setBalance(anvil, hotWallet, 10n * ETHER);
  await payIn(world, { to: hotWallet, raw: 40_000_000n, token });
  const asset = { accountId, network: "ETH", note: "what the wallet holds", actor: "test" };
  await adjustBalance(deps, { ...asset, currency: "USDT", amount: "40" });
  await adjustBalance(deps, { ...asset, currency: "ETH", amount: "10" });
  for (const [currency, raw] of [["USDT", 226_600_000n], ["ETH", 3n * ETHER]] as const) {
    const { address } = await allocate(api, { currency });
    await payIn(world, { to: address, raw, ...currency === "USDT" ? { token } : {} });
  }
  await world.turn(2);
  await askForApprovals(deps);
  const order = { network: "ETH", to_address: STRANGER };
  for (const [currency, amount] of [["USDT", "10"], ["ETH", "1"]] as const) {
    await api.post("/v1/withdrawals", {
      ...order,
      ...{ currency, amount, client_reference: crypto.randomUUID() },
    });
  }
  // Each look is two seconds after the last one: no answer of a node is old enough by itself.
  let laterMs = 0;
  const look = async () => {
    laterMs += 2_000;
    const clock = { ...deps.clock, nowMs: () => deps.clock.nowMs() + laterMs };
    const money = await moneyOf({ ...deps, clock }, { accountId, waitMs: 5_000 });
    const of = (symbol: string) => money.find(({ row }) => row.currency === symbol)!;
    const eth = of("ETH");
    assert.equal(`${eth.unexplained}`, "0", JSON.stringify(partsOf(eth)));
    return partsOf(of("USDT"));
  };
  const inWallet = { balance: "266.6", payable: "30", held: "11", onDeposits: "226.6" };
  assert.deepEqual(await look(), { ...inWallet, charged: "-1" });
  await anvil.rpc("evm_setAutomine", [false]);
  for (const id of [1, 2]) await approveWithdrawal(deps, { id, decider: CLI });
  await world.round();
  assert.deepEqual(await look(), { ...inWallet, charged: "-1" }, "sent, and in no block");
  await anvil.mine(1);
  await world.round();
  assert.equal((await deps.db.get(Withdrawals, [1])).status, "broadcasted");
  assert.deepEqual(await look(), { ...inWallet, charged: "-1" }, "in a block that isn't final");
  await world.turn(1);
  assert.equal((await deps.db.get(Withdrawals, [1])).status, "confirmed");
  assert.deepEqual(await look(), {
    ...{ balance: "255.6", payable: "30", onDeposits: "226.6", charged: "-1" },
  });
});

/** Of each coin, the exact figures by the titles of their columns. */
function columnsIn(home: string): Record<string, string>[] {
  const [, table = ""] =
    /<caption class="hidden">Your money<\/caption>([^]*?)<\/table>/.exec(home) ??
      [];
  const textIn = (html: string) => html.replaceAll(/<[^>]*>/g, "").replaceAll(/\s+/g, " ").trim();
  const titles = [...table.matchAll(/<th[ >][^]*?<\/th>/g)].map(([cell]) => textIn(cell));
  const rows = [...table.matchAll(/<tr>\s*(<td[^]*?)<\/tr>/g)];
  return rows.map(([, row = ""]) => {
    const cells = [...row.matchAll(/<td[ >][^]*?<\/td>/g)].map(([cell]) => {
      const [, exact] = /title="([^"]*)"/.exec(cell) ?? [];
      const [money] = /<span id="[^]*$/.exec(cell) ?? [cell];
      const shown = textIn(money.replaceAll(/<small>[^]*?<\/small>/g, ""));
      return exact ?? shown;
    });
    return Object.fromEntries(titles.map((title, i) => [title, cells[i] ?? ""]));
  });
}

async function both({ deps, merchant: { accountId } }: SweepingWorld) {
  const money = await moneyOf(deps, { accountId, waitMs: 5_000 });
  const of = (symbol: string) => money.find(({ row }) => row.currency === symbol)!;
  return [of("ETH"), of("USDT")] as const;
}

/** Those that aren't 0, which add up to the balance. */
function partsOf(money: AssetMoney): Record<string, string> {
  const { row, sweptSinceMs: _, isPaidOut: _paid, isCut: _cut, isOpenCut: _open, ...rest } = money;
  const { hasGas: _gas, most: _most, isSwept: _swept, ...parts } = rest;
  const amounts = Object.entries(parts).flatMap(([name, amount]) =>
    amount === undefined || amount.isZero() ? [] : [[name, amount.toString()] as const]
  );
  const total = Amount.sumOf(amounts.map(([, text]) => text), "any");
  assert.equal(total.toString(), row.balance, JSON.stringify(amounts));
  return { balance: row.balance, ...Object.fromEntries(amounts) };
}
