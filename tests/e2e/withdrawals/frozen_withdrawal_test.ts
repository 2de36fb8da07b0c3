import assert from "node:assert/strict";
import { createWithdrawal } from "../../../src/withdrawals/create.ts";
import { Freezes } from "../../../src/books/table.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { ETHER, STRANGER } from "../../support/payers.ts";
import {
  auditPayer,
  fundMerchant,
  receivedBy,
  settleAll,
  startPayingWorld,
  statusOf,
} from "../../support/payouts.ts";
import { balanceOf, withdrawalOf } from "../../support/views.ts";

Deno.test("a withdrawal that a crash left unsigned is released if the books were found wrong meanwhile", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { accountId, credentials: { keyId }, api } } = world;
  const asset = { accountId, network: "ETH", currency: "ETH" };
  const { row } = await createWithdrawal(deps, {
    caller: { accountId, keyId, signature: "00", signatureExpiresAtMs: Date.now() },
    network: "ETH",
    currency: "ETH",
    toAddress: STRANGER,
    amount: "1",
    clientReference: null,
  });
  await deps.db.write({
    reads: [],
    decide: (view) =>
      view.insertKeyed(Freezes, {
        ...asset,
        code: "books_differ",
        reason: "Tampered with: not what counts",
        createdAtMs: 0,
      }),
  });
  await world.round({ aheadMs: 30_000 });
  await settleAll(world);
  const { status, error_message } = await withdrawalOf(api, row.id);
  assert.deepEqual([status, error_message], ["failed", "Withdrawals are paused"]);
  assert.deepEqual(await balanceOf(api), { balance: "100", held: "0", available: "100" });
  assert.equal(await receivedBy(anvil, STRANGER), 0n);
  await auditPayer(world);
});

Deno.test("payments that wait for an operator delay nobody else's, however many they are", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant } = world;
  const asset = { network: "ETH", currency: "ETH" };
  const leave = ({ accountId, credentials: { keyId } }: typeof merchant, amount: string) =>
    createWithdrawal(deps, {
      caller: { accountId, keyId, actor: "test", signature: null },
      ...{ ...asset, toAddress: STRANGER, amount, clientReference: crypto.randomUUID() },
    });
  for (let i = 0; i < 60; i++) await leave(merchant, "0.1");
  const other = await world.addMerchant("Other");
  await fundMerchant(world, other);
  const { row } = await leave(other, "1");
  const { accountId } = merchant;
  const freeze = { accountId, ...asset, code: "tampered", reason: "test", createdAtMs: 0 } as const;
  await deps.db.write({ reads: [], decide: (view) => view.insertKeyed(Freezes, freeze) });
  await world.round({ aheadMs: 60_000 });
  await world.round();
  await settleAll(world);
  assert.equal(await statusOf(other.api, row.id), "confirmed");
  assert.equal(await receivedBy(anvil, STRANGER), ETHER);
});
