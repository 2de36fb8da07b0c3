import assert from "node:assert/strict";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { setNetwork } from "../../../src/networks/set.ts";
import { gasWallet } from "../../../src/wallets/gas_wallet.ts";
import { resumeNetwork } from "../../../src/following/resume_network.ts";
import { resumeWallet } from "../../../src/restore/resume_wallet.ts";
import { Addresses } from "../../../src/wallets/tables/addresses.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { ETHER, makePayer, setBalance, STRANGER } from "../../support/payers.ts";
import { sentId, settleAll, startPayingWorld, statusOf } from "../../support/payouts.ts";
import {
  alertsOf,
  allocate,
  balanceOf,
  cursorOf,
  depositsOf,
  withdraw,
} from "../../support/views.ts";

const ACTOR = "test";

Deno.test("a network that was reorganised below its finalized block pays again once resumed (hazard 6)", async () => {
  await using anvil = await startAnvil({ args: ["--slots-in-an-epoch", "2"] });
  await using world = await startPayingWorld({ anvil });
  const { api } = world.merchant;
  const payer = await makePayer(anvil, 77);
  const { address } = await allocate(api);
  await payer.pay({ nonce: 0, to: address, amountRaw: 2n * ETHER });
  await anvil.mine(12);
  await world.round();
  assert.equal((await balanceOf(api)).balance, "102");
  await anvil.rpc("anvil_reorg", [12 + 1, []]);
  await world.round();
  assert.match((await cursorOf(world.deps)).haltedReason!, /below its finalized block/);
  const refused = await withdraw(api, { to: STRANGER, amount: "1" });
  assert.deepEqual([refused.status, refused.body.error.code], [503, "unavailable"]);
  assert.equal(refused.body.message, "Withdrawals are paused for this currency");
  await resumeNetwork(world.deps, { network: "ETH", fromBlock: undefined, actor: ACTOR });
  await anvil.mine(5);
  await world.round();
  await world.round();
  assert.equal((await cursorOf(world.deps)).haltedReason, null);
  assert.deepEqual((await depositsOf(api)).map(({ status }) => status), ["failed"]);
  assert.equal((await balanceOf(api)).balance, "100");
  assert.deepEqual((await alertsOf(world.deps)).map(({ kind }) => kind), ["deposit_reversed"]);
  const id = sentId(await withdraw(api, { to: STRANGER, amount: "1" }));
  await settleAll(world);
  assert.equal(await statusOf(api, id), "confirmed");
  await assert.rejects(
    resumeNetwork(world.deps, { network: "ETH", fromBlock: undefined, actor: ACTOR }),
    /ETH is not halted/,
  );
});

Deno.test("a wallet whose key was used elsewhere signs again after an operator resumes it (hazard 47)", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { api, hotWallet } = world.merchant;
  const first = sentId(await withdraw(api, { to: STRANGER, amount: "1" }));
  await settleAll(world);
  await anvil.rpc("anvil_impersonateAccount", [hotWallet]);
  await anvil.rpc("eth_sendTransaction", [{ from: hotWallet, to: STRANGER, value: "0x1" }]);
  await settleAll(world);
  assert.equal(await statusOf(api, first), "confirmed");
  assert.equal((await withdraw(api, { to: STRANGER, amount: "1" })).status, 502);
  const kinds = (await alertsOf(world.deps)).map(({ kind }) => kind).sort();
  assert.deepEqual(kinds, ["foreign_spend", "wallet_halted", "withdrawals_failing"]);
  const order = { network: "ETH", address: hotWallet, actor: ACTOR };
  await assert.rejects(
    resumeWallet(world.deps, order),
    /sent one payment that the books do not explain, 0x\w{64} first$/,
  );
  await resumeWallet(world.deps, { ...order, isAnyway: true });
  assert.deepEqual((await alertsOf(world.deps)).map(({ kind }) => kind), ["foreign_spend"]);
  const [wallet] = await world.deps.db.rows(Addresses, "WHERE address = ?", [hotWallet]);
  assert.deepEqual([wallet!.haltedReason, wallet!.nonceFloor], [null, 2]);
  const second = sentId(await withdraw(api, { to: STRANGER, amount: "1" }));
  await settleAll(world);
  assert.equal(await statusOf(api, second), "confirmed");
  await assert.rejects(resumeWallet(world.deps, order), /is not halted/);
});

Deno.test("contract 1: a hot wallet without gas is refused once, filled up, and then pays", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { accountId, api, hotWallet } } = world;
  await setNetwork(deps, { code: "ETH", change: { hotGasTarget: "5" }, actor: ACTOR });
  const token = await world.addToken();
  const asset = { accountId, network: "ETH", currency: "USDT" };
  await adjustBalance(deps, { ...asset, amount: "100", note: "test", actor: ACTOR });
  await token.send("mint", [hotWallet, 50_000_000n]);
  const { address } = await gasWallet(deps, { network: "ETH", actor: "test" });
  await setBalance(anvil, address, 100n * ETHER);
  await setBalance(anvil, hotWallet, 0n);
  await anvil.mine(1);
  const payTokens = () =>
    api.post("/v1/withdrawals", {
      ...{ network: "ETH", currency: "USDT", to_address: STRANGER, amount: "10" },
      client_reference: crypto.randomUUID(),
    });
  assert.equal((await payTokens()).status, 502);
  await settleAll(world);
  const id = sentId(await payTokens());
  const coins = await withdraw(api, { to: STRANGER, amount: "1" });
  assert.equal(coins.status, 502, "what it was filled up with is for gas");
  await settleAll(world);
  assert.equal(await statusOf(api, id), "confirmed");
  const { body } = await api.get("/v1/transactions?direction=gas_topup");
  const [row] = body.data;
  assert.deepEqual([row.status, row.amount_decimal, row.to_address], ["confirmed", "5", hotWallet]);
  assert.deepEqual(await depositsOf(api), []);
});
