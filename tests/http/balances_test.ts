import assert from "node:assert/strict";
import { adjustBalance } from "../../src/accounts/manage_accounts.ts";
import { enable, makeNetwork, makeToken } from "../support/gateway.ts";
import { DEAD_NODE, makeClockedMerchant, startClockedGateway } from "./clocked_gateway.ts";

const gateway = await startClockedGateway();
Deno.test.afterAll(() => gateway.stop());
const { deps } = gateway;
for (const [code, chainId] of [["ETH", "1"], ["BSC", "56"]] as const) {
  await makeNetwork(deps, { code, rpcUrls: [DEAD_NODE], chainId });
  await makeToken(deps, { network: code, contract: "0xdAC17F958D2ee523a2206206994597C13D831ec7" });
}

async function makeRich(amounts: Record<string, string>) {
  const merchant = await makeClockedMerchant(gateway);
  for (const [asset, amount] of Object.entries(amounts)) {
    await give(merchant.accountId, asset, amount);
  }
  return merchant;
}

async function give(accountId: number, asset: string, amount: string) {
  const [network = "", currency = ""] = asset.split("/");
  await adjustBalance(deps, { accountId, network, currency, amount, note: "", actor: "test" });
}

function row(asset: string, balance: string, held = "0", available = balance) {
  const [network, currency] = asset.split("/");
  return { currency, network, balance, held, available };
}

interface Row {
  readonly network: string;
  readonly currency: string;
}

function sorted(data: readonly Row[]): Row[] {
  const name = ({ network, currency }: Row) => `${network}/${currency}`;
  return data.toSorted((a, b) => name(a) < name(b) ? -1 : 1);
}

Deno.test("spec 2.3: one row per (currency, network) with a balance record, with these fields", async () => {
  const { api, accountId } = await makeRich({});
  await enable(deps, { accountId, network: "ETH", currency: "ETH" });
  const empty = await api.get("/v1/balances");
  assert.equal(empty.status, 200);
  assert.deepEqual(empty.body, { success: true, message: "OK", data: [], data_count: 0 });
  await give(accountId, "ETH/ETH", "1.5");
  await give(accountId, "ETH/USDT", "20");
  await give(accountId, "BSC/USDT", "3");
  const { body } = await api.get("/v1/balances");
  assert.deepEqual(sorted(body.data), [
    row("BSC/USDT", "3"),
    row("ETH/ETH", "1.5"),
    row("ETH/USDT", "20"),
  ]);
  assert.equal(body.data_count, 3);
  assert.equal("next_cursor" in body, false);
});

Deno.test("spec 2.3, contract 1: a balance that went to zero keeps its row and says 0", async () => {
  const { api, accountId } = await makeRich({ "ETH/ETH": "1.50" });
  await give(accountId, "ETH/ETH", "-1.5");
  assert.deepEqual((await api.get("/v1/balances")).body.data, [row("ETH/ETH", "0")]);
});

/** The amount that is booked, and the plain notation that is returned. */
const AMOUNTS: readonly (readonly [string, string])[] = [
  ["1", "1"],
  ["1.000", "1"],
  ["007", "7"],
  ["100", "100"],
  ["10.10", "10.1"],
  ["0.000000000000000001", "0.000000000000000001"],
  ["0.0000001", "0.0000001"],
  ["123456789012345678901234567890", "123456789012345678901234567890"],
  ["1000000000000000000000000", "1000000000000000000000000"],
  ["0.1234567890123456789012345678901234567", "0.1234567890123456789012345678901234567"],
];

for (const [put, shown] of AMOUNTS) {
  Deno.test(`spec 2.3, contract 1: a balance of ${put} is shown exactly and in plain notation: ${shown}`, async () => {
    const { api } = await makeRich({ "ETH/ETH": put });
    assert.deepEqual((await api.get("/v1/balances")).body.data, [row("ETH/ETH", shown)]);
  });
}

Deno.test("spec 1: sums are exact: a tenth ten times, and 18 decimals beside 20 digits", async () => {
  const { api, accountId } = await makeRich({});
  for (let i = 0; i < 10; i++) await give(accountId, "ETH/ETH", "0.1");
  assert.deepEqual((await api.get("/v1/balances")).body.data, [row("ETH/ETH", "1")]);
  await give(accountId, "ETH/ETH", "12345678901234567890");
  await give(accountId, "ETH/ETH", "0.000000000000000001");
  const [{ balance }] = (await api.get("/v1/balances")).body.data;
  assert.equal(balance, "12345678901234567891.000000000000000001");
});

const THREE = { "ETH/ETH": "1", "ETH/USDT": "2", "BSC/USDT": "3" };
const FILTERS: Record<string, readonly string[]> = {
  "currency=USDT": ["BSC/USDT", "ETH/USDT"],
  "currency=usdt": ["BSC/USDT", "ETH/USDT"],
  "currency=UsDt": ["BSC/USDT", "ETH/USDT"],
  "network=ETH": ["ETH/ETH", "ETH/USDT"],
  "network=eth": ["ETH/ETH", "ETH/USDT"],
  "currency=usdt&network=bsc": ["BSC/USDT"],
  "network=BSC&currency=USDT": ["BSC/USDT"],
  "currency=ETH&network=BSC": [],
  "currency=USD": [],
  "currency=USDTT": [],
  "currency=%25": [],
  "currency=_SDT": [],
  "currency=*": [],
  "network=nowhere": [],
  "limit=1&cursor=1": ["BSC/USDT", "ETH/ETH", "ETH/USDT"],
};

for (const [query, expected] of Object.entries(FILTERS)) {
  Deno.test(`spec 4.3: GET /v1/balances?${query} filters by symbol and network code in any case`, async () => {
    const { api } = await makeRich(THREE);
    const { status, body } = await api.get(`/v1/balances?${query}`);
    assert.equal(status, 200);
    const names = sorted(body.data).map(({ network, currency }) => `${network}/${currency}`);
    assert.deepEqual(names, expected);
    assert.equal(body.data_count, expected.length);
  });
}

Deno.test("spec 2.3: balances of a currency that was switched off are still shown", async () => {
  const { api, accountId } = await makeRich({ "ETH/USDT": "2" });
  const order = { accountId, network: "ETH", currency: "USDT" };
  await enable(deps, { ...order, deposit: false, withdrawal: false });
  assert.deepEqual((await api.get("/v1/balances")).body.data, [row("ETH/USDT", "2")]);
});

Deno.test("spec 1: another account's balances are never shown", async () => {
  const rich = await makeRich(THREE);
  const poor = await makeRich({ "ETH/ETH": "9" });
  assert.deepEqual((await poor.api.get("/v1/balances")).body.data, [row("ETH/ETH", "9")]);
  assert.deepEqual((await poor.api.get("/v1/balances?currency=USDT")).body.data, []);
  assert.equal((await rich.api.get("/v1/balances")).body.data_count, 3);
});
