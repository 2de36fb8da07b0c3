import assert from "node:assert/strict";
import { addCurrency } from "../../src/networks/currencies.ts";
import { setNetwork } from "../../src/networks/set.ts";
import { setReceivingWallet } from "../../src/accounts/receiving_wallet.ts";
import { enable, makeNetwork } from "../support/gateway.ts";
import { DEAD_NODE, makeClockedMerchant, startClockedGateway } from "./clocked_gateway.ts";
import { assertInvalid, assertRefused } from "./withdrawals/refusals.ts";

const gateway = await startClockedGateway();
Deno.test.afterAll(() => gateway.stop());
const { deps } = gateway;
await makeNetwork(deps, { code: "ETH", rpcUrls: [DEAD_NODE], chainId: "1" });
await makeNetwork(deps, { code: "BSC", rpcUrls: [DEAD_NODE], chainId: "56" });
await addCurrency(deps, {
  actor: "test",
  currency: {
    network: "ETH",
    symbol: "USDT",
    name: "Tether USD",
    contractAddress: "0xdAC17F958D2ee523a2206206994597C13D831ec7",
    decimals: 6,
    minDepositAmount: "0",
    minWithdrawalAmount: "0",
    feeFlat: "0",
    feePercent: "0",
  },
});

const target = (network: string) => `/v1/hot-wallet-address?network=${network}`;

async function makeEnabled(networks: readonly string[] = ["ETH"]) {
  const merchant = await makeClockedMerchant(gateway);
  const { accountId, api } = merchant;
  const wallets: string[] = [];
  for (const network of networks) {
    wallets.push(await enable(deps, { accountId, network, currency: "ETH" }));
  }
  const addressOn = async (network: string): Promise<string> => {
    const { status, body } = await api.get(target(network));
    assert.equal(status, 200, JSON.stringify(body));
    return body.data.address;
  };
  return { ...merchant, wallets, addressOn };
}

Deno.test("spec 4.9: data has the requested code in capitals and the hot wallet address to fund", async () => {
  const { api, wallets } = await makeEnabled();
  for (const asked of ["ETH", "eth", "eTh"]) {
    const { status, body } = await api.get(target(asked));
    assert.equal(status, 200);
    assert.deepEqual(body, {
      success: true,
      message: "OK",
      data: { network: "ETH", address: wallets[0] },
    });
  }
  assert.match(wallets[0]!, /^0x[0-9a-fA-F]{40}$/);
});

Deno.test("contract 1: hot-wallet-address without network is 422 naming it", async () => {
  const { api } = await makeEnabled();
  for (const query of ["", "?", "?Network=ETH", "?currency=ETH"]) {
    assertInvalid(await api.get(`/v1/hot-wallet-address${query}`), ["network"]);
  }
});

Deno.test('spec 4.9: without a matching active network it is 404 "Network not found"', async () => {
  const { api } = await makeEnabled();
  for (const network of ["nowhere", "ETHX", "ET", "%25", "x".repeat(1000)]) {
    assertRefused(await api.get(target(network)), "network_not_found");
  }
});

Deno.test("spec 4.9: an inactive network is 404, and has the same address once it is active again", async () => {
  const { api, wallets, addressOn } = await makeEnabled(["BSC"]);
  await setNetwork(deps, { code: "BSC", change: { isActive: false }, actor: "test" });
  assertRefused(await api.get(target("BSC")), "network_not_found");
  await setNetwork(deps, { code: "BSC", change: { isActive: true }, actor: "test" });
  assert.equal(await addressOn("BSC"), wallets[0]);
});

Deno.test("spec 4.9: a network without enabled currencies of the account is 404", async () => {
  const { api, accountId } = await makeEnabled(["BSC"]);
  assertRefused(await api.get(target("ETH")), "hot_wallet_not_allocated");
  const wallet = await enable(deps, { accountId, network: "ETH", currency: "USDT" });
  assert.equal((await api.get(target("ETH"))).body.data.address, wallet);
});

Deno.test("spec 2.7: exactly one per (account, network), and its address is permanent", async () => {
  const { accountId, wallets, addressOn } = await makeEnabled();
  const order = { accountId, network: "ETH" };
  await enable(deps, { ...order, currency: "USDT" });
  await enable(deps, { ...order, currency: "ETH", deposit: false });
  assert.equal(await addressOn("ETH"), wallets[0]);
  const [row] = await deps.db.query(
    "SELECT count(*) AS n FROM addresses WHERE account_id = ? AND purpose = 'hot'",
    [accountId],
  );
  assert.equal(Number(row!.n), 1);
});

Deno.test("contract 1: after all currencies are switched off the hot wallet is still answered", async () => {
  const { accountId, wallets, addressOn } = await makeEnabled();
  const off = { accountId, network: "ETH", currency: "ETH", deposit: false, withdrawal: false };
  await enable(deps, off);
  assert.equal(await addressOn("ETH"), wallets[0]);
  await enable(deps, { accountId, network: "ETH", currency: "ETH" });
  assert.equal(await addressOn("ETH"), wallets[0]);
});

Deno.test("spec 2.7: every account has its own hot wallet on every network", async () => {
  const merchants = await Promise.all([makeEnabled(["ETH", "BSC"]), makeEnabled(["ETH", "BSC"])]);
  const addresses = await Promise.all(
    merchants.flatMap(({ addressOn }) => [addressOn("ETH"), addressOn("BSC")]),
  );
  assert.equal(new Set(addresses).size, 4);
});

Deno.test("spec 2.7: the first currencies enabled at the same moment share one hot wallet", async () => {
  const { accountId } = await makeClockedMerchant(gateway);
  const currencies = ["ETH", "USDT", "ETH", "USDT", "ETH"];
  const wallets = await Promise.all(
    currencies.map((currency) => enable(deps, { accountId, network: "ETH", currency })),
  );
  assert.equal(new Set(wallets).size, 1);
});

Deno.test("spec 2.7: the receiving wallet is a different address, and so is every deposit address", async () => {
  const { api, accountId, addressOn } = await makeEnabled();
  const address = "0x52908400098527886E0F7030069857D2E4169EE7";
  await setReceivingWallet(deps, { accountId, network: "ETH", address, actor: "test" });
  const allocated = await api.post("/v1/deposit-addresses", { currency: "ETH", network: "ETH" });
  const hot = await addressOn("ETH");
  assert.notEqual(hot, address);
  assert.notEqual(hot, allocated.body.data.address);
});
