import assert from "node:assert/strict";
import { startAnvil } from "../../support/nodes/anvil.ts";
import type { Contract } from "../../support/nodes/contracts.ts";
import { type Fault, startFaultProxy } from "../../support/nodes/fault_proxy.ts";
import { nonceOf, receivedBy } from "../../support/payouts.ts";
import {
  assertNoFaults,
  auditSweeps,
  depositStates,
  fundGasWallet,
  payIn,
  RECEIVER,
  signedFor,
  startSweepingWorld,
  type SweepingWorld,
  sweepsOf,
} from "../../support/sweeping.ts";
import { alertsOf, allocate } from "../../support/views.ts";
import { addUsdtLike } from "../../support/usdt_like.ts";

const RAW = 5_000_000n;
const MANY = 50;
const SOME = 30;

async function payMany(
  world: SweepingWorld,
  { token, count, currency = "USDT" }: { token: Contract; count: number; currency?: string },
): Promise<string[]> {
  const addresses: string[] = [];
  for (let i = 0; i < count; i++) {
    const { address } = await allocate(world.merchant.api, { currency });
    await payIn(world, { to: address, raw: RAW, token });
    addresses.push(address);
  }
  return addresses;
}

Deno.test("fifty sweeps go together, and one that can't is parked alone", async () => {
  await using anvil = await startAnvil();
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  await using world = await startSweepingWorld({ anvil, rpcUrls: [proxy.url] });
  const token = await addUsdtLike(world, "USDT");
  const gas = await fundGasWallet(world);
  // With some there, none has to bring the first.
  await token.send("mint", [RECEIVER, 1n]);
  const addresses = await payMany(world, { token, count: MANY });
  const banned = addresses[MANY / 2]!;
  await token.send("ban", [banned]);
  const before = proxy.bodies.length;
  // Anvil mines what it took a moment later.
  await world.turn(2);
  assert.equal(await nonceOf(anvil, gas), MANY - 1, "All got gas");
  await world.turn(2);
  const bodies = proxy.bodies.slice(before);
  const sent = bodies.filter(([call]) => call!.method === "eth_sendRawTransaction");
  assert.equal(sent.flat().length, 2 * (MANY - 1));
  assert.ok(sent.length <= 4, `Sent in ${sent.length} bodies`);
  assert.equal(await token.read("balanceOf", [RECEIVER]), BigInt(MANY - 1) * RAW + 1n);
  assert.equal(await token.read("balanceOf", [banned]), RAW);
  const states = Map.groupBy(await sweepsOf(world), ({ state }) => state);
  assert.deepEqual([states.get("done")?.length, states.get("parked")?.length], [MANY - 1, 1]);
  assert.deepEqual((await alertsOf(world.deps)).map(({ kind }) => kind), ["sweep_parked"]);
  for (const address of addresses) {
    assert.equal(await nonceOf(anvil, address), address === banned ? 0 : 1);
  }
  assertNoFaults(world);
  await auditSweeps(world, { addresses, tokens: { USDT: token } });
});

/** Only the first of what was asked. */
function some(body: string): Fault {
  const [{ id }] = JSON.parse(body);
  return { status: 200, body: JSON.stringify([{ jsonrpc: "2.0", id, result: "0x1" }]) };
}

const CUT = { status: 200, body: '[{"jsonrpc":"2.0","id":0,"resu' } as const;

const TROUBLES: readonly { name: string; method: string; fault(body: string): Fault }[] = [
  { name: "trials are cut in the middle", method: "eth_estimateGas", fault: () => CUT },
  { name: "only some trials are answered", method: "eth_estimateGas", fault: some },
  {
    name: "what was tried before signing is cut in the middle",
    method: "eth_getTransactionCount",
    fault: () => CUT,
  },
  {
    name: "bytes are taken, and the answer is cut in the middle",
    method: "eth_sendRawTransaction",
    fault: () => ({ ...CUT, forwarded: true }),
  },
  {
    name: "only some of the bytes are answered",
    method: "eth_sendRawTransaction",
    fault: some,
  },
];

for (const { name, method, fault } of TROUBLES) {
  Deno.test(`each is swept once although ${name}`, async () => {
    await using anvil = await startAnvil();
    await using proxy = await startFaultProxy(anvil.url, () => "pass");
    await using world = await startSweepingWorld({ anvil, rpcUrls: [proxy.url] });
    const token = await world.addToken();
    await fundGasWallet(world);
    const addresses = await payMany(world, { token, count: SOME });
    let faults = 0;
    proxy.onCall = (called, _, body) => {
      const isLarge = body.startsWith("[") && JSON.parse(body).length > SOME / 2;
      if (called !== method || !isLarge) return "pass";
      faults++;
      return fault(body);
    };
    await world.turn(5);
    assert.ok(faults > 0);
    proxy.onCall = () => "pass";
    await world.turn(5);
    await assertSweptOnce(world, { token, addresses });
  });
}

Deno.test("killed between saving and sending thirty, each gets gas and is swept once (hazards 31, 34)", async () => {
  await using anvil = await startAnvil();
  await using proxy = await startFaultProxy(anvil.url, () => "pass");
  await using world = await startSweepingWorld({ anvil, rpcUrls: [proxy.url] });
  const token = await world.addToken();
  const gas = await fundGasWallet(world);
  await token.send("mint", [RECEIVER, 1n]);
  const addresses = await payMany(world, { token, count: SOME });
  const unsent = () => {
    proxy.onCall = (method) => method === "eth_sendRawTransaction" ? { drop: "before" } : "pass";
  };
  for (const purpose of ["gas_topup", "sweep"]) {
    unsent();
    await world.turn(1);
    assert.equal((await signedFor(world, purpose)).length, SOME);
    proxy.onCall = () => "pass";
    await world.restart();
    await world.turn(2);
  }
  await world.turn(2);
  assert.equal(await nonceOf(anvil, gas), SOME);
  await assertSweptOnce(world, { token, addresses, hadRaw: 1n });
});

Deno.test("of sweeps to a wallet without tokens one goes ahead, and the others get less gas", async () => {
  await using anvil = await startAnvil();
  await using world = await startSweepingWorld({ anvil });
  const token = await world.addToken();
  await fundGasWallet(world);
  const addresses = await payMany(world, { token, count: 10 });
  await world.turn(1);
  const gas = await Promise.all(addresses.map((address) => receivedBy(anvil, address)));
  const [most, ...others] = gas.toSorted((a, b) => a > b ? -1 : 1);
  assert.ok(others.every((raw) => raw * 4n < most! * 3n), `${gas}`);
  await world.turn(1);
  assert.equal((await signedFor(world, "sweep")).length, 1);
  const waiting = (await sweepsOf(world)).filter(({ code }) => code === "another_first");
  assert.equal(waiting.length, 9);
  await world.turn(2);
  assert.equal((await signedFor(world, "gas_topup")).length, 10, "Nobody needed gas twice");
  await assertSweptOnce(world, { token, addresses });
  const left = await Promise.all(addresses.map((address) => receivedBy(anvil, address)));
  const sum = (raws: readonly bigint[]) => raws.reduce((all, raw) => all + raw, 0n);
  // How far fees fall meanwhile depends on how many of them share a block: 24 to 26 %.
  assert.ok(sum(left) * 100n < sum(gas) * 30n, `${left} of ${gas}`);
});

async function assertSweptOnce(
  world: SweepingWorld,
  { token, addresses, hadRaw = 0n }: {
    token: Contract;
    addresses: readonly string[];
    hadRaw?: bigint;
  },
): Promise<void> {
  const { anvil } = world;
  assert.deepEqual(new Set(await depositStates(world)), new Set(["swept"]));
  const arrivedRaw = await token.read("balanceOf", [RECEIVER]);
  assert.equal(arrivedRaw, hadRaw + BigInt(addresses.length) * RAW);
  for (const address of addresses) assert.equal(await nonceOf(anvil, address), 1);
  assertNoFaults(world);
  await auditSweeps(world, { addresses, tokens: { USDT: token } });
}
