import assert from "node:assert/strict";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { audit } from "../../support/auditor.ts";
import { ETHER, makePayer, setBalance } from "../../support/payers.ts";
import {
  assertNoFaults,
  depositStates,
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
