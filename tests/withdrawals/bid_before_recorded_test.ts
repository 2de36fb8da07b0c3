import assert from "node:assert/strict";
import { signPayout } from "../../src/withdrawals/_sign_payout.ts";
import { createWithdrawal } from "../../src/withdrawals/create.ts";
import { bumpWithdrawal } from "../../src/withdrawals/push.ts";
import { recordSent } from "../../src/withdrawals/record_broadcast.ts";
import { playOnLitecoin } from "../support/grounds/scenario.ts";
import { eventsOf, transactionsOf, withdrawalOf } from "../support/views.ts";

Deno.test("a payout that is bid for before it is recorded as sent shows the bid", () =>
  playOnLitecoin(async (scene) => {
    const { ground, deps, one: coin, merchant: { api, accountId, credentials: { keyId } } } = scene;
    await scene.fundMerchant();
    await ground.mineBySelf(false);
    const accepted = async (amount: string) => {
      const { row } = await createWithdrawal(deps, {
        caller: { accountId, keyId, actor: "test", signature: null },
        ...{ network: ground.code, currency: "LTC", toAddress: ground.stranger, amount },
        clientReference: crypto.randomUUID(),
      });
      return row;
    };
    const rows = [await accepted("1"), await accepted("2")];
    // As if the program had died between two of those that share bytes.
    const [one, two] = await Promise.all(rows.map(async (row) => {
      const saved = await signPayout(deps, row);
      const step = { trigger: "sent", actor: "test", nowMs: deps.clock.nowMs() } as const;
      return { withdrawal: row, saved: saved!, step };
    }));
    assert.equal(one!.saved.tx.id, two!.saved.tx.id);
    await one!.saved.sendOnce!();
    await recordSent(deps, one!);
    await bumpWithdrawal(deps, { id: rows[0]!.id, actor: "test", isAnyway: true });
    await recordSent(deps, two!);
    const [bid] = await ground.mempool();
    assert.notEqual(bid, one!.saved.tx.txHash);
    const listed = async () => (await transactionsOf(api)).map((row) => [row.tx_hash, row.status]);
    const shown = await Promise.all(rows.map(({ id }) => withdrawalOf(api, id)));
    assert.deepEqual(shown.map((row) => row.tx_hash), [bid, bid]);
    const sent = await eventsOf(deps, "withdrawal.broadcasted");
    assert.deepEqual(sent.map((data) => data.tx_hash), [one!.saved.tx.txHash, bid]);
    assert.deepEqual(await listed(), [[bid, "detected"], [bid, "detected"]]);
    // The first bytes are mined after all.
    await ground.mineOnly(ground.sent[0]!);
    await scene.turn(2);
    const { txHash: first } = one!.saved.tx;
    assert.deepEqual(await listed(), [[first, "confirmed"], [first, "confirmed"]]);
    assert.equal(await ground.coinsOf(ground.stranger), 3n * coin);
  }));
