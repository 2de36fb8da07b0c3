import assert from "node:assert/strict";
import { present } from "../../../src/base/assert.ts";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { rescan } from "../../../src/following/rescan.ts";
import { Addresses } from "../../../src/wallets/tables/addresses.ts";
import { spendOwn } from "../../support/nodes/own_wallet.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { rpcError, startNodeDouble } from "../../support/nodes/node_double.ts";
import { ETHER, makePayer, STRANGER } from "../../support/payers.ts";
import {
  auditPayer,
  nonceOf,
  receivedBy,
  sentId,
  settleAll,
  startPayingWorld,
  statusOf,
  transfersOf,
} from "../../support/payouts.ts";
import {
  depositStates,
  payIn,
  RECEIVER,
  signedFor,
  startSweepingWorld,
  sweepTo,
} from "../../support/sweeping.ts";
import { alertsOf, allocate, balanceOf, cursorOf, withdraw } from "../../support/views.ts";

for (const kind of ["deposit", "withdrawal"] as const) {
  Deno.test(`a rescan beside a reorganisation puts no ${kind} into a block that is gone`, async () => {
    await using anvil = await startAnvil();
    await using double = await startNodeDouble(anvil.url, (_call, ask) => ask());
    await using world = await startPayingWorld({ anvil });
    const { deps, merchant: { api, hotWallet } } = world;
    const payer = await makePayer(anvil, 303);
    const { address } = await allocate(api);
    await world.round();
    const tip = Number(await anvil.rpc("eth_blockNumber"));
    let id = 0;
    if (kind === "deposit") await payer.pay({ nonce: 0, to: address, amountRaw: 10n * ETHER });
    else id = sentId(await withdraw(api, { to: STRANGER, amount: "9" }));
    const paidAt = tip + 1;
    await anvil.mine(1);
    await world.round();
    const held = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    double.answer = async (call, ask) => {
      const reply = await ask();
      if (call.method === "eth_getTransactionReceipt") {
        held.resolve();
        await go.promise;
      }
      return reply;
    };
    const of = () => deps.chains.unverified({ family: "evm", rpcUrls: [double.url] });
    const rescanning = rescan({ ...deps, chains: { ...deps.chains, of } }, {
      network: "ETH",
      fromBlock: paidAt,
      toBlock: paidAt,
      actor: "test",
    }).catch((error) => error);
    await held.promise;
    // That block and the next lose against a shorter branch.
    await anvil.rpc("anvil_rollback", [3]);
    await anvil.rpc("anvil_dropAllTransactions");
    await anvil.rpc("evm_increaseTime", [1000]);
    await anvil.mine(1);
    await world.round();
    assert.ok((await cursorOf(deps)).scanHeight < paidAt, "It was rewound below");
    go.resolve();
    await rescanning;
    await anvil.mine(10);
    await world.round();
    await world.round();
    assert.equal((await balanceOf(api)).balance, "100");
    assert.equal(await nonceOf(anvil, hotWallet), 0);
    if (kind === "withdrawal") assert.equal(await statusOf(api, id), "broadcasted");
  });
}

Deno.test("bytes that a worker sends while their first sending is refused aren't released", async () => {
  await using anvil = await startAnvil();
  await using node = await startNodeDouble(anvil.url, (_call, ask) => ask());
  await using world = await startPayingWorld({ anvil, rpcUrls: [node.url] });
  const { api } = world.merchant;
  await world.round();
  const [first, second, goFirst, goSecond] = Array.from(
    { length: 4 },
    () => Promise.withResolvers<void>(),
  ) as [
    PromiseWithResolvers<void>,
    PromiseWithResolvers<void>,
    PromiseWithResolvers<void>,
    PromiseWithResolvers<void>,
  ];
  let sends = 0;
  node.answer = async (call, ask) => {
    if (call.method !== "eth_sendRawTransaction") return await ask();
    if (++sends === 1) {
      first.resolve();
      await goFirst.promise;
      return rpcError(call, "txpool is full");
    }
    second.resolve();
    await goSecond.promise;
    return await ask();
  };
  const asked = withdraw(api, { to: STRANGER, amount: "9" });
  await first.promise;
  const round = world.round({ aheadMs: 30_000 });
  await second.promise;
  goFirst.resolve();
  const id = sentId(await asked);
  goSecond.resolve();
  await round;
  await settleAll(world);
  assert.equal(await receivedBy(anvil, STRANGER), 9n * ETHER);
  assert.equal(await statusOf(api, id), "confirmed");
  await auditPayer(world);
});

Deno.test("a confirmed withdrawal that a deep reorganisation mines as reverted raises an alert", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const token = await world.addToken();
  const { api, hotWallet, accountId } = world.merchant;
  await adjustBalance(world.deps, {
    accountId,
    network: "ETH",
    currency: "USDT",
    amount: "100",
    note: "test",
    actor: "test",
  });
  await token.send("mint", [hotWallet, 100_000_000n]);
  const id = sentId(await withdraw(api, { to: STRANGER, amount: "50", currency: "USDT" }));
  await settleAll(world);
  assert.equal(await statusOf(api, id), "confirmed");
  const [saved] = await transfersOf(world);
  // Without the mint there is nothing to pay with.
  await anvil.rpc("anvil_reorg", [5, [[saved!.raw, 0]]]);
  await anvil.mine(5);
  await world.round();
  await world.round({ aheadMs: 60_000 });
  assert.equal(await token.read("balanceOf", [STRANGER]), 0n);
  const [alert, ...others] = await alertsOf(world.deps);
  assert.deepEqual([alert?.kind, alert?.accountId], ["withdrawal_unpaid", accountId]);
  assert.deepEqual(others, []);
});

Deno.test("a foreign spend halts a deposit address, and drops its sweep once deep (hazards 47, 41)", async () => {
  await using anvil = await startAnvil();
  await using world = await startSweepingWorld({ anvil, receiver: null });
  const { api } = world.merchant;
  const { address } = await allocate(api);
  await payIn(world, { to: address, raw: ETHER });
  await world.turn();
  await anvil.rpc("evm_setAutomine", [false]);
  await sweepTo(world, RECEIVER);
  await world.round({ aheadMs: 700_000 });
  assert.deepEqual(await depositStates(world), ["sweep_pending"]);
  const [sweep] = await signedFor(world, "sweep");
  await anvil.rpc("anvil_dropTransaction", [sweep!.txHash]);
  await spendOwn(world, { from: address, to: STRANGER, amountRaw: 1n });
  for (let depth = 1; depth <= 2; depth++) {
    await anvil.mine(1);
    await world.round();
    assert.deepEqual(await depositStates(world), ["sweep_pending"], `${depth} deep`);
  }
  await anvil.mine(1);
  await world.round();
  assert.deepEqual(await depositStates(world), ["confirmed"]);
  const bids = (await transfersOf(world)).filter(({ sender }) => sender === address);
  assert.deepEqual(bids.map(({ purpose, state }) => [purpose, state]), [
    ["sweep", "superseded"],
    ["foreign", "settled"],
  ]);
  const kinds = (await alertsOf(world.deps)).map(({ kind }) => kind).sort();
  assert.deepEqual(kinds, ["foreign_spend", "wallet_halted"]);
  const [row] = await world.deps.db.rows(Addresses, "WHERE address = ?", [address]);
  assert.match(present(row, "It is ours").haltedReason!, /its key is used elsewhere/);
  await world.turn(2);
  assert.equal((await signedFor(world, "sweep")).length, 1, "Nothing more is signed");
  assert.equal((await balanceOf(api)).balance, "1");
});
