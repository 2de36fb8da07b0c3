import assert from "node:assert/strict";
import { adoptByHash } from "../../../src/restore/adopt_spends.ts";
import { createWithdrawal } from "../../../src/withdrawals/create.ts";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { rescan } from "../../../src/following/rescan.ts";
import { resumeWallet } from "../../../src/restore/resume_wallet.ts";
import { Addresses } from "../../../src/wallets/tables/addresses.ts";
import { Withdrawals } from "../../../src/withdrawals/table.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { apiClient } from "../../support/api_client.ts";
import { enable, makeMerchant, makeNetwork } from "../../support/gateway.ts";
import { playOnTron } from "../../support/grounds/scenario.ts";
import { ETHER, setBalance, STRANGER } from "../../support/payers.ts";
import { receivedBy, sentId, settleAll } from "../../support/payouts.ts";
import { lastedUntilMs, takeBackup } from "../../support/restoring.ts";
import { fundGasWallet } from "../../support/sweeping.ts";
import { alertsOf, balanceOf, withdraw, withdrawalOf } from "../../support/views.ts";
import { startWorld, type World } from "../../support/world.ts";

const NO_TERMS = { withdrawal: undefined, fee: undefined, keyId: undefined, reference: undefined };
const BY = { network: "ETH", actor: "test" };
const ORDER = { to: STRANGER, amount: "3", reference: "order 7" };
const OFF = { CPG_WORKER: "false" };
const ETH = { network: "ETH", currency: "ETH" };

/** An account whose first currency of the network is enabled after the backup. */
async function makeLate(world: World) {
  const { deps, url } = world;
  const { accountId, credentials } = await makeMerchant({ deps, url }, { name: "Late" });
  const asset = { accountId, ...ETH };
  await adjustBalance(deps, { ...asset, amount: "100", note: "test", actor: "test" });
  return {
    accountId,
    api: apiClient(url, credentials),
    keyId: credentials.keyId,
    enable: () => enable(world.deps, asset),
  };
}

const haltOf = async ({ deps }: World, address: string) =>
  (await deps.db.find(Addresses, ["ETH", address], "address"))!.haltedCode;

for (const times of ["once", "twice"]) {
  Deno.test(`a hot wallet created again after books were restored ${times} pays nothing until all is booked`, async () => {
    await using anvil = await startAnvil();
    await using world = await startWorld({ anvil, env: OFF });
    const late = await makeLate(world);
    await using backup = await takeBackup(world);
    const hotWallet = await late.enable();
    await setBalance(anvil, hotWallet, 200n * ETHER);
    await anvil.mine(1);
    const paid = [];
    for (const order of [ORDER, { ...ORDER, reference: "order 8" }]) {
      const id = sentId(await withdraw(late.api, order));
      await settleAll(world);
      paid.push({ ...order, txHash: (await withdrawalOf(late.api, id)).tx_hash });
    }
    const balance = await balanceOf(late.api);
    const received = await receivedBy(anvil, STRANGER);

    await backup.bringBack();
    await settleAll(world);
    assert.equal(await late.enable(), hotWallet);
    if (times === "twice") {
      await using later = await takeBackup(world);
      await later.bringBack();
    }
    assert.equal(await haltOf(world, hotWallet), "made_again");
    const alerts = await alertsOf(world.deps);
    assert.ok(
      alerts.some(({ kind, subject }) => kind === "wallet_halted" && subject === hotWallet),
    );
    const repeat = async () => {
      const { status, body } = await withdraw(late.api, ORDER);
      return [status, body.error?.code ?? body.data.tx_hash];
    };
    assert.deepEqual(await repeat(), [503, "unavailable"]);
    assert.deepEqual(await world.deps.db.rows(Withdrawals, ""), []);
    const resume = () => resumeWallet(world.deps, { ...BY, address: hotWallet });
    await assert.rejects(resume(), /sent 2 transactions, but these books only know of 0$/);
    const { blockNumber } = await anvil.rpc("eth_getTransactionReceipt", [paid[1]!.txHash]);
    const fromBlock = Number(blockNumber);
    await rescan(world.deps, { ...BY, fromBlock, toBlock: undefined });
    await assert.rejects(resume(), /sent 2 transactions, but these books only know of 1$/);
    await rescan(world.deps, { ...BY, fromBlock: 1, toBlock: undefined });
    await assert.rejects(resume(), /2 payments that the books do not explain/);
    for (const { reference, txHash } of paid) {
      const terms = { ...NO_TERMS, keyId: late.keyId, reference };
      await adoptByHash(world.deps, { ...BY, txHash, terms });
    }
    await resume();
    assert.deepEqual(await repeat(), [200, paid[0]!.txHash]);
    await settleAll(world);
    assert.deepEqual(await balanceOf(late.api), balance);
    assert.equal(await receivedBy(anvil, STRANGER), received);
  });
}

Deno.test("a wallet created again isn't resumed by a lagging node, which doesn't count everything", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: OFF });
  const late = await makeLate(world);
  await using backup = await takeBackup(world);
  await anvil.mine(5);
  await backup.bringBack();
  await settleAll(world);
  const address = await late.enable();
  const { deps } = world;
  let isBehind = true;
  const of: typeof deps.chains.of = (network) => {
    const chain = deps.chains.of(network);
    const walletState: typeof chain.walletState = async (...asked) => {
      const state = await chain.walletState(...asked);
      return isBehind ? { ...state, height: 2, nonce: 0 } : state;
    };
    return Object.create(chain, { walletState: { value: walletState } });
  };
  const chains = Object.create(deps.chains, { of: { value: of } });
  const resume = () => resumeWallet({ ...deps, chains }, { ...BY, address });
  await assert.rejects(resume(), /^NodeError: A node of ETH is only at block 2/);
  assert.equal(await haltOf(world, address), "made_again");
  isBehind = false;
  assert.equal((await resume()).haltedReason, null);
});

Deno.test("a withdrawal requested while its wallet is created again leaves no trace", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: OFF });
  const late = await makeLate(world);
  await using backup = await takeBackup(world);
  await backup.bringBack();
  await settleAll(world);
  const { deps } = world;
  const rows: typeof deps.db.rows = async (...asked) => {
    const found = await deps.db.rows(...asked);
    if (asked[1].includes("purpose = 'hot'")) await late.enable();
    return found;
  };
  const { accountId, keyId } = late;
  const asking = createWithdrawal({ ...deps, db: { ...deps.db, rows } }, {
    ...ETH,
    caller: { accountId, keyId, actor: "test", signature: null },
    toAddress: STRANGER,
    amount: "3",
    clientReference: "order 7",
  });
  await assert.rejects(asking, { code: "currency_paused" });
  assert.deepEqual(await deps.db.rows(Withdrawals, ""), []);
});

Deno.test("after a restore new wallets wait for an operator, except those of new accounts", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: OFF });
  const late = await makeLate(world);
  await using backup = await takeBackup(world);
  await backup.bringBack();
  await settleAll(world);
  const made = [await late.enable(), await fundGasWallet(world)];
  for (const address of made) {
    assert.equal(await haltOf(world, address), "made_again");
    await resumeWallet(world.deps, { ...BY, address });
    assert.equal(await haltOf(world, address), null);
  }
  const { hotWallet, api } = await world.addMerchant("New");
  assert.equal(await haltOf(world, hotWallet), null);
  assert.equal((await withdraw(api, ORDER)).body.error.code, "insufficient_balance");
});

Deno.test("wallets created again in another order aren't resumed if the other key has paid", async () => {
  const codes = ["ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE"];
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: OFF });
  for (const code of codes) await makeNetwork(world.deps, { code, rpcUrls: [anvil.url] });
  const { accountId } = await makeMerchant(world, { name: "Late" });
  const enableOn = (network: string) => enable(world.deps, { accountId, network, currency: "ETH" });
  await using backup = await takeBackup(world);
  const then: string[] = [];
  for (const code of codes) then.push(await enableOn(code));
  const payer = then.at(-1)!;
  await setBalance(anvil, payer, ETHER);
  await anvil.rpc("anvil_impersonateAccount", [payer]);
  await anvil.rpc("eth_sendTransaction", [{ from: payer, to: STRANGER, value: "0x1" }]);
  await backup.bringBack();
  await settleAll(world);
  assert.equal(await enableOn("NINE"), then[0]);
  await assert.rejects(
    resumeWallet(world.deps, { network: "NINE", address: then[0]!, actor: "test" }),
    new RegExp(`${payer}, another key of the same owner, has sent transactions on NINE \\(1\\)`),
  );
});

Deno.test("where nonces aren't counted, a wallet created again is resumed once all found is booked", () =>
  playOnTron(async (scene) => {
    const { url, ground, one } = scene;
    const { code, coin } = ground;
    const { accountId, credentials } = await makeMerchant({ deps: scene.deps, url }, {
      name: "Late",
    });
    const asset = { accountId, network: code, currency: coin.symbol };
    await adjustBalance(scene.deps, { ...asset, amount: "10", note: "test", actor: "test" });
    await using backup = await takeBackup(scene);
    const address = await enable(scene.deps, asset);
    await ground.give(address, 20n * one);
    const api = apiClient(url, credentials);
    const payout = { network: code, currency: coin.symbol, to: ground.stranger, amount: "3" };
    const id = sentId(await withdraw(api, payout));
    await scene.turn(2);
    const { tx_hash: txHash } = await withdrawalOf(api, id);
    await backup.bringBack();
    await scene.turn(2);
    assert.equal(await enable(scene.deps, asset), address);
    const order = { network: code, address, actor: "test" };
    const resume = () => resumeWallet(scene.deps, order);
    await assert.rejects(resume(), /signed before the restore, but the newest is from/);
    ground.node.setTime(await lastedUntilMs(scene));
    await scene.turn(2);
    const isUncounted = /keeps no count of what that sent$/;
    await assert.rejects(resume(), isUncounted);
    await rescan(scene.deps, { network: code, fromBlock: 1, toBlock: undefined, actor: "test" });
    await assert.rejects(resume(), /one payment that the books do not explain/);
    await adoptByHash(scene.deps, { network: code, txHash, terms: NO_TERMS, actor: "test" });
    await scene.turn(2);
    await assert.rejects(resume(), isUncounted);
    const { haltedReason } = await resumeWallet(scene.deps, { ...order, isAnyway: true });
    assert.equal(haltedReason, null);
  }));
