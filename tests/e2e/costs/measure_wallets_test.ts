import assert from "node:assert/strict";
import { findNetwork } from "../../../src/books/find.ts";
import { measureWallets } from "../../../src/wallets/measure.ts";
import { createGatewayMetrics } from "../../../src/upkeep/metrics.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { startPayingWorld } from "../../support/payouts.ts";

Deno.test("a hot wallet's coin and each token that its account withdraws are measured", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { accountId, hotWallet } } = world;
  const token = await world.addToken();
  const other = await world.addMerchant("Without tokens");
  await token.send("mint", [hotWallet, 12_500_000n]);
  const metrics = createGatewayMetrics();
  await measureWallets(deps, { network: await findNetwork(deps, "ETH"), metrics });
  const lines = metrics.text().split("\n")
    .filter((line) => line.startsWith("cpg_hot_wallet_balance{"));
  const line = (account: number, address: string, currency: string, balance: string) =>
    `cpg_hot_wallet_balance{network="ETH",account="${account}",address="${address}",` +
    `currency="${currency}"} ${balance}`;
  assert.deepEqual(lines.toSorted(), [
    line(accountId, hotWallet, "ETH", "200"),
    line(accountId, hotWallet, "USDT", "12.5"),
    line(other.accountId, other.hotWallet, "ETH", "0"),
  ]);
});

Deno.test("a token whose contract is gone hides no other balance", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { hotWallet } } = world;
  const gone = await world.addToken();
  await anvil.rpc("anvil_setCode", [gone.address, "0x"]);
  const metrics = createGatewayMetrics();
  await measureWallets(deps, { network: await findNetwork(deps, "ETH"), metrics });
  const lines = metrics.text().split("\n")
    .filter((line) => line.startsWith("cpg_hot_wallet_balance{"));
  assert.deepEqual(lines.map((line) => line.replace(/.*address="|",currency="|"}/g, " ").trim()), [
    `${hotWallet} ETH  200`,
  ]);
});
