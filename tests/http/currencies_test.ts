import assert from "node:assert/strict";
import { addCurrency, setCurrency } from "../../src/networks/currencies.ts";
import { setNetwork } from "../../src/networks/set.ts";
import { enable, makeNetwork } from "../support/gateway.ts";
import { DEAD_NODE, makeClockedMerchant, startClockedGateway } from "./clocked_gateway.ts";

const gateway = await startClockedGateway();
Deno.test.afterAll(() => gateway.stop());
const { deps } = gateway;
const CONTRACT = "0xdAC17F958D2ee523a2206206994597C13D831ec7";

async function makeFarNetwork(code: string, chainId: string) {
  await makeNetwork(deps, { code, rpcUrls: [DEAD_NODE], chainId });
  await addCurrency(deps, {
    actor: "test",
    currency: {
      network: code,
      symbol: "USDT",
      name: "Tether USD",
      contractAddress: CONTRACT,
      decimals: 6,
      minDepositAmount: "1.5",
      minWithdrawalAmount: "5",
      feeFlat: "0",
      feePercent: "0.125",
    },
  });
}

await makeFarNetwork("ETH", "1");
await makeFarNetwork("BSC", "56");
await makeFarNetwork("OFF", "57");
await setNetwork(deps, { code: "OFF", change: { isActive: false }, actor: "test" });

/** A merchant with these switches, each "NETWORK/SYMBOL". */
async function makeMerchantWith(
  switches: Record<string, { deposit: boolean; withdrawal: boolean }>,
) {
  const merchant = await makeClockedMerchant(gateway);
  const { accountId } = merchant;
  for (const [asset, on] of Object.entries(switches)) {
    const [network = "", currency = ""] = asset.split("/");
    await enable(deps, { accountId, network, currency, ...on });
  }
  return merchant;
}

const BOTH = { deposit: true, withdrawal: true };
const NEITHER = { deposit: false, withdrawal: false };

interface Entry {
  readonly network: string;
  readonly currency: string;
}

function names(data: readonly Entry[]): string[] {
  return data.map(({ network, currency }) => `${network}/${currency}`).sort();
}

Deno.test("spec 2.2: a native currency and a token are listed with all fields", async () => {
  const { api } = await makeMerchantWith({
    "ETH/ETH": { deposit: true, withdrawal: false },
    "ETH/USDT": { deposit: false, withdrawal: true },
  });
  const { status, body } = await api.get("/v1/currencies");
  assert.equal(status, 200);
  const native = {
    currency: "ETH",
    network: "ETH",
    name: "Ether",
    is_token: false,
    contract_address: null,
    decimals: 18,
    deposit_enabled: true,
    withdrawal_enabled: false,
    min_deposit_amount: "0",
    min_withdrawal_amount: "0.001",
    withdrawal_fee_flat: "0.0001",
    withdrawal_fee_percent: "0.5",
  };
  const token = {
    currency: "USDT",
    network: "ETH",
    name: "Tether USD",
    is_token: true,
    contract_address: CONTRACT,
    decimals: 6,
    deposit_enabled: false,
    withdrawal_enabled: true,
    min_deposit_amount: "1.5",
    min_withdrawal_amount: "5",
    withdrawal_fee_flat: "0",
    withdrawal_fee_percent: "0.125",
  };
  const bySymbol = (a: Entry, b: Entry) => a.currency < b.currency ? -1 : 1;
  assert.deepEqual(body.data.toSorted(bySymbol), [native, token]);
  assert.deepEqual(Object.keys(body).sort(), ["data", "data_count", "message", "success"]);
  assert.equal(body.data_count, 2);
});

Deno.test("spec 2.2: a symbol may exist on several networks as independent rows", async () => {
  const { api } = await makeMerchantWith({
    "ETH/USDT": { deposit: true, withdrawal: false },
    "BSC/USDT": { deposit: false, withdrawal: true },
  });
  const { body } = await api.get("/v1/currencies");
  assert.deepEqual(names(body.data), ["BSC/USDT", "ETH/USDT"]);
  const switches = body.data.map((row: Entry & Record<string, boolean>) => [
    row.network,
    row.deposit_enabled,
    row.withdrawal_enabled,
  ]);
  assert.deepEqual(switches.sort(), [["BSC", false, true], ["ETH", true, false]]);
});

Deno.test("spec 2.2: a row is listed only if deposits or withdrawals are enabled for the account", async () => {
  const nothing = await makeMerchantWith({});
  assert.deepEqual((await nothing.api.get("/v1/currencies")).body.data, []);
  const { api, accountId } = await makeMerchantWith({ "ETH/ETH": NEITHER, "ETH/USDT": BOTH });
  const listed = async () => names((await api.get("/v1/currencies")).body.data);
  assert.deepEqual(await listed(), ["ETH/USDT"]);
  await enable(deps, { accountId, network: "ETH", currency: "USDT", ...NEITHER });
  assert.deepEqual(await listed(), []);
  await enable(deps, { accountId, network: "ETH", currency: "ETH", ...NEITHER, deposit: true });
  assert.deepEqual(await listed(), ["ETH/ETH"]);
  assert.deepEqual((await nothing.api.get("/v1/currencies")).body.data_count, 0);
});

Deno.test("spec 2.2: a row is listed only if the currency is globally active", async () => {
  const { api } = await makeMerchantWith({ "BSC/USDT": BOTH, "BSC/ETH": BOTH });
  const set = (isActive: boolean) =>
    setCurrency(deps, { network: "BSC", symbol: "USDT", change: { isActive }, actor: "test" });
  const listed = async () => names((await api.get("/v1/currencies")).body.data);
  await set(false);
  assert.deepEqual(await listed(), ["BSC/ETH"]);
  await set(true);
  assert.deepEqual(await listed(), ["BSC/ETH", "BSC/USDT"]);
});

Deno.test("contract 1: currencies of an inactive network aren't listed", async () => {
  const { api } = await makeMerchantWith({ "OFF/USDT": BOTH, "OFF/ETH": BOTH, "ETH/ETH": BOTH });
  assert.deepEqual(names((await api.get("/v1/currencies")).body.data), ["ETH/ETH"]);
});

Deno.test("spec 2.2: limits and fees are the current ones", async () => {
  const { api } = await makeMerchantWith({ "BSC/ETH": BOTH });
  const change = {
    minDepositAmount: "0.000000000000000001",
    minWithdrawalAmount: "1000000000000000000000000000000",
    feeFlat: "0.0000000000000000000000001",
    feePercent: "100",
  };
  await setCurrency(deps, { network: "BSC", symbol: "ETH", change, actor: "test" });
  const [row] = (await api.get("/v1/currencies")).body.data;
  assert.deepEqual(
    [
      row.min_deposit_amount,
      row.min_withdrawal_amount,
      row.withdrawal_fee_flat,
      row.withdrawal_fee_percent,
    ],
    Object.values(change),
  );
});

Deno.test("spec 4.2: always the full enabled set: no paging, no filter, no cursor fields", async () => {
  const merchant = await makeClockedMerchant(gateway);
  const { accountId, api } = merchant;
  const symbols = Array.from({ length: 60 }, (_, i) => `T${i}`);
  for (const [i, symbol] of symbols.entries()) {
    const contractAddress = `0x${(i + 1).toString(16).padStart(40, "0")}`;
    await addCurrency(deps, {
      actor: "test",
      currency: {
        network: "BSC",
        symbol,
        name: symbol,
        contractAddress,
        decimals: 18,
        minDepositAmount: "0",
        minWithdrawalAmount: "0",
        feeFlat: "0",
        feePercent: "0",
      },
    });
    await enable(deps, { accountId, network: "BSC", currency: symbol });
  }
  for (const target of ["/v1/currencies", "/v1/currencies?limit=2&currency=T1&cursor=5"]) {
    const { body } = await api.get(target);
    assert.equal(body.data_count, 60);
    assert.deepEqual(names(body.data), symbols.map((symbol) => `BSC/${symbol}`).sort());
    assert.equal("next_cursor" in body || "has_more" in body, false);
  }
});
