import assert from "node:assert/strict";
import { enableCurrency } from "../../../src/accounts/enable_currency.ts";
import { AccountCurrencies } from "../../../src/accounts/tables/accounts.ts";
import { approveWithdrawal } from "../../../src/approvals/approve.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { setCurrency } from "../../../src/networks/currencies.ts";
import { setNetwork } from "../../../src/networks/set.ts";
import { whyUnsigned } from "../../../src/payouts/why_unsigned.ts";
import { broadcastWithdrawal } from "../../../src/withdrawals/broadcast.ts";
import { cancelWithdrawal } from "../../../src/withdrawals/cancel.ts";
import { createWithdrawal } from "../../../src/withdrawals/create.ts";
import { bumpWithdrawal } from "../../../src/withdrawals/push.ts";
import { Withdrawals } from "../../../src/withdrawals/table.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { ETHER, STRANGER } from "../../support/payers.ts";
import {
  askForApprovals,
  receivedBy,
  sentId,
  settleAll,
  startPayingWorld,
  statusOf,
  transfersOf,
} from "../../support/payouts.ts";
import { balanceOf, withdraw } from "../../support/views.ts";
import type { World } from "../../support/world.ts";

const CLI = { person: "cli", actor: "cli", user: undefined };
const COIN = { network: "ETH", currency: "ETH" };

type Switch = (world: World, isOn: boolean) => Promise<unknown>;

const SWITCHES: readonly (readonly [what: string, code: string, set: Switch])[] = [
  [
    "the account's payouts are",
    "payouts_off",
    ({ deps, merchant: { accountId } }, isOn) =>
      enableCurrency(deps, {
        ...{ accountId, ...COIN, isOperator: true, actor: "test" },
        ...{ isDepositEnabled: undefined, isWithdrawalEnabled: isOn },
      }),
  ],
  [
    "the currency is",
    "currency_off",
    ({ deps }, isActive) =>
      setCurrency(deps, { network: "ETH", symbol: "ETH", change: { isActive }, actor: "test" }),
  ],
  [
    "the network is",
    "network_off",
    ({ deps }, isActive) => setNetwork(deps, { code: "ETH", change: { isActive }, actor: "test" }),
  ],
];

/** Accepted, and not signed yet. */
async function accepted({ deps, merchant }: World) {
  const { accountId, credentials: { keyId } } = merchant;
  const { row } = await createWithdrawal(deps, {
    caller: { accountId, keyId, actor: "test", signature: null },
    ...{ ...COIN, toAddress: STRANGER, amount: "1", clientReference: crypto.randomUUID() },
  });
  return row;
}

/** The switch comes just after whoever signs has looked. */
const unaware = ({ db, ...deps }: Deps): Deps => ({
  ...deps,
  db: {
    ...db,
    find: async (table, ...rest) => {
      const row = await db.find(table, ...rest);
      return row && table.name === AccountCurrencies.name
        ? { ...row, isWithdrawalEnabled: true }
        : row;
    },
  },
});

const stateOf = async ({ deps }: World, id: number) => {
  const { status, approval, transferId } = await deps.db.get(Withdrawals, [id]);
  return [status, approval, transferId];
};

for (const [what, code, set] of SWITCHES) {
  Deno.test(`contract 1: while ${what} off nothing is approved or signed, and then it goes on`, async () => {
    await using anvil = await startAnvil();
    await using world = await startPayingWorld({ anvil });
    const { deps, merchant: { api } } = world;
    const unsigned = await accepted(world);
    const cancelled = await accepted(world);
    await askForApprovals(deps);
    const { body: { data } } = await withdraw(api, { to: STRANGER, amount: "2" });
    const waiting = data.withdrawal_id as number;
    await set(world, false);

    await assert.rejects(
      approveWithdrawal(deps, { id: waiting, decider: CLI }),
      { code: "approval_held_back", message: /switched off/ },
    );
    await assert.rejects(broadcastWithdrawal(deps, unsigned, { actor: "worker" }), {
      name: "Held",
    });
    const answered = await broadcastWithdrawal(deps, unsigned, { actor: "test", budgetMs: 8_500 });
    assert.equal(answered.status, "pending");
    await settleAll(world);
    await world.round({ aheadMs: 60_000 });
    assert.deepEqual(await stateOf(world, unsigned.id), ["pending", null, null]);
    assert.deepEqual(await stateOf(world, waiting), ["pending", "waiting", null]);
    assert.deepEqual(await transfersOf(world), []);
    for (const id of [unsigned.id, waiting]) {
      const [why] = await whyUnsigned(deps, await deps.db.get(Withdrawals, [id]));
      assert.equal(why?.code === "held_back" && why.why.code, code);
    }
    await cancelWithdrawal(deps, { id: cancelled.id, actor: "test" });

    await set(world, true);
    await settleAll(world);
    await world.round({ aheadMs: 120_000 });
    await approveWithdrawal(deps, { id: waiting, decider: CLI });
    await settleAll(world);
    assert.equal(await statusOf(api, unsigned.id), "confirmed");
    assert.equal(await statusOf(api, waiting), "confirmed");
    assert.equal(await receivedBy(anvil, STRANGER), 3n * ETHER);
    assert.equal((await balanceOf(api)).held, "0");
    assert.deepEqual(world.faults, []);
  });
}

Deno.test("contract 1: what was signed before the switch goes on, and may be replaced", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { api } } = world;
  await anvil.rpc("evm_setAutomine", [false]);
  const id = sentId(await withdraw(api, { to: STRANGER, amount: "1" }));
  for (const [, , set] of SWITCHES) await set(world, false);
  await bumpWithdrawal(deps, { id, actor: "test" });
  assert.equal((await transfersOf(world)).length, 2);
  await anvil.rpc("evm_setAutomine", [true]);
  await settleAll(world);
  await settleAll(world);
  const row = await deps.db.get(Withdrawals, [id]);
  assert.equal(row.status, "confirmed");
  assert.equal(await receivedBy(anvil, STRANGER), ETHER);
});

Deno.test("contract 1: a switch in the middle of signing is noticed by the unit that saves the bytes", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const [, , set] = SWITCHES[0]!;
  const row = await accepted(world);
  await set(world, false);
  await assert.rejects(
    broadcastWithdrawal(unaware(world.deps), row, { actor: "worker" }),
    { name: "Held" },
  );
  assert.deepEqual(await transfersOf(world), []);
  await set(world, true);
  const sent = await broadcastWithdrawal(world.deps, row, { actor: "worker" });
  assert.equal(sent.status, "broadcasted");
});
