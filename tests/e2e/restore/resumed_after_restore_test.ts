import assert from "node:assert/strict";
import { adoptByHash } from "../../../src/restore/adopt_spends.ts";
import { resumeWallet } from "../../../src/restore/resume_wallet.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { Addresses } from "../../../src/wallets/tables/addresses.ts";
import { type Anvil, startAnvil } from "../../support/nodes/anvil.ts";
import { startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { playOnTron } from "../../support/grounds/scenario.ts";
import { showOnly } from "../../support/nodes/lagging_node.ts";
import { spendOwn } from "../../support/nodes/own_wallet.ts";
import { STRANGER } from "../../support/payers.ts";
import { receivedBy, sentId, settleAll, startPayingWorld } from "../../support/payouts.ts";
import { lastedUntilMs, takeBackup } from "../../support/restoring.ts";
import { cursorOf, withdraw } from "../../support/views.ts";

const NO_TERMS = { withdrawal: undefined, fee: undefined, keyId: undefined, reference: undefined };
const BY = { network: "ETH", actor: "test" };
const ORDER = { to: STRANGER, amount: "3", reference: "order 7" };

/** A node that reports this about pending transactions. */
function startPool({ url }: Anvil, reported: object) {
  return startFaultProxy(url, (method, params) => {
    if (method !== "eth_getTransactionCount" || params[1] !== "pending") return "pass";
    return { edit: ({ id }) => ({ jsonrpc: "2.0", id, ...reported }) };
  });
}

Deno.test("a stuck node can't get a restored wallet resumed, nor prevent it once all is booked", async () => {
  await using anvil = await startAnvil();
  await using stuck = await startFaultProxy(anvil.url, () => "pass");
  await using world = await startPayingWorld({ anvil, rpcUrls: [stuck.url, anvil.url] });
  const { api, hotWallet, credentials: { keyId } } = world.merchant;
  await world.round();
  await using backup = await takeBackup(world);
  const { scanHeight } = await cursorOf(world.deps);
  const { body: { data: { tx_hash: txHash } } } = await withdraw(api, ORDER);
  await settleAll(world);
  const received = await receivedBy(anvil, STRANGER);

  await showOnly(stuck, { anvil, tip: scanHeight });
  await backup.bringBack();
  const resume = () => resumeWallet(world.deps, { ...BY, address: hotWallet });
  await assert.rejects(resume(), /ETH has been read up to block \d+, .* must be known first$/);
  await settleAll(world);
  await assert.rejects(resume(), /one payment that the books do not explain/);
  const terms = { ...NO_TERMS, keyId, reference: ORDER.reference };
  await adoptByHash(world.deps, { ...BY, txHash, terms });
  assert.equal((await resume()).haltedReason, null);
  assert.equal((await withdraw(api, ORDER)).body.data.tx_hash, txHash);
  await settleAll(world);
  assert.equal(await receivedBy(anvil, STRANGER), received);
});

Deno.test("a restored wallet isn't resumed while any node's pool has what it sent", async () => {
  await using anvil = await startAnvil();
  const error = { code: -32601, message: "no pool here" };
  await using mute = await startPool(anvil, { error });
  await using empty = await startPool(anvil, { result: "0x0" });
  const rpcUrls = [mute.url, empty.url, anvil.url];
  await using world = await startPayingWorld({ anvil, rpcUrls });
  const { api, hotWallet, credentials: { keyId } } = world.merchant;
  await world.round();
  await using backup = await takeBackup(world);
  await anvil.rpc("evm_setAutomine", [false]);
  const paid = [];
  for (const order of [ORDER, { ...ORDER, reference: "order 8" }]) {
    const { body } = await withdraw(api, order);
    paid.push({ ...order, txHash: body.data.tx_hash });
  }

  await backup.bringBack();
  await world.round();
  const resume = () => resumeWallet(world.deps, { ...BY, address: hotWallet });
  await assert.rejects(
    resume(),
    /^OperatorError: 2 payments sent by 0x\w{40} are waiting in a node's pool/,
  );
  await anvil.rpc("evm_setAutomine", [true]);
  await anvil.mine(1);
  await settleAll(world);
  for (const { txHash, reference } of paid) {
    await adoptByHash(world.deps, { ...BY, txHash, terms: { ...NO_TERMS, keyId, reference } });
  }
  const received = await receivedBy(anvil, STRANGER);
  await resume();
  for (const { txHash, ...order } of paid) {
    assert.equal((await withdraw(api, order)).body.data.tx_hash, txHash);
  }
  await settleAll(world);
  assert.equal(await receivedBy(anvil, STRANGER), received);
});

Deno.test("a payment read while its wallet is being resumed keeps it halted", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { hotWallet: address } = world.merchant;
  await using backup = await takeBackup(world);
  await backup.bringBack();
  await settleAll(world);
  const { deps } = world;
  let isPaid = false;
  const write: Deps["db"]["write"] = async (unit) => {
    if (!isPaid) {
      isPaid = true;
      await spendOwn(world, { from: address, to: STRANGER, amountRaw: 1n });
      await settleAll(world);
    }
    return await deps.db.write(unit);
  };
  const db = Object.create(deps.db, { write: { value: write } });
  await assert.rejects(
    resumeWallet({ ...deps, db }, { ...BY, address }),
    /^OperatorError: More transactions sent by 0x\w{40} have been read: try again/,
  );
  const wallet = await deps.db.find(Addresses, ["ETH", address], "address");
  assert.match(wallet!.haltedReason!, /^The database was restored/);
  const resume = resumeWallet(deps, { ...BY, address });
  await assert.rejects(resume, /one payment that the books do not explain/);
});

Deno.test("where transfers expire, a restored wallet is resumed once older ones have expired for good", () =>
  playOnTron(async (scene) => {
    const { ground, ground: { node, code, coin, stranger }, one, merchant } = scene;
    const { api, hotWallet: address } = merchant;
    await scene.fundMerchant();
    await scene.turn();
    await using backup = await takeBackup(scene);
    const order = { network: code, currency: coin.symbol, to: stranger, amount: "3" };
    await ground.mineBySelf(false);
    sentId(await withdraw(api, { ...order, reference: "order 7" }));
    const lost = ground.sent.at(-1);
    await ground.forget("all");
    await ground.mineBySelf(true);

    await backup.bringBack();
    await scene.turn();
    const resume = () => resumeWallet(scene.deps, { network: code, address, actor: "test" });
    const isEarly = /may contain what T\w+ signed before the restore, but the newest/;
    await assert.rejects(resume(), isEarly);
    const overAtMs = await lastedUntilMs(scene);
    node.setTime(overAtMs);
    await scene.follow(18);
    assert.ok(node.head.timestampMs > overAtMs && node.solid.timestampMs <= overAtMs);
    await assert.rejects(resume(), isEarly);
    await scene.follow(2);
    assert.equal((await resume()).haltedReason, null);
    sentId(await withdraw(api, { ...order, reference: "order 7" }));
    const body = JSON.stringify({ transaction: lost });
    const said = await fetch(`${node.url}/wallet/broadcasthex`, { method: "POST", body });
    assert.match(await said.text(), /EXPIRATION/);
    await scene.turn(2);
    assert.equal(await ground.coinsOf(stranger), 3n * one);
  }));
