import assert from "node:assert/strict";
import { approveWithdrawal } from "../../../src/approvals/approve.ts";
import { reverseDeposit } from "../../../src/deposits/reverse.ts";
import { whyUnsigned } from "../../../src/payouts/why_unsigned.ts";
import { broadcastWithdrawal } from "../../../src/withdrawals/broadcast.ts";
import { cancelWithdrawal } from "../../../src/withdrawals/cancel.ts";
import { createWithdrawal } from "../../../src/withdrawals/create.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { Balances } from "../../../src/books/table.ts";
import { Withdrawals } from "../../../src/withdrawals/table.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { sendTx } from "../../support/nodes/contracts.ts";
import { ETHER, STRANGER } from "../../support/payers.ts";
import {
  askForApprovals,
  receivedBy,
  settleAll,
  startPayingWorld,
  statusOf,
  transfersOf,
} from "../../support/payouts.ts";
import { allocate, balanceOf, depositsOf, withdraw } from "../../support/views.ts";

const CLI = { person: "cli", actor: "cli", user: undefined };

/** The reversal comes just after whoever signs has looked. */
const unaware = ({ db, ...deps }: Deps): Deps => ({
  ...deps,
  db: {
    ...db,
    find: async (table, ...rest) =>
      table.name === Balances.name ? undefined : await db.find(table, ...rest),
  },
});

Deno.test("a payout whose cover was taken back is neither approved nor signed until there is enough", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { api, accountId, credentials: { keyId } } } = world;
  const { address } = await allocate(api);
  await sendTx(anvil, { to: address, valueRaw: 50n * ETHER });
  await settleAll(world);
  const { row: unsigned } = await createWithdrawal(deps, {
    caller: { accountId, keyId, actor: "test", signature: null },
    ...{ network: "ETH", currency: "ETH", toAddress: STRANGER },
    ...{ amount: "60", clientReference: crypto.randomUUID() },
  });
  await askForApprovals(deps);
  const { body: { data } } = await withdraw(api, { to: STRANGER, amount: "80" });
  const waiting = data.withdrawal_id as number;
  const [deposit] = await depositsOf(api);
  await reverseDeposit(deps, { id: deposit!.id, note: "gone", actor: "test" });
  assert.equal((await balanceOf(api)).available, "-40.7002");

  await assert.rejects(approveWithdrawal(deps, { id: waiting, decider: CLI }), {
    code: "approval_held_back",
    message: /The balance lacks 40\.7002 ETH on ETH of what is held for payouts, because money was/,
  });
  for (const who of [deps, unaware(deps)]) {
    await assert.rejects(broadcastWithdrawal(who, unsigned, { actor: "worker" }), { name: "Held" });
  }
  await settleAll(world);
  await world.round({ aheadMs: 60_000 });
  assert.deepEqual(await transfersOf(world), []);
  for (const id of [unsigned.id, waiting]) {
    assert.equal(await statusOf(api, id), "pending");
    const [why] = await whyUnsigned(deps, await deps.db.get(Withdrawals, [id]));
    assert.equal(why?.code === "held_back" && why.why.code, "uncovered");
  }

  await cancelWithdrawal(deps, { id: waiting, actor: "test" });
  await settleAll(world);
  await world.round({ aheadMs: 120_000 });
  await settleAll(world);
  assert.equal(await statusOf(api, unsigned.id), "confirmed");
  assert.equal(await receivedBy(anvil, STRANGER), 60n * ETHER);
  assert.deepEqual(world.faults, []);
});
