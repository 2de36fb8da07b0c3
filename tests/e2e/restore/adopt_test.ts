import assert from "node:assert/strict";
import { adoptAll, adoptByHash } from "../../../src/restore/adopt_spends.ts";
import { resumeWallet } from "../../../src/restore/resume_wallet.ts";
import { parkSweep } from "../../../src/sweeps/steps.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { depositsOfSweep } from "../../../src/sweeps/reads/sweeps.ts";
import { Sweeps } from "../../../src/sweeps/table.ts";
import { Withdrawals } from "../../../src/withdrawals/table.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { spendOwn } from "../../support/nodes/own_wallet.ts";
import { ETHER, STRANGER } from "../../support/payers.ts";
import {
  receivedBy,
  sentId,
  settleAll,
  startPayingWorld,
  statusOf,
} from "../../support/payouts.ts";
import { takeBackup } from "../../support/restoring.ts";
import { makeStage } from "../../support/stage.ts";
import {
  depositStates,
  payIn,
  RECEIVER,
  startSweepingWorld,
  sweepTo,
} from "../../support/sweeping.ts";
import {
  alertsOf,
  allocate,
  balanceOf,
  entriesOf,
  withdraw,
  withdrawalOf,
} from "../../support/views.ts";
import type { World } from "../../support/world.ts";

const BY = { network: "ETH", actor: "test" };
const NO_TERMS = { withdrawal: undefined, fee: undefined, keyId: undefined, reference: undefined };

function adopt(deps: Deps, txHash: string, terms: Partial<typeof NO_TERMS> | object = {}) {
  return adoptByHash(deps, { ...BY, txHash, terms: { ...NO_TERMS, ...terms } });
}

async function payOut(world: World, amount: string): Promise<string> {
  const { api } = world.merchant;
  const id = sentId(await withdraw(api, { to: STRANGER, amount }));
  await settleAll(world);
  return (await withdrawalOf(api, id)).tx_hash;
}

Deno.test("a payout is booked once, however often and by however many it is adopted", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await using backup = await takeBackup(world);
  const txHash = await payOut(world, "3");
  const { api, credentials: { keyId } } = world.merchant;
  const before = await balanceOf(api);
  await backup.bringBack();
  await settleAll(world);
  const terms = { keyId, reference: "order 7" };
  const booked = await Promise.all(
    Array.from({ length: 6 }, () => adopt(world.deps, txHash, terms)),
  );
  assert.equal(new Set(booked.map(({ payments }) => payments[0]!.withdrawalId)).size, 1);
  assert.deepEqual(await balanceOf(api), before);
  const kinds = (await entriesOf(world.deps)).map(({ kind }) => kind);
  assert.deepEqual(kinds, ["adjust", "hold", "debit"]);
  // A repeated request isn't paid again, halted or not.
  const replay = await withdraw(api, { to: STRANGER, amount: "3", reference: "order 7" });
  assert.deepEqual([replay.status, replay.body.data.status], [200, "confirmed"]);
  assert.equal(replay.body.data.tx_hash, txHash);
});

Deno.test("a payout that the balance doesn't cover is refused with the numbers, and booked once it does", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await using backup = await takeBackup(world);
  const { api, accountId } = world.merchant;
  const asset = { accountId, network: "ETH", currency: "ETH" };
  const more = { ...asset, amount: "60", note: "float", actor: "test" };
  await adjustBalance(world.deps, more);
  const txHash = await payOut(world, "150");
  await backup.bringBack();
  await settleAll(world);
  await assert.rejects(
    adopt(world.deps, txHash, { fee: "2.5" }),
    /takes 152.5 ETH \(150 and a fee of 2.5\), but account 1 has only 100 of ETH\/ETH available, 52.5 too little/,
  );
  assert.deepEqual(await balanceOf(api), { balance: "100", held: "0", available: "100" });
  await adjustBalance(world.deps, more);
  await adopt(world.deps, txHash, { fee: "2.5" });
  assert.equal((await balanceOf(api)).balance, "7.5");
});

Deno.test("a waiting withdrawal that was paid since the backup waits until it is named", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { api } = world.merchant;
  const id = await makeStage(world).waitingWithdrawal();
  await using backup = await takeBackup(world);
  await world.round({ aheadMs: 30_000 });
  await settleAll(world);
  assert.equal(await statusOf(api, id), "confirmed");
  const { tx_hash } = await withdrawalOf(api, id);
  const before = await balanceOf(api);
  await backup.bringBack();
  await world.round({ aheadMs: 90_000 });
  await settleAll(world);
  assert.equal(await statusOf(api, id), "pending", "Nobody knows yet that nothing was paid");
  await assert.rejects(
    adopt(world.deps, tx_hash),
    new RegExp(`Withdrawal ${id} is waiting to pay 1 ETH`),
  );
  await assert.rejects(
    adopt(world.deps, tx_hash, { withdrawal: id + 1 }),
    /is not waiting to pay 1 ETH/,
  );
  await adopt(world.deps, tx_hash, { withdrawal: id });
  assert.equal(await statusOf(api, id), "confirmed");
  assert.deepEqual(await balanceOf(api), before);
});

Deno.test("an adoption interrupted after any write is finished once, by a worker or a repetition", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await using backup = await takeBackup(world);
  const hashes: string[] = [];
  for (const amount of ["1", "2", "3", "4", "5"]) hashes.push(await payOut(world, amount));
  const { api } = world.merchant;
  const before = await balanceOf(api);
  await backup.bringBack();
  await settleAll(world);
  // The account's key for what is booked by hand, the booking, the settlement.
  const stops = [[0, "stopped"], [1, "stopped"], [0, "stopped"], [1, "stopped"], [
    2,
    "done",
  ]] as const;
  for (const [i, txHash] of hashes.entries()) {
    const [writesMax, expected] = stops[i]!;
    const deps = stoppingAfter(world.deps, writesMax);
    const outcome = await adopt(deps, txHash).then(() => "done", (error) => error.message);
    assert.equal(outcome, expected, `payout ${i}, ${writesMax} writes`);
  }
  assert.deepEqual(await statusesOf(world), ["broadcasted", "confirmed"]);
  await settleAll(world);
  assert.deepEqual(await statusesOf(world), ["confirmed", "confirmed"]);
  for (const txHash of hashes) await adopt(world.deps, txHash);
  assert.deepEqual(await balanceOf(api), before);
  assert.equal((await entriesOf(world.deps)).length, 1 + 2 * hashes.length);
});

async function statusesOf({ deps }: World): Promise<string[]> {
  return (await deps.db.rows(Withdrawals, "ORDER BY id")).map(({ status }) => status);
}

function stoppingAfter(deps: Deps, writesMax: number): Deps {
  let writes = 0;
  const db = Object.create(deps.db, {
    write: {
      value: (unit: Parameters<Deps["db"]["write"]>[0]) =>
        writes++ < writesMax ? deps.db.write(unit) : Promise.reject(new Error("stopped")),
    },
  });
  return { ...deps, db };
}

Deno.test("nodes are asked about several at once when all is adopted", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await using backup = await takeBackup(world);
  const hashes: string[] = [];
  for (const amount of ["1", "2", "3"]) hashes.push(await payOut(world, amount));
  await backup.bringBack();
  await settleAll(world);
  let [asked, most] = [0, 0];
  const { chains } = world.deps;
  const of: typeof chains.of = (network) => {
    const chain = chains.of(network);
    const sentBytes: typeof chain.sentBytes = async (hash) => {
      most = Math.max(most, ++asked);
      return await chain.sentBytes(hash).finally(() => asked--);
    };
    return { ...chain, sentBytes };
  };
  const { left } = await adoptAll({ ...world.deps, chains: { ...chains, of } }, BY);
  assert.deepEqual(left.map(({ txHash, amount }) => [txHash, amount]), [
    [hashes[0], "1"],
    [hashes[1], "2"],
    [hashes[2], "3"],
  ]);
  assert.equal(most, 3);
});

Deno.test("an adopted payout that a reorganisation removes is sent again and paid, once", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await anvil.mine(2);
  await using backup = await takeBackup(world);
  const txHash = await payOut(world, "3");
  await backup.bringBack();
  await settleAll(world);
  const { payments: [payment] } = await adopt(world.deps, txHash);
  const { withdrawalId } = payment!;
  await anvil.rpc("anvil_reorg", [7, []]);
  await anvil.mine(1);
  await world.round();
  assert.equal(await receivedBy(anvil, STRANGER), 0n);
  await world.round({ aheadMs: 60_000 });
  await settleAll(world);
  const row = await withdrawalOf(world.merchant.api, withdrawalId!);
  assert.deepEqual([row.status, row.tx_hash], ["confirmed", txHash]);
  assert.equal(await receivedBy(anvil, STRANGER), 3n * ETHER);
});

Deno.test("foreign, unfinal or misdirected transactions, and those without a payment, aren't adopted", async () => {
  await using anvil = await startAnvil();
  await using world = await startSweepingWorld({ anvil });
  const { deps, merchant: { hotWallet, api } } = world;
  const { address } = await allocate(api);
  await world.turn();
  await anvil.rpc("anvil_setBalance", [hotWallet, "0x56bc75e2d63100000"]);
  await anvil.rpc("anvil_setBalance", [address, "0x56bc75e2d63100000"]);
  const stolen = await spendOwn(world, { from: address, to: STRANGER, amountRaw: ETHER });
  await world.round();
  await assert.rejects(adopt(deps, stolen), /is only final up to/);
  const moved = await spendOwn(world, { from: hotWallet, to: hotWallet, amountRaw: 1n });
  await world.turn(2);
  await assert.rejects(adopt(deps, stolen), new RegExp(`went to ${STRANGER}, but the receiving`));
  await assert.rejects(adopt(deps, moved), /only moved our own money/);
  const strange = `0x${"ab".repeat(32)}`;
  await assert.rejects(adopt(deps, strange), /No address of this gateway sent/);
  const { adopted, left } = await adoptAll(deps, BY);
  assert.deepEqual(adopted, []);
  assert.deepEqual(left.map(({ txHash }) => txHash).sort(), [stolen, moved].sort());
  assert.deepEqual((await entriesOf(deps)).map(({ kind }) => kind), []);
});

for (const isParked of [false, true]) {
  const state = isParked ? "parked" : "waiting";
  Deno.test(`a ${state} sweep done before the restore is that sweep, and later deposits are the next one's`, async () => {
    await using anvil = await startAnvil();
    await using world = await startSweepingWorld({ anvil, receiver: null });
    const { api } = world.merchant;
    const token = await world.addToken();
    const { address } = await allocate(api, { currency: "USDT" });
    await payIn(world, { to: address, raw: 5_000_000n, token });
    await world.turn();
    await anvil.rpc("anvil_setBalance", [address, "0x56bc75e2d63100000"]);
    await sweepTo(world, RECEIVER);
    await using backup = await takeBackup(world);
    await world.turn(2);
    assert.deepEqual(await depositStates(world), ["swept"]);
    await backup.bringBack();
    await world.turn(3);
    const [sweep] = await world.deps.db.rows(Sweeps, "");
    assert.equal(sweep!.state, "waiting", "Its address is halted");
    if (isParked) {
      const deposits = await depositsOfSweep(world.deps.db, sweep!.id);
      const why = { code: "tokens_missing", reason: "its tokens are gone" } as const;
      await parkSweep(world.deps, { sweep: sweep!, deposits }, why);
    }
    await payIn(world, { to: address, raw: 7_000_000n, token });
    await world.turn();
    assert.deepEqual(await depositStates(world), ["confirmed", "detected"]);
    const { adopted: [transfer], left } = await adoptAll(world.deps, BY);
    assert.deepEqual([left, transfer!.payments[0]!.sweepId], [[], sweep!.id]);
    assert.deepEqual(await depositStates(world), ["swept", "confirmed"]);
    await world.turn(4);
    // There is no gas wallet whose halt would hold it back.
    assert.deepEqual(await depositStates(world), ["swept", "confirmed"]);
    const kinds = (await alertsOf(world.deps)).map(({ kind }) => kind);
    assert.deepEqual(kinds, ["wallet_halted"], "The hot wallet's, from the restore");
    await resumeWallet(world.deps, { ...BY, address: world.merchant.hotWallet });
    await world.turn(4);
    assert.deepEqual(await depositStates(world), ["swept", "swept"]);
    assert.equal(await token.read("balanceOf", [RECEIVER]), 12_000_000n);
  });
}
