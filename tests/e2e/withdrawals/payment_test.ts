import assert from "node:assert/strict";
import { Cpg } from "../../../src/sdk/mod.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { deploy } from "../../support/nodes/contracts.ts";
import {
  enable,
  makeMerchant,
  makeNetwork,
  makeToken,
  startGateway,
} from "../../support/gateway.ts";
import { eventually } from "../../support/programs/eventually.ts";

const ETHER = 10n ** 18n;
const STRANGER = "0x00000000000000000000000000000000000A11cE";

Deno.test("spec 1: a native deposit is detected and credited, and a withdrawal is paid and debited", async () => {
  await using anvil = await startAnvil();
  await using gateway = await startGateway();
  await makeNetwork(gateway.deps, { rpcUrls: [anvil.url] });
  const { api, accountId } = await makeMerchant(gateway);
  const hotWallet = await enable(gateway.deps, { accountId, network: "ETH", currency: "ETH" });

  const allocated = await api.post("/v1/deposit-addresses", { currency: "eth", network: "eth" });
  assert.equal(allocated.status, 200, JSON.stringify(allocated.body));
  const { address, request_id } = allocated.body.data;
  await anvil.rpc("eth_sendTransaction", [{
    from: anvil.accounts[0],
    to: address,
    value: hex(2n * ETHER),
  }]);
  const read = () => api.get(`/v1/deposit-requests/${request_id}`);
  const detected = await eventually(read, { until: (r) => r.body.data.transactions.length === 1 });
  assert.equal(detected.body.data.status, "active");
  assert.equal(detected.body.data.transactions[0].status, "detected");
  assert.equal(detected.body.data.transactions[0].confirmations, 1);
  await anvil.mine(2);
  const settled = await eventually(read, { until: (r) => r.body.data.status === "settled" });
  assert.equal(settled.body.data.transactions[0].amount_decimal, "2");
  const balances = await api.get("/v1/balances");
  assert.deepEqual(balances.body.data, [
    { currency: "ETH", network: "ETH", balance: "2", held: "0", available: "2" },
  ]);

  await anvil.rpc("anvil_setBalance", [hotWallet, hex(5n * ETHER)]);
  const submitted = await api.post("/v1/withdrawals", {
    currency: "ETH",
    network: "ETH",
    to_address: STRANGER,
    amount: "1",
    client_reference: "w1",
  });
  assert.equal(submitted.status, 200, JSON.stringify(submitted.body));
  assert.equal(submitted.body.data.status, "broadcasted");
  assert.equal(submitted.body.data.fee_decimal, "0.0051");
  const held = await api.get("/v1/balances?currency=eth&network=ETH");
  assert.equal(held.body.data[0].held, "1.0051");
  assert.equal(held.body.data[0].available, "0.9949");
  await anvil.mine(2);
  const done = await eventually(
    () => api.get(`/v1/withdrawals/${submitted.body.data.withdrawal_id}`),
    {
      until: (r) => r.body.data.status === "confirmed",
    },
  );
  assert.equal(done.body.data.tx_hash, submitted.body.data.tx_hash);
  assert.equal(BigInt(await anvil.rpc("eth_getBalance", [STRANGER, "latest"])), ETHER);
  const after = await api.get("/v1/balances");
  assert.deepEqual(after.body.data, [
    { currency: "ETH", network: "ETH", balance: "0.9949", held: "0", available: "0.9949" },
  ]);
  const replay = await api.post("/v1/withdrawals", {
    currency: "ETH",
    network: "ETH",
    to_address: STRANGER,
    amount: "1",
    client_reference: "w1",
  });
  assert.equal(replay.body.data.id, submitted.body.data.withdrawal_id);
  assert.equal(replay.body.data.status, "confirmed");
  const transactions = await api.get("/v1/transactions");
  assert.deepEqual(
    transactions.body.data.map((
      row: { direction: string; status: string },
    ) => [row.direction, row.status]),
    [["withdrawal", "confirmed"], ["deposit", "confirmed"]],
  );
});

Deno.test("a token deposit is credited by its decimals and a token withdrawal pays exactly its amount", async () => {
  await using anvil = await startAnvil();
  await using gateway = await startGateway();
  await makeNetwork(gateway.deps, { rpcUrls: [anvil.url] });
  const token = await deploy(anvil, { name: "Token", args: ["USDT", 6] });
  await makeToken(gateway.deps, { network: "ETH", contract: token.address });
  const { credentials, accountId } = await makeMerchant(gateway);
  const cpg = new Cpg({ url: gateway.url, ...credentials });
  const hotWallet = await enable(gateway.deps, { accountId, network: "ETH", currency: "USDT" });
  const asset = { currency: "USDT", network: "ETH" };
  const { address, request_id, contract_address } = await cpg.createDepositAddress({
    ...asset,
    user_identifier: "user-1",
  });
  assert.equal(contract_address, token.address);
  await token.send("mint", [address, 25_500_000n]);
  await anvil.mine(3);
  await eventually(() => cpg.readDepositRequest(request_id), {
    until: ({ status }) => status === "settled",
  });
  await token.send("mint", [hotWallet, 100_000_000n]);
  await anvil.rpc("anvil_setBalance", [hotWallet, hex(ETHER)]);
  const order = { ...asset, to_address: STRANGER, amount: 20.5 };
  const submitted = await cpg.createWithdrawal(order);
  assert.ok("withdrawal_id" in submitted);
  await anvil.mine(3);
  await eventually(() => cpg.readWithdrawal(submitted.withdrawal_id), {
    until: ({ status }) => status === "confirmed",
  });
  assert.equal(await token.read("balanceOf", [STRANGER]), 20_500_000n);
  const balances = await cpg.listBalances().all();
  assert.deepEqual(balances, [{ ...asset, balance: "4", held: "0", available: "4" }]);
});

function hex(value: bigint): string {
  return `0x${value.toString(16)}`;
}
