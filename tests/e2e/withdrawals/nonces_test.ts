import assert from "node:assert/strict";
import { alertShape } from "../../../src/alerts/shapes.ts";
import { present } from "../../../src/base/assert.ts";
import { rulesOf } from "../../../src/chains/registry.ts";
import { KEY_BRANCHES } from "../../../src/wallets/rules/key_path.ts";
import { Networks } from "../../../src/networks/table.ts";
import { Addresses } from "../../../src/wallets/tables/addresses.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { showOnly } from "../../support/nodes/lagging_node.ts";
import { rpcError, startNodeDouble } from "../../support/nodes/node_double.ts";
import { ETHER, mineRaw, STRANGER } from "../../support/payers.ts";
import {
  auditPayer,
  nonceOf,
  receivedBy,
  rejectedId,
  sentId,
  settleAll,
  startPayingWorld,
  statusOf,
  transfersOf,
} from "../../support/payouts.ts";
import { alertsOf, balanceOf, eventsOf, withdraw } from "../../support/views.ts";
import type { World } from "../../support/world.ts";

const SEND = "eth_sendRawTransaction";

Deno.test("60 withdrawals at once from one wallet use 60 nonces and are all paid (hazard 38)", async () => {
  // While it mines by itself, it may forget that what just arrived is next.
  await using anvil = await startAnvil({ args: ["--no-mining"] });
  await using world = await startPayingWorld({ anvil });
  const { api, hotWallet } = world.merchant;
  const replies = await Promise.all(
    Array.from({ length: 60 }, () => withdraw(api, { to: STRANGER, amount: "1" })),
  );
  const ids = replies.map(sentId);
  assert.equal(new Set(ids).size, 60);
  const nonces = (await transfersOf(world)).map(({ place }) => place).sort((a, b) => a - b);
  assert.deepEqual(nonces, Array.from({ length: 60 }, (_, nonce) => nonce));
  await settleAll(world);
  for (const id of ids) assert.equal(await statusOf(api, id), "confirmed");
  assert.equal(await nonceOf(anvil, hotWallet), 60);
  assert.equal(await receivedBy(anvil, STRANGER), 60n * ETHER);
  assert.deepEqual(world.faults, []);
  await auditPayer(world);
});

for (const isNextInTime of [true, false]) {
  const closer = isNextInTime ? "the next withdrawal" : "an empty transfer to the wallet itself";
  Deno.test(`a nonce that was refused below a waiting one is used by ${closer} (hazard 39)`, async () => {
    await using anvil = await startAnvil();
    await using double = await startNodeDouble(anvil.url, (_call, ask) => ask());
    await using world = await startPayingWorld({ anvil, rpcUrls: [double.url] });
    const { api, hotWallet } = world.merchant;
    const arrived = Promise.withResolvers<void>();
    const secondSent = Promise.withResolvers<void>();
    double.answer = async (call, ask) => {
      if (call.method !== SEND) return await ask();
      double.answer = (_call, ask) => ask();
      arrived.resolve();
      await secondSent.promise;
      return rpcError(call, "intrinsic gas too low");
    };
    const first = withdraw(api, { to: STRANGER, amount: "1" });
    await arrived.promise;
    const second = sentId(await withdraw(api, { to: STRANGER, amount: "2" }));
    secondSent.resolve();
    rejectedId(await first);
    await settleAll(world);
    assert.equal(await nonceOf(anvil, hotWallet), 0, "The second one waits for the first nonce");
    if (isNextInTime) sentId(await withdraw(api, { to: STRANGER, amount: "4" }));
    await world.round({ aheadMs: 30_000 });
    await settleAll(world);
    assert.equal(await statusOf(api, second), "confirmed");
    assert.equal(await nonceOf(anvil, hotWallet), 2);
    assert.equal(await receivedBy(anvil, STRANGER), (isNextInTime ? 6n : 2n) * ETHER);
    assert.deepEqual(world.faults, []);
    assert.deepEqual(await alertsOf(world.deps), []);
    await auditPayer(world);
  });
}

Deno.test("a wallet whose key was used elsewhere is halted, and its withdrawals are 502 (hazard 47)", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { api, hotWallet } = world.merchant;
  const other = await world.addMerchant("Other");
  sentId(await withdraw(api, { to: STRANGER, amount: "1" }));
  await settleAll(world);
  await anvil.rpc("anvil_setNonce", [hotWallet, "0x5"]);
  await anvil.mine(1);
  for (
    const said of [
      /nothing is signed before its blocks are read/,
      /^The hot wallet signs nothing until its operator has looked$/,
      /^The hot wallet signs nothing until its operator has looked$/,
    ]
  ) {
    const reply = await withdraw(api, { to: STRANGER, amount: "1" });
    rejectedId(reply);
    assert.match(reply.body.data.error_message, said);
    await world.round();
  }
  const [wallet] = await world.deps.db.rows(Addresses, "WHERE address = ?", [hotWallet]);
  assert.match(wallet!.haltedReason!, /has sent 5 transactions/);
  const open = await alertsOf(world.deps);
  const failing = open.find(({ kind }) => kind === "withdrawals_failing");
  assert.match(failing!.message, /its key is used elsewhere/);
  const alerts = open.filter(({ kind }) => kind === "wallet_halted");
  assert.deepEqual(alerts.map(({ subject, open }) => [subject, open]), [[hotWallet, 1]]);
  assert.ok(
    alertShape(alerts[0]!).message.includes(`"wallet resume --network ETH --address ${hotWallet}"`),
  );
  assert.equal((await transfersOf(world)).length, 1, "Nothing more was signed");
  assert.deepEqual(await balanceOf(api), {
    balance: "98.9949",
    held: "0",
    available: "98.9949",
  });
  const [unharmed] = await world.deps.db.rows(Addresses, "WHERE address = ?", [other.hotWallet]);
  assert.equal(unharmed!.haltedReason, null);
  await auditPayer(world);
});

Deno.test("a withdrawal whose nonce another transaction used fails once that is deep (hazards 41, 43)", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { api } = world.merchant;
  await world.round();
  await anvil.rpc("evm_setAutomine", [false]);
  const { body } = await withdraw(api, { to: STRANGER, amount: "1" });
  const id: number = body.data.withdrawal_id;
  const foreign = await signWithWalletKey(world, { nonce: 0 });
  await anvil.rpc("anvil_dropTransaction", [body.data.tx_hash]);
  await anvil.rpc(SEND, [foreign.raw]);
  for (let aheadMs = 30_000, depth = 1; depth <= 2; depth++, aheadMs += 30_000) {
    await anvil.mine(1);
    await world.round({ aheadMs });
    assert.equal(await statusOf(api, id), "broadcasted", `${depth} deep`);
    assert.equal((await balanceOf(api)).held, "1.0051");
  }
  await anvil.mine(1);
  await world.round({ aheadMs: 90_000 });
  assert.equal(await statusOf(api, id), "failed");
  const [reported] = await eventsOf(world.deps, "withdrawal.failed");
  assert.deepEqual([reported.id, reported.reason], [id, "dropped"]);
  const kinds = (await alertsOf(world.deps)).map(({ kind }) => kind).sort();
  assert.deepEqual(kinds, ["foreign_spend", "wallet_halted", "withdrawal_dropped"]);
  assert.deepEqual(await balanceOf(api), { balance: "100", held: "0", available: "100" });
  assert.equal(await receivedBy(anvil, STRANGER), 0n);
  await anvil.rpc("evm_setAutomine", [true]);
  await auditPayer(world, { outsideHashes: [foreign.txHash] });
});

Deno.test("a withdrawal whose nonce was used in a lost branch is paid after all, once (hazards 41, 44)", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { api, hotWallet } = world.merchant;
  await anvil.rpc("evm_setAutomine", [false]);
  const { body } = await withdraw(api, { to: STRANGER, amount: "1" });
  const foreign = await signWithWalletKey(world, { nonce: 0 });
  await anvil.rpc("anvil_dropTransaction", [body.data.tx_hash]);
  await anvil.rpc(SEND, [foreign.raw]);
  await anvil.mine(1);
  await world.round({ aheadMs: 30_000 });
  await anvil.rpc("anvil_reorg", [1, []]);
  await world.round({ aheadMs: 60_000 });
  await settleAll(world);
  assert.equal(await statusOf(api, body.data.withdrawal_id), "confirmed");
  assert.equal(await nonceOf(anvil, hotWallet), 1);
  await anvil.rpc("evm_setAutomine", [true]);
  await assert.rejects(mineRaw(anvil, foreign.raw), /nonce too low/);
  await auditPayer(world);
});

Deno.test("a node behind settled withdrawals causes no error and no reused nonce (hazards 7, 38)", async () => {
  await using anvil = await startAnvil();
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  await using world = await startPayingWorld({ anvil, rpcUrls: [proxy.url] });
  const { api, hotWallet } = world.merchant;
  const tip = Number(await anvil.rpc("eth_blockNumber"));
  sentId(await withdraw(api, { to: STRANGER, amount: "1" }));
  await settleAll(world);
  await showOnly(proxy, { anvil, tip });
  const reply = await withdraw(api, { to: STRANGER, amount: "2" });
  assert.ok([200, 502].includes(reply.status), JSON.stringify(reply.body));
  await world.round({ aheadMs: 30_000 });
  proxy.onCall = () => "pass";
  await settleAll(world);
  await settleAll(world);
  const isPaid = reply.status === 200;
  assert.equal(await receivedBy(anvil, STRANGER), (isPaid ? 3n : 1n) * ETHER);
  assert.equal(await nonceOf(anvil, hotWallet), isPaid ? 2 : 1);
  assert.deepEqual(world.faults, []);
  await auditPayer(world);
});

Deno.test("a dropped withdrawal that a deep reorganisation mines after all raises an alert (hazard 41)", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { api } = world.merchant;
  await anvil.rpc("evm_setAutomine", [false]);
  const { body } = await withdraw(api, { to: STRANGER, amount: "1" });
  const foreign = await signWithWalletKey(world, { nonce: 0 });
  await anvil.rpc("anvil_dropTransaction", [body.data.tx_hash]);
  await anvil.rpc(SEND, [foreign.raw]);
  await anvil.mine(3);
  await world.round({ aheadMs: 30_000 });
  assert.equal(await statusOf(api, body.data.withdrawal_id), "failed");
  const before = await alertsOf(world.deps);
  const [original] = await transfersOf(world);
  await anvil.rpc("anvil_reorg", [3, [[original!.raw, 0]]]);
  await world.round();
  await settleAll(world);
  assert.equal(await receivedBy(anvil, STRANGER), ETHER);
  const after = await alertsOf(world.deps);
  assert.ok(after.length > before.length, "The operator is told that the money left after all");
  assert.deepEqual(world.faults, []);
});

/** Signs like a thief with a copy of the key. */
async function signWithWalletKey({ deps, merchant }: World, { nonce }: { nonce: number }) {
  const [network] = await deps.db.rows(Networks, "LIMIT 1");
  const [row] = await deps.db.rows(Addresses, "WHERE address = ?", [merchant.hotWallet]);
  const chain = deps.chains.of(present(network, "The world has a network"));
  const { coinType } = rulesOf(network!);
  const wallet = present(row, "The merchant has a hot wallet");
  const path = {
    coinType,
    account: wallet.keyAccount,
    branch: KEY_BRANCHES.hot,
    index: wallet.keyIndex,
  };
  const order = { from: wallet.address, to: wallet.address, contract: null, amountRaw: 1n };
  const preflight = await chain.prepareTransfer(order);
  if (preflight.kind === "refused") throw new Error(preflight.reason);
  const signer = (await deps.keyRing()).signerOf(path);
  return await chain.signTransfer(preflight.prepared, { nonce, signer });
}
