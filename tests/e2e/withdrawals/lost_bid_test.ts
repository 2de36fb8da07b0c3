import assert from "node:assert/strict";
import type { Signed } from "../../../src/transfers/table.ts";
import { adoptAll, adoptByHash } from "../../../src/restore/adopt_spends.ts";
import { resolveAlert } from "../../../src/upkeep/manage_alerts.ts";
import { setNetwork } from "../../../src/networks/set.ts";
import { bumpWithdrawal } from "../../../src/withdrawals/push.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { startNodeDouble } from "../../support/nodes/node_double.ts";
import { ETHER, STRANGER } from "../../support/payers.ts";
import {
  receivedBy,
  sentId,
  settleAll,
  startPayingWorld,
  statusOf,
} from "../../support/payouts.ts";
import { takeBackup } from "../../support/restoring.ts";
import {
  alertsOf,
  allocate,
  balanceOf,
  transactionsOf,
  withdraw,
  withdrawalOf,
} from "../../support/views.ts";
import type { World } from "../../support/world.ts";

const BY = { network: "ETH", actor: "test" };
const NEW = { withdrawal: "new", fee: undefined, keyId: undefined, reference: undefined } as const;

async function settleOften(world: World): Promise<void> {
  for (let i = 0; i < 4; i++) await settleAll(world);
}

async function movesOf({ merchant: { api } }: World): Promise<string[]> {
  return (await transactionsOf(api))
    .map((row) => `${row.direction} ${row.status} ${row.amount_decimal}`).sort();
}

const UNPROVEN = {
  "no signature": { r: "0x0", s: "0x0" },
  "a kind that nobody knows": { type: "0x7e" },
};

Deno.test("a lost bid that a node misreports keeps its withdrawal held until it is reported right", async () => {
  await using anvil = await startAnvil();
  await using liar = await startNodeDouble(anvil.url, (_, ask) => ask());
  await using other = await startNodeDouble(anvil.url, (_, ask) => ask());
  await using world = await startPayingWorld({ anvil, rpcUrls: [liar.url, other.url] });
  await setNetwork(world.deps, { code: "ETH", change: { quorum: 2 }, actor: "test" });
  const { api } = world.merchant;
  await world.round();
  await anvil.rpc("evm_setAutomine", [false]);
  const id = sentId(await withdraw(api, { to: STRANGER, amount: "2" }));
  await using backup = await takeBackup(world);
  const { txHash } = await bumpWithdrawal(world.deps, { id, actor: "test" });
  await settleAll(world);
  let lie: object = {};
  let lies = 0;
  liar.answer = async ({ method }, ask) => {
    const reply = await ask() as { result: object | null };
    if (method !== "eth_getTransactionByHash" || !reply.result) return reply;
    lies++;
    return { ...reply, result: { ...reply.result, ...lie } };
  };
  other.answer = async ({ method }, ask) => {
    const reply = await ask() as object;
    return method === "eth_getTransactionByHash" ? { ...reply, result: null } : reply;
  };
  await backup.bringBack();
  for (const [what, one] of Object.entries(UNPROVEN)) {
    [lie, lies] = [one, 0];
    await settleOften(world);
    assert.ok(lies > 0, what);
    assert.notEqual(await statusOf(api, id), "failed", what);
    assert.equal((await balanceOf(api)).held, "2.0101", what);
  }
  other.answer = (_, ask) => ask();
  await settleOften(world);
  const row = await withdrawalOf(api, id);
  assert.deepEqual([row.status, row.tx_hash], ["confirmed", txHash]);
  assert.equal(await receivedBy(anvil, STRANGER), 2n * ETHER);
});

Deno.test("a lost bid that paid one of our own deposit addresses is a deposit there", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { api } = world.merchant;
  const { address } = await allocate(api);
  await world.round();
  await anvil.rpc("evm_setAutomine", [false]);
  const id = sentId(await withdraw(api, { to: address, amount: "2" }));
  await using backup = await takeBackup(world);
  await bumpWithdrawal(world.deps, { id, actor: "test" });
  await settleOften(world);
  const [before, moves] = [await balanceOf(api), await movesOf(world)];
  assert.deepEqual(moves, ["deposit confirmed 2", "withdrawal confirmed 2"]);
  await backup.bringBack();
  await settleOften(world);
  assert.deepEqual([await balanceOf(api), await movesOf(world)], [before, moves]);
  const kinds = (await alertsOf(world.deps)).map(({ kind }) => kind);
  assert.deepEqual(kinds, ["wallet_halted"], "Of the restored wallet");
});

for (const isResolved of [false, true]) {
  const alerts = isResolved ? "resolved" : "open";
  Deno.test(`a payout to our own deposit address is booked with its deposit while its alerts are ${alerts}`, async () => {
    await using anvil = await startAnvil();
    await using world = await startPayingWorld({ anvil });
    const { api, hotWallet } = world.merchant;
    const { address } = await allocate(api);
    await world.round();
    await using backup = await takeBackup(world);
    const id = sentId(await withdraw(api, { to: address, amount: "2" }));
    await settleOften(world);
    const { tx_hash: txHash } = await withdrawalOf(api, id);
    const [before, moves] = [await balanceOf(api), await movesOf(world)];
    await backup.bringBack();
    await settleOften(world);
    const { deps } = world;
    if (isResolved) {
      for (const { id } of await alertsOf(deps)) await resolveAlert(deps, { id, actor: "test" });
    }
    const { left: [one, ...others] } = await adoptAll(deps, BY);
    assert.deepEqual(others, []);
    const { blockNumber, reason, ...reported } = one!;
    assert.deepEqual(reported, {
      ...{ network: "ETH", txHash, sender: hotWallet },
      ...{ output: null, to: address, amount: "2", currency: "ETH" },
    });
    assert.ok(blockNumber > 0);
    assert.match(reason.message, new RegExp(`^${txHash} paid ${address} from the hot wallet`));
    const said: string[] = [];
    const onTermsUnused = ({ payments }: Signed) => said.push(payments[0]!.purpose);
    for (let i = 0; i < 2; i++) {
      await adoptByHash(deps, { ...BY, txHash, terms: NEW, onTermsUnused });
    }
    assert.deepEqual(said, ["withdrawal"], "Of the second time, which changed nothing");
    await settleOften(world);
    assert.deepEqual([await balanceOf(api), await movesOf(world)], [before, moves]);
    assert.deepEqual((await adoptAll(deps, BY)).left, []);
    const kinds = (await alertsOf(deps)).map(({ kind }) => kind);
    assert.deepEqual(kinds, isResolved ? [] : ["wallet_halted"]);
  });
}
