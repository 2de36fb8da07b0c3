import assert from "node:assert/strict";
import { haltWallet } from "../../../src/wallets/halt.ts";
import { adoptByHash } from "../../../src/restore/adopt_spends.ts";
import { resumeWallet } from "../../../src/restore/resume_wallet.ts";
import { Addresses } from "../../../src/wallets/tables/addresses.ts";
import { Withdrawals } from "../../../src/withdrawals/table.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { ETHER, setBalance, STRANGER } from "../../support/payers.ts";
import {
  receivedBy,
  rejectedId,
  sentId,
  settleAll,
  startPayingWorld,
} from "../../support/payouts.ts";
import { takeBackup } from "../../support/restoring.ts";
import { makeStage } from "../../support/stage.ts";
import { balanceOf, eventsOf, withdraw, withdrawalOf } from "../../support/views.ts";

const NO_TERMS = { withdrawal: undefined, fee: undefined, keyId: undefined, reference: undefined };
const BY = { network: "ETH", actor: "test" };
const ORDER = { to: STRANGER, amount: "3", reference: "order 7" };

for (const wasHalted of [false, true]) {
  const which = wasHalted ? "was halted before" : "signed";
  Deno.test(`a request repeated after a restore leaves no trace until its payout is booked (${which})`, async () => {
    await using anvil = await startAnvil();
    await using world = await startPayingWorld({ anvil });
    const { api, hotWallet, credentials: { keyId } } = world.merchant;
    const wallet = await world.deps.db.find(Addresses, ["ETH", hotWallet], "address");
    if (wasHalted) await haltWallet(world.deps, wallet!, "seen elsewhere");
    await using backup = await takeBackup(world);
    if (wasHalted) await resumeWallet(world.deps, { ...BY, address: hotWallet });
    const id = sentId(await withdraw(api, ORDER));
    await settleAll(world);
    const { tx_hash } = await withdrawalOf(api, id);
    const paid = await balanceOf(api);

    await backup.bringBack();
    const repeated = await withdraw(api, ORDER);
    assert.deepEqual([repeated.status, repeated.body.error.code], [503, "unavailable"]);
    assert.equal(repeated.headers.get("retry-after"), "60");
    await settleAll(world);
    assert.deepEqual(await world.deps.db.rows(Withdrawals, ""), []);
    assert.deepEqual(await eventsOf(world.deps, "withdrawal.failed"), []);
    const terms = { ...NO_TERMS, keyId, reference: "order 7" };
    await adoptByHash(world.deps, { ...BY, txHash: tx_hash, terms });
    const replay = await withdraw(api, ORDER);
    assert.deepEqual([replay.status, replay.body.data.tx_hash], [200, tx_hash]);
    assert.deepEqual(await balanceOf(api), paid);
  });
}

Deno.test("a booked payout takes over the reference of an unsigned failed request for the same", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { api, hotWallet, credentials: { keyId } } = world.merchant;
  await using backup = await takeBackup(world);
  const id = sentId(await withdraw(api, ORDER));
  await settleAll(world);
  const { tx_hash } = await withdrawalOf(api, id);
  const paid = await balanceOf(api);

  await backup.bringBack();
  await settleAll(world);
  await resumeWallet(world.deps, { ...BY, address: hotWallet, isAnyway: true });
  await setBalance(anvil, hotWallet, 0n);
  const failed = rejectedId(await withdraw(api, ORDER));
  rejectedId(await withdraw(api, { ...ORDER, amount: "4", reference: "order 8" }));
  await setBalance(anvil, hotWallet, 100n * ETHER);
  const adopt = (reference: string) => {
    const terms = { ...NO_TERMS, keyId, reference };
    return adoptByHash(world.deps, { ...BY, txHash: tx_hash, terms });
  };
  await assert.rejects(adopt("order 8"), /\(failed\) already has the reference "order 8"$/);
  const { payments: [payment] } = await adopt("order 7");
  const { withdrawalId } = payment!;
  assert.notEqual(withdrawalId, failed);
  const replay = await withdraw(api, ORDER);
  assert.deepEqual([replay.body.data.id, replay.body.data.tx_hash], [withdrawalId, tx_hash]);
  assert.equal((await withdrawalOf(api, failed)).status, "failed");
  assert.deepEqual(await balanceOf(api), paid);
});

Deno.test("a restored wallet is resumed once all it sent is booked, so nothing is paid twice", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { api, hotWallet } = world.merchant;
  const id = await makeStage(world).waitingWithdrawal();
  await using backup = await takeBackup(world);
  await world.round({ aheadMs: 30_000 });
  await settleAll(world);
  const { tx_hash } = await withdrawalOf(api, id);
  const received = await receivedBy(anvil, STRANGER);

  await backup.bringBack();
  const resume = () => resumeWallet(world.deps, { ...BY, address: hotWallet });
  await assert.rejects(resume(), /ETH has been read up to block \d+, .* must be known first$/);
  await settleAll(world);
  await assert.rejects(resume(), /one payment that the books do not explain, 0x\w{64} first$/);
  const terms = { ...NO_TERMS, withdrawal: id };
  await adoptByHash(world.deps, { ...BY, txHash: tx_hash, terms });
  await resume();
  await world.round({ aheadMs: 90_000 });
  await settleAll(world);
  assert.equal((await withdrawalOf(api, id)).status, "confirmed");
  assert.equal(await receivedBy(anvil, STRANGER), received);
});
