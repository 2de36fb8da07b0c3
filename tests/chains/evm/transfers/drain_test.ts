import assert from "node:assert/strict";
import type { Chain } from "../../../../src/chains/chain.ts";
import { connectEvm } from "../../../../src/chains/evm/mod.ts";
import { type Anvil, startAnvil } from "../../../support/nodes/anvil.ts";
import { type Contract, deploy, sendTx } from "../../../support/nodes/contracts.ts";
import { makeWallet, type TestWallet } from "../../../support/nodes/evm_wallet.ts";
import { delegate } from "./delegation.ts";
import { balanceOf, ready, refused, send, setBalance, setBaseFee } from "./preflights.ts";

const HELD_RAW = 10n ** 18n + 7n;
const to = makeWallet(900).address;
let anvil: Anvil;
let chain: Chain;
let hungry: Contract;
let wallets = 0;
Deno.test.beforeAll(async () => {
  anvil = await startAnvil();
  chain = connectEvm({ rpcUrls: [anvil.url] });
  hungry = await deploy(anvil, { name: "Hungry" });
  await sendTx(anvil, { to, valueRaw: 1n });
});
Deno.test.afterAll(() => anvil.stop());

async function makeFunded(node = anvil, heldRaw = HELD_RAW): Promise<TestWallet> {
  const wallet = makeWallet(++wallets);
  await setBalance(node, wallet.address, heldRaw);
  return wallet;
}

function everything(wallet: TestWallet, spendableRaw = HELD_RAW) {
  return { from: wallet.address, to, amountMaxRaw: 2n ** 100n, spendableRaw };
}

Deno.test("an emptied address holds nothing, even if the base fee has moved meanwhile", async () => {
  for (const nextBaseFee of [1_000_000_000n, 1n, 1_300_000_000n]) {
    await setBaseFee(anvil, 1_000_000_000n);
    const wallet = await makeFunded();
    const fresh = connectEvm({ rpcUrls: [anvil.url] });
    const prepared = ready(await fresh.prepareDrain(everything(wallet)));
    assert.equal(prepared.detail.gas, 21_000n);
    assert.equal(prepared.nativeCostMaxRaw, HELD_RAW);
    const before = await balanceOf(anvil, to);
    await anvil.rpc("anvil_setNextBlockBaseFeePerGas", [`0x${nextBaseFee.toString(16)}`]);
    assert.ok((await send({ anvil, chain, wallet }, prepared)).succeeded);
    assert.equal(await balanceOf(anvil, wallet.address), 0n);
    assert.equal(await balanceOf(anvil, to) - before, prepared.request.amountRaw);
  }
});

Deno.test("nothing is left without a base fee either", async () => {
  await using old = await startAnvil({ args: ["--hardfork", "berlin", "--gas-price", "7"] });
  const legacy = connectEvm({ rpcUrls: [old.url] });
  const wallet = await makeFunded(old);
  const prepared = ready(await legacy.prepareDrain(everything(wallet)));
  assert.equal(prepared.request.amountRaw, HELD_RAW - 21_000n * 7n);
  assert.ok((await send({ anvil: old, chain: legacy, wallet }, prepared)).succeeded);
  assert.equal(await balanceOf(old, wallet.address), 0n);
});

Deno.test("no more leaves than was asked for, and then at the usual price", async () => {
  const wallet = await makeFunded();
  const amountMaxRaw = HELD_RAW / 2n;
  const prepared = ready(await chain.prepareDrain({ ...everything(wallet), amountMaxRaw }));
  assert.equal(prepared.request.amountRaw, amountMaxRaw);
  const { fee } = prepared.detail;
  assert.ok(fee.kind === "eip1559" && fee.tipRaw < fee.maxFeeRaw);
  const { gasUsed, gasPriceRaw } = await send({ anvil, chain, wallet }, prepared);
  const left = HELD_RAW - amountMaxRaw - gasUsed * gasPriceRaw;
  assert.equal(await balanceOf(anvil, wallet.address), left);
});

Deno.test("committed coins stay", async () => {
  const wallet = await makeFunded();
  const prepared = ready(await chain.prepareDrain(everything(wallet, HELD_RAW - 5n)));
  assert.ok((await send({ anvil, chain, wallet }, prepared)).succeeded);
  assert.equal(await balanceOf(anvil, wallet.address), 5n);
});

Deno.test("amounts that fees would use up are unaffordable, to the last unit", async () => {
  const wallet = await makeFunded();
  const { feeAtMostRaw } = ready(await chain.prepareDrain(everything(wallet)));
  const least = ready(await chain.prepareDrain(everything(wallet, feeAtMostRaw + 1n)));
  assert.equal(least.request.amountRaw, 1n);
  const dust = await chain.prepareDrain(everything(wallet, feeAtMostRaw));
  assert.match(
    refused(dust, "unaffordable"),
    new RegExp(`up to ${feeAtMostRaw} of the ${feeAtMostRaw} `),
  );
  for (const spendableRaw of [0n, -1n]) {
    refused(await chain.prepareDrain(everything(wallet, spendableRaw)), "unaffordable");
  }
  refused(await chain.prepareDrain({ ...everything(wallet), amountMaxRaw: 0n }), "unaffordable");
});

Deno.test("a receiving contract or delegated account gets the gas it needs, and a little stays (hazard 28)", async () => {
  const delegated = makeWallet(901);
  await delegate(anvil, { wallet: delegated, to: hungry.address });
  for (const receiver of [hungry.address, delegated.address]) {
    const wallet = await makeFunded();
    const prepared = ready(await chain.prepareDrain({ ...everything(wallet), to: receiver }));
    const before = await balanceOf(anvil, receiver);
    const { succeeded, gasUsed } = await send({ anvil, chain, wallet }, prepared);
    assert.ok(succeeded && gasUsed > 21_000n && prepared.detail.gas * 5n >= gasUsed * 6n);
    assert.equal(await balanceOf(anvil, receiver) - before, prepared.request.amountRaw);
    const left = await balanceOf(anvil, wallet.address);
    assert.ok(left > 0n && left < prepared.feeAtMostRaw, `${left}`);

    const poor = await makeFunded();
    const { detail } = ready(await chain.prepareDrain({ ...everything(poor), to: receiver }));
    const starved = { ...prepared, request: { ...prepared.request, from: poor.address } };
    const given = { ...starved, detail: { ...detail, gas: 21_000n } };
    assert.equal((await send({ anvil, chain, wallet: poor }, given)).succeeded, false);
  }
});

Deno.test("a delegated account is known to have code, and is emptied like any other (hazard 49)", async () => {
  const wallet = await makeFunded();
  assert.equal((await chain.walletState(wallet.address, [])).hasCode, false);
  await delegate(anvil, { wallet, to: hungry.address });
  await setBalance(anvil, wallet.address, HELD_RAW);
  assert.equal((await chain.walletState(wallet.address, [])).hasCode, true);
  const prepared = ready(await chain.prepareDrain(everything(wallet)));
  assert.ok((await send({ anvil, chain, wallet }, prepared)).succeeded);
  assert.equal(await balanceOf(anvil, wallet.address), 0n);
});

Deno.test("if the base chain is paid through gas, its part may grow before it is mined", async () => {
  const arbitrum = connectEvm({ rpcUrls: [anvil.url], feeModel: "arbitrum" });
  const wallet = await makeFunded();
  const prepared = ready(await arbitrum.prepareDrain(everything(wallet)));
  assert.equal(prepared.detail.gas, 25_200n);
  assert.ok((await send({ anvil, chain: arbitrum, wallet }, prepared)).succeeded);
  assert.ok(await balanceOf(anvil, wallet.address) > 0n);
});

Deno.test("a recipient that rejects coins is a revert", async () => {
  const rejector = await deploy(anvil, { name: "Rejector" });
  const wallet = await makeFunded();
  const drain = { ...everything(wallet), to: rejector.address };
  assert.match(refused(await chain.prepareDrain(drain), "reverts"), /no coins here/);
});

Deno.test("a stuck drain is replaced by a more expensive one that leaves nothing either (hazard 42)", async () => {
  const wallet = await makeFunded();
  const first = ready(await chain.prepareDrain(everything(wallet)));
  const { raw } = await chain.signTransfer(first, { nonce: 0, signer: wallet.signer });
  await anvil.rpc("evm_setAutomine", [false]);
  await chain.broadcast(raw);
  const second = ready(await chain.prepareDrain(everything(wallet), { outbids: raw }));
  assert.ok(second.feeAtMostRaw * 8n >= first.feeAtMostRaw * 9n);
  const dearer = await chain.signTransfer(second, { nonce: 0, signer: wallet.signer });
  assert.equal((await chain.broadcast(dearer.raw)).kind, "accepted");
  await anvil.mine(1);
  await anvil.rpc("evm_setAutomine", [true]);
  assert.equal((await anvil.rpc("eth_getTransactionReceipt", [dearer.txHash])).status, "0x1");
  assert.equal(await balanceOf(anvil, wallet.address), 0n);
});
