import type { Hex } from "viem";
import { concatHex, keccak256, pad } from "viem/utils";
import assert from "node:assert/strict";
import { collectTogether } from "../../../src/sweeps/batches.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { checkBooks, heldBy, PAID, startScene, statesOf } from "../../support/collecting.ts";
import { audit } from "../../support/auditor.ts";
import { ETHER, hex, makePayer, setBalance } from "../../support/payers.ts";
import {
  assertNoFaults,
  depositStates,
  payIn,
  RECEIVER,
  signedFor,
  startSweepingWorld,
} from "../../support/sweeping.ts";
import { alertsOf, allocate, balanceOf, transactionsOf } from "../../support/views.ts";

Deno.test("tokens whose sweep a deep reorganisation mines before their deposit are swept again", async () => {
  await using anvil = await startAnvil();
  await using world = await startSweepingWorld({ anvil });
  const { api } = world.merchant;
  const token = await world.addToken();
  const payer = await makePayer(anvil, 41);
  const amountRaw = 5_000_000n;
  await token.send("mint", [payer.address, amountRaw]);
  const { address } = await allocate(api, { currency: "USDT" });
  await setBalance(anvil, address, ETHER);
  await anvil.mine(1);
  const payment = { nonce: 0, to: address, contract: token.address, amountRaw };
  const paid = await payer.pay(payment);
  await anvil.mine(2);
  await world.round();
  await anvil.mine(3);
  await world.round();
  assert.deepEqual(await depositStates(world), ["swept"]);
  const [sweep] = await signedFor(world, "sweep");
  const depth = Number(await anvil.rpc("eth_blockNumber")) - paid.height + 1;
  await anvil.rpc("anvil_reorg", [depth, [[sweep!.raw, 0], [paid.raw, 1]]]);
  await world.turn(4);
  assert.deepEqual(await depositStates(world), ["swept"]);
  assert.equal(await token.read("balanceOf", [RECEIVER]), amountRaw);
  const rows = await transactionsOf(api, "&direction=sweep");
  assert.deepEqual(rows.map(({ status }) => status), ["confirmed", "failed"]);
  assert.equal((await balanceOf(api, "USDT")).balance, "5");
  assert.deepEqual(await alertsOf(world.deps), []);
  assertNoFaults(world);
  const tokens = { currency: "USDT", token: { contract: token.address, decimals: 6 } };
  await audit({ api, anvil, addresses: [address], ...tokens });
});

Deno.test("an order that a deep reorganisation lets succeed ends no deposit that came after it", async () => {
  await using scene = await startScene();
  const { world, anvil, token, addresses: [, address] } = scene;
  const { deps } = world;
  const amountRaw = 2_000_000n;
  await payIn(world, { to: address!, raw: amountRaw, token });
  await anvil.mine(1);
  await anvil.rpc("evm_setAutomine", [false]);
  await collectTogether(deps, { place: await scene.place(), sweepings: await scene.due() });
  // Before the batch in its block.
  const price = hex(ETHER / 10n ** 6n);
  const ban = { from: anvil.accounts[0], to: token.address, data: token.encode("ban", [address]) };
  const dear = { ...ban, maxPriorityFeePerGas: price, maxFeePerGas: price };
  await anvil.rpc("eth_sendTransaction", [dear]);
  await anvil.mine(1);
  const height = Number(await anvil.rpc("eth_blockNumber"));
  await scene.look(4);
  assert.deepEqual(await statesOf(scene), ["done", "waiting", "done"]);
  const [batch] = await signedFor(world, "sweep");
  // The second attempt takes along what was credited meanwhile, and nobody mines it yet.
  const slot = keccak256(concatHex([pad(address!.toLowerCase() as Hex), pad("0x01")]));
  await anvil.rpc("anvil_setStorageAt", [token.address, slot, pad("0x00")]);
  await setBalance(anvil, address!, ETHER);
  await world.turn();
  assert.deepEqual(await statesOf(scene), ["done", "sweeping", "done"]);
  const depth = Number(await anvil.rpc("eth_blockNumber")) - height + 1;
  await anvil.rpc("anvil_reorg", [depth, [[batch!.raw, 0]]]);
  await anvil.rpc("evm_setAutomine", [true]);
  await world.turn(6);
  assert.equal(await heldBy(token, address!), 0n);
  assert.equal(await heldBy(token, RECEIVER), 3n * PAID + amountRaw);
  assert.deepEqual(await depositStates(world), Array(4).fill("swept"));
  await checkBooks(scene);
  assertNoFaults(world);
});
