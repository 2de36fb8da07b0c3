import assert from "node:assert/strict";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { setNetwork } from "../../../src/networks/set.ts";
import { alerts } from "../../support/alerts.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { deploy } from "../../support/nodes/contracts.ts";
import { startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { enable } from "../../support/gateway.ts";
import { setBalance } from "../../support/payers.ts";
import { startWorld } from "../../support/world.ts";
import { ETHER, makePayer, type Payer, submittedId } from "./_paying.ts";
import { assertRefused } from "./refusals.ts";

const anvil = await startAnvil();
const proxy = await startFaultProxy(anvil.url, () => "pass");
const world = await startWorld({ anvil, rpcUrls: [proxy.url], env: { CPG_WORKER: "false" } });
const { deps } = world;
const token = await world.addToken();
const rejector = await deploy(anvil, { name: "Rejector" });
Deno.test.afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await proxy[Symbol.asyncDispose]();
  await anvil.stop();
});

async function failing(isOpen = true) {
  const rows = await alerts(deps.db, { isOpen, limit: 100 });
  return rows.filter(({ kind }) => kind === "withdrawals_failing")
    .map(({ subject, message }) => ({ subject, message }));
}

async function failsWith(payer: Payer, change: Record<string, unknown> = {}): Promise<string> {
  const reply = await payer.withdraw(change);
  assertRefused(reply, "broadcast_rejected");
  return reply.body.data.error_message;
}

Deno.test("an empty hot wallet is one alert in coins, closed by the first withdrawal that is paid", async () => {
  const payer = await makePayer({ world, balance: "10", coins: 0n });
  const subject = `network:ETH account:${payer.accountId} hot_wallet_empty`;
  const words = "The hot wallet has 0 ETH, and 1 ETH are to be paid";
  assert.equal(await failsWith(payer), words);
  const [alert, ...others] = await failing();
  assert.deepEqual(others, []);
  assert.equal(alert?.subject, subject);
  const remedy = String.raw`send 1 ETH and about 0\.0*[1-9]\d? ETH for fees to ${payer.hotWallet}`;
  assert.match(alert!.message, new RegExp(`^Withdrawals on ETH fail, .*: ${words}: ${remedy}$`));
  assert.equal(await failsWith(payer, { amount: "1.5" }), words.replace("1 ETH", "1.5 ETH"));
  assert.deepEqual(await failing(), [alert]);

  const rich = await makePayer({ world, balance: "10" });
  submittedId(await rich.withdraw());
  assert.deepEqual(await failing(), [alert], "another account's wallet says nothing of this one");

  await setBalance(anvil, payer.hotWallet, ETHER);
  assert.match(
    await failsWith(payer),
    /^The hot wallet needs 1\.0\d+ ETH and has 1 ETH$/,
  );
  assert.deepEqual(await failing(), [alert]);
  await setBalance(anvil, payer.hotWallet, 5n * ETHER);
  submittedId(await payer.withdraw());
  assert.deepEqual(await failing(), []);
});

Deno.test("missing tokens are reported in tokens, even if the token reverts with its own words", async () => {
  const payer = await makePayer({ world, balance: "10" });
  const asset = { accountId: payer.accountId, network: "ETH", currency: "USDT" };
  await enable(deps, asset);
  await adjustBalance(deps, { ...asset, amount: "100", note: "", actor: "test" });
  await token.send("mint", [payer.hotWallet, 4_500_000n]);
  const usdt = { currency: "USDT", amount: "5" };
  const words = "The hot wallet has 4.5 USDT, and 5 USDT are to be paid";
  assert.equal(await failsWith(payer, usdt), words);
  const [alert] = await failing();
  assert.match(alert!.message, new RegExp(`${words}: send 0\\.5 USDT to ${payer.hotWallet}$`));
  await token.send("mint", [payer.hotWallet, 500_000n]);
  submittedId(await payer.withdraw(usdt));
  assert.deepEqual(await failing(), []);
});

Deno.test("a hot wallet without tokens and gas is one alert that says how much of both is missing", async () => {
  const payer = await makePayer({ world, balance: "10", coins: 0n });
  const asset = { accountId: payer.accountId, network: "ETH", currency: "USDT" };
  await enable(deps, asset);
  await adjustBalance(deps, { ...asset, amount: "100", note: "", actor: "test" });
  await failsWith(payer, { currency: "USDT", amount: "5" });
  const [alert] = await failing();
  assert.match(
    alert!.message,
    new RegExp(`: send 5 USDT and about 0\\.0\\d+ ETH for fees to ${payer.hotWallet}$`),
  );
  await setBalance(anvil, payer.hotWallet, ETHER);
  await token.send("mint", [payer.hotWallet, 5_000_000n]);
  submittedId(await payer.withdraw({ currency: "USDT", amount: "5" }));
  assert.deepEqual(await failing(), []);
});

Deno.test("a gas price above the operator's limit is one alert for the network, in the limit's unit", async () => {
  const limit = (gasPriceMaxRaw: string | null) =>
    setNetwork(deps, { code: "ETH", change: { gasPriceMaxRaw }, actor: "test" });
  const payers = await Promise.all([1, 2].map(() => makePayer({ world, balance: "10" })));
  await limit("2000");
  for (const payer of payers) {
    assert.match(
      await failsWith(payer),
      /^a unit of gas costs \d+(\.\d+)? gwei, the limit is 0\.000002$/,
    );
  }
  const reported = await failing();
  assert.deepEqual(reported.map(({ subject }) => subject), ["network:ETH gas_price_limit"]);
  await limit(null);
  submittedId(await payers[1]!.withdraw());
  assert.deepEqual(await failing(), []);
});

Deno.test("a node that doesn't answer is one alert, closed when it pays again", async () => {
  const payer = await makePayer({ world, balance: "10" });
  proxy.onCall = () => ({ status: 500, body: "" });
  assert.equal(await failsWith(payer), "The node did not answer");
  proxy.onCall = () => "pass";
  const reported = await failing();
  assert.deepEqual(reported.map(({ subject }) => subject), ["network:ETH node_silent"]);
  submittedId(await payer.withdraw());
  assert.deepEqual(await failing(), []);
});

Deno.test("the recipient's own fault alerts nobody", async () => {
  const payer = await makePayer({ world, balance: "10" });
  const before = await failing(false);
  await failsWith(payer, { to_address: rejector.address });
  assert.deepEqual(await failing(false), before);
});
