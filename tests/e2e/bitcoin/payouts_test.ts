import assert from "node:assert/strict";
import { readConfig } from "../../../src/app/config/config.ts";
import { openGateway } from "../../../src/app/gateway.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { createMemory } from "../../../src/deps/memory.ts";
import { setCurrency } from "../../../src/networks/currencies.ts";
import { stepsFor } from "../../../src/operations/words/advice.ts";
import { SignedPayments } from "../../../src/transfers/table.ts";
import { BIDS_MAX } from "../../../src/transfers/rules/bids.ts";
import { lookAtWallets } from "../../../src/wallets/look.ts";
import { hotWallets } from "../../../src/wallets/reads/addresses.ts";
import { watchHotWallets } from "../../../src/wallets/watch_hot.ts";
import { broadcastWithdrawal } from "../../../src/withdrawals/broadcast.ts";
import { createWithdrawal } from "../../../src/withdrawals/create.ts";
import { bumpWithdrawal, revokeWithdrawal } from "../../../src/withdrawals/push.ts";
import type { WithdrawalRow } from "../../../src/withdrawals/table.ts";
import type { LitecoinGround } from "../../support/grounds/litecoin_ground.ts";
import { playOnLitecoin, type Scene } from "../../support/grounds/scenario.ts";
import { rejectedId, sentId } from "../../support/payouts.ts";
import { alertsOf, eventsOf, withdrawalOf } from "../../support/views.ts";

type LitecoinScene = Scene<LitecoinGround>;

const UNTOUCHED = { balance: "100", held: "0", available: "100" };

function onLitecoin(name: string, story: (scene: LitecoinScene) => Promise<void>): void {
  Deno.test(name, () => playOnLitecoin(story));
}

/** Nothing is mined by itself, and the hot wallet has these coins. */
async function prepared(scene: LitecoinScene, coins = [100]): Promise<void> {
  const [first = 0, ...more] = coins;
  await scene.fundMerchant({ heldRaw: BigInt(first) * scene.one });
  for (const coin of more) await scene.give(scene.merchant.hotWallet, BigInt(coin) * scene.one);
  await scene.ground.mineBySelf(false);
}

const hashOf = async ({ merchant: { api } }: LitecoinScene, id: number): Promise<string> =>
  (await withdrawalOf(api, id)).tx_hash;
const bump = ({ deps }: LitecoinScene, id: number) =>
  bumpWithdrawal(deps, { id, actor: "test", isAnyway: true });
const revoke = ({ deps }: LitecoinScene, id: number) =>
  revokeWithdrawal(deps, { id, actor: "test" });
const address = ({ ground }: LitecoinScene): Promise<string> =>
  ground.node().rpc("getnewaddress", [], "payer");
/** Of coins in blocks, in whole coins. */
const paidTo = async ({ ground, one }: LitecoinScene, to: string) =>
  Number(await ground.coinsOf(to)) / Number(one);

onLitecoin(
  "payouts that arrive together share one transaction, and each has its outcome",
  async (scene) => {
    const { ground, merchant: { hotWallet } } = scene;
    await prepared(scene);
    const to = await Promise.all(Array.from({ length: 5 }, () => address(scene)));
    const replies = await Promise.all(
      to.map((to, i) => scene.withdraw({ to, amount: String(i + 1) })),
    );
    assert.equal(new Set(replies.map(({ body }) => body.data.tx_hash)).size, 1);
    assert.equal(ground.sent.length, 1, "It is sent once for all of them");
    await scene.turn(2);
    for (const reply of replies) assert.equal(await scene.statusOf(sentId(reply)), "confirmed");
    for (const [i, one] of to.entries()) assert.equal(await paidTo(scene, one), i + 1);
    assert.equal(await ground.countSentBy(hotWallet), 1);
    assert.equal((await eventsOf(scene.deps, "withdrawal.confirmed")).length, 5);
    assert.equal((await scene.listed()).length, 5);
  },
);

onLitecoin(
  "of payouts that arrive together, those that the wallet can't pay are refused, and no others",
  async (scene) => {
    const { ground } = scene;
    await prepared(scene, [10]);
    const replies = await Promise.all(
      ["4", "30", "5", "4"].map((amount) => scene.withdraw({ amount })),
    );
    assert.deepEqual(replies.map(({ status }) => status), [200, 502, 200, 502]);
    await scene.turn(2);
    assert.equal(await paidTo(scene, ground.stranger), 9);
  },
);

onLitecoin(
  "shared bytes that every node refuses fail all their payouts, and can't be mined after the next payout",
  async (scene) => {
    const { ground, merchant: { hotWallet } } = scene;
    await prepared(scene, [20, 30]);
    ground.onSending = () => "refused";
    const replies = await Promise.all(["3", "4"].map((amount) => scene.withdraw({ amount })));
    for (const reply of replies) rejectedId(reply);
    assert.deepEqual(await scene.balanceOf(), UNTOUCHED);
    const [refused] = ground.sent;
    assert.equal(ground.sent.length, 1);
    ground.onSending = () => "taken";
    // Another coin would do as well.
    sentId(await scene.withdraw({ amount: "25" }));
    const [before, after] = await Promise.all([refused!, ground.sent[1]!].map(ground.decode));
    assert.ok(before!.spends.some((outpoint) => after!.spends.includes(outpoint)));
    await scene.turn(2);
    await assert.rejects(ground.node().rpc("sendrawtransaction", [refused]), /missing/);
    assert.equal(await paidTo(scene, ground.stranger), 25);
    assert.equal(await ground.countSentBy(hotWallet), 1);
  },
);

onLitecoin("a bumped payout spends the same for a higher fee, and is paid once", async (scene) => {
  const { ground, merchant: { hotWallet } } = scene;
  await prepared(scene);
  const id = sentId(await scene.withdraw({ amount: "1" }));
  const first = await hashOf(scene, id);
  await bump(scene, id);
  const second = await hashOf(scene, id);
  assert.notEqual(first, second);
  assert.deepEqual(await ground.mempool(), [second]);
  await scene.turn(2);
  assert.equal(await scene.statusOf(id), "confirmed");
  assert.equal(await paidTo(scene, ground.stranger), 1);
  assert.equal(await ground.countSentBy(hotWallet), 1);
});

onLitecoin("once bids are used up, an alert advises what is possible there", async (scene) => {
  const { deps } = scene;
  await prepared(scene);
  const id = sentId(await scene.withdraw({ amount: "1" }));
  const order = { id, actor: "test" };
  for (let bids = 1; bids < BIDS_MAX; bids++) await bumpWithdrawal(deps, order);
  await assert.rejects(bumpWithdrawal(deps, order), { code: "bids_used_up" });
  const [alert] = await alertsOf(deps);
  assert.match(
    alert!.message,
    new RegExp(`^Transaction ${await hashOf(scene, id)} of .* no block`),
  );
  assert.match(
    stepsFor(alert!)!,
    /^"withdrawal bump ID --anyway" .*"network set LTC --fee-max AMOUNT" allows more$/,
  );
});

onLitecoin(
  "whichever bid is mined counts, also after a reorganisation to another one",
  async (scene) => {
    const { ground, merchant: { hotWallet } } = scene;
    await prepared(scene);
    const id = sentId(await scene.withdraw({ amount: "1" }));
    const first = await hashOf(scene, id);
    await bump(scene, id);
    const second = await hashOf(scene, id);
    await ground.mineOnly(ground.sent[0]!);
    await scene.follow(0);
    assert.equal(await hashOf(scene, id), first);
    await scene.follow(1);
    await ground.undo(2);
    await ground.mineOnly(ground.sent[1]!);
    await scene.follow(2);
    assert.deepEqual([await hashOf(scene, id), await scene.statusOf(id)], [second, "confirmed"]);
    assert.equal(await paidTo(scene, ground.stranger), 1);
    assert.equal(await ground.countSentBy(hotWallet), 1);
  },
);

onLitecoin(
  "a payout confirmed by one bid stays paid once if a deep reorganisation mines another",
  async (scene) => {
    const { ground, merchant: { hotWallet } } = scene;
    await prepared(scene);
    const id = sentId(await scene.withdraw({ amount: "1" }));
    await bump(scene, id);
    await ground.mineOnly(ground.sent[0]!);
    await scene.turn(2);
    assert.equal(await scene.statusOf(id), "confirmed");
    await ground.undo(7);
    await ground.mineOnly(ground.sent[1]!);
    await ground.mine(7);
    await scene.turn(2);
    assert.equal(await scene.statusOf(id), "confirmed");
    assert.equal(await paidTo(scene, ground.stranger), 1);
    assert.equal(await ground.countSentBy(hotWallet), 1);
  },
);

onLitecoin(
  "bumping a payout whose change is spent bumps who spends it, for both",
  async (scene) => {
    const { ground } = scene;
    await prepared(scene);
    const one = sentId(await scene.withdraw({ amount: "1" }));
    const other = sentId(await scene.withdraw({ amount: "2" }));
    const before = [await hashOf(scene, one), await hashOf(scene, other)];
    await bump(scene, one);
    const after = [await hashOf(scene, one), await hashOf(scene, other)];
    assert.equal(after[0], before[0]);
    assert.notEqual(after[1], before[1]);
    assert.deepEqual((await ground.mempool()).toSorted(), after.toSorted());
    await scene.turn(2);
    assert.equal(await paidTo(scene, ground.stranger), 3);
  },
);

onLitecoin(
  "of payouts that share a transaction, the revoked one fails and the others are paid",
  async (scene) => {
    const { ground } = scene;
    await prepared(scene);
    const replies = await Promise.all(["1", "2", "4"].map((amount) => scene.withdraw({ amount })));
    const [one, two, four] = replies.map(sentId);
    await revoke(scene, two!);
    await revoke(scene, four!);
    assert.equal((await ground.mempool()).length, 1);
    await scene.turn(2);
    assert.deepEqual(await Promise.all([one, two, four].map((id) => scene.statusOf(id!))), [
      "confirmed",
      "failed",
      "failed",
    ]);
    assert.equal(await paidTo(scene, ground.stranger), 1);
    assert.equal((await scene.balanceOf()).balance, "98.9949");
  },
);

onLitecoin(
  "what a revoked payout throws out is signed again once it is settled, and each is paid once",
  async (scene) => {
    const { ground, merchant: { hotWallet } } = scene;
    await prepared(scene);
    const ids: number[] = [];
    for (const amount of ["1", "2", "4"]) ids.push(sentId(await scene.withdraw({ amount })));
    await revoke(scene, ids[0]!);
    assert.equal((await ground.mempool()).length, 1, "The others are thrown out");
    sentId(await scene.withdraw({ to: await address(scene), amount: "0.5" }));
    assert.equal((await ground.mempool()).length, 2, "It spends nothing of theirs");
    await scene.follow(1);
    assert.deepEqual(await Promise.all(ids.map(scene.statusOf)), Array(3).fill("broadcasted"));
    await scene.turn(1);
    await scene.turn(2);
    assert.deepEqual(await Promise.all(ids.map(scene.statusOf)), [
      "failed",
      "confirmed",
      "confirmed",
    ]);
    assert.equal(await paidTo(scene, ground.stranger), 6);
    assert.equal(await ground.countSentBy(hotWallet), 4);
  },
);

onLitecoin(
  "if a payout is mined in spite of its revocation, all stay as they were signed",
  async (scene) => {
    const { ground, merchant: { hotWallet } } = scene;
    await prepared(scene);
    const ids: number[] = [];
    for (const amount of ["1", "2"]) ids.push(sentId(await scene.withdraw({ amount })));
    const hashes = await Promise.all(ids.map((id) => hashOf(scene, id)));
    await revoke(scene, ids[0]!);
    await ground.mineOnly(ground.sent[0]!);
    await scene.turn(3);
    assert.deepEqual(await Promise.all(ids.map(scene.statusOf)), ["confirmed", "confirmed"]);
    assert.deepEqual(await Promise.all(ids.map((id) => hashOf(scene, id))), hashes);
    assert.equal(await paidTo(scene, ground.stranger), 3);
    assert.equal(await ground.countSentBy(hotWallet), 2);
  },
);

onLitecoin(
  "payouts that wait for too many unmined ones are 502 when the request's time is up",
  async (scene) => {
    const { ground } = scene;
    await prepared(scene);
    for (let i = 0; i < 20; i++) sentId(await scene.withdraw({ amount: "0.1" }));
    const late = await scene.withdraw({ amount: "0.1" });
    assert.match(late.body.data.error_message, /not deep enough/);
    rejectedId(late);
    const waiting = broadcast(scene.deps, await accepted(scene, "0.1"));
    await scene.follow(1);
    assert.equal((await waiting).status, "broadcasted");
    await scene.turn(2);
    assert.equal(await paidTo(scene, ground.stranger), 2.1);
  },
);

onLitecoin("amounts that nodes call dust are 400, by the form of the address", async (scene) => {
  await prepared(scene);
  const { ground } = scene;
  const change = { minWithdrawalAmount: "0" };
  await setCurrency(scene.deps, { network: ground.code, symbol: "LTC", change, actor: "test" });
  const legacy = await ground.node().rpc("getnewaddress", ["", "legacy"], "payer");
  for (const [to, least] of [[ground.stranger, "0.0000294"], [legacy, "0.0000546"]] as const) {
    const below = await scene.withdraw({ to, amount: (Number(least) - 1e-8).toFixed(8) });
    assert.deepEqual([below.status, below.body.error.code, below.body.message], [
      400,
      "amount_below_minimum",
      "Withdrawal amount is below the minimum allowed",
    ]);
    assert.equal(below.body.error.details.minimum, least);
    sentId(await scene.withdraw({ to, amount: least }));
  }
});

onLitecoin(
  "a hot wallet isn't called empty for a payout in a block that isn't read yet",
  async (scene) => {
    const { ground, deps } = scene;
    await prepared(scene);
    const id = sentId(await scene.withdraw({ amount: "1" }));
    const held = async () => {
      const rows = await hotWallets(deps.db, { network: "LTC", limit: 5 });
      // What others have seen a moment ago counts for some seconds.
      const fresh = { ...deps, memory: createMemory(deps.db) };
      const [look] = await lookAtWallets(fresh, { rows, waitMs: 10_000 });
      return look!.stocks.map(({ held }) => held?.toString());
    };
    await ground.mine(1);
    await watchHotWallets(deps);
    assert.deepEqual(await alertsOf(deps), []);
    assert.deepEqual(await held(), [undefined], "Nobody knows yet");
    await scene.follow(0);
    const [left] = await held();
    assert.match(left!, /^98\.999/);
    await scene.turn(1);
    assert.equal(await scene.statusOf(id), "confirmed");
  },
);

onLitecoin("what a wallet lacks is said in coins", async (scene) => {
  await prepared(scene, [1]);
  const { ground } = scene;
  const { body: { data: { error_message: more } } } = await scene.withdraw({ amount: "2" });
  assert.equal(more, "The hot wallet has 1 LTC, and 2 LTC are to be paid");
  const { body: { data: { error_message: fee } } } = await scene.withdraw({ amount: "1" });
  assert.match(fee, /^The wallet lacks 0\.00000\d+ LTC for payment and fee$/);
  assert.deepEqual(await ground.mempool(), []);
});

onLitecoin("a payout that blocks leave out is bid for by itself, and paid once", async (scene) => {
  const { ground, merchant: { hotWallet } } = scene;
  await prepared(scene);
  const id = sentId(await scene.withdraw({ amount: "1" }));
  const first = await hashOf(scene, id);
  for (let i = 0; i < 5; i++) await ground.mineOnly();
  await scene.follow(0);
  assert.equal(await hashOf(scene, id), first, "It has not waited long");
  scene.wait(200_000);
  await scene.follow(0);
  const second = await hashOf(scene, id);
  assert.notEqual(second, first);
  assert.deepEqual(await ground.mempool(), [second]);
  await scene.turn(2);
  assert.equal(await paidTo(scene, ground.stranger), 1);
  assert.equal(await ground.countSentBy(hotWallet), 1);
});

/** How often each was signed, the first time included. */
async function signedFor(scene: LitecoinScene, id: number): Promise<number> {
  const { deps } = scene;
  const payments = await deps.db.rows(SignedPayments, "WHERE withdrawal_id = ?", [id]);
  return payments.length;
}

onLitecoin(
  "what spends a stuck payout's change is bid for once in a while, like the payout itself",
  async (scene) => {
    const { ground } = scene;
    await prepared(scene);
    const one = sentId(await scene.withdraw({ amount: "1" }));
    const other = sentId(await scene.withdraw({ amount: "2" }));
    const signed = async () => [await signedFor(scene, one), await signedFor(scene, other)];
    const blocksWithout = async () => {
      for (let i = 0; i < 5; i++) await ground.mineOnly();
      scene.wait(200_000);
    };
    await blocksWithout();
    for (let i = 0; i < 3; i++) {
      await scene.follow(0);
      assert.deepEqual(await signed(), [1, 2]);
      // Long enough for a person to bid again.
      scene.wait(20_000);
    }
    await blocksWithout();
    await scene.follow(0);
    assert.deepEqual(await signed(), [1, 3]);
    await scene.turn(2);
    assert.equal(await paidTo(scene, ground.stranger), 3);
  },
);

onLitecoin(
  "bids that paid for another payout too don't count once that is mined",
  async (scene) => {
    const { deps, ground } = scene;
    await prepared(scene);
    sentId(await scene.withdraw({ amount: "1" }));
    const id = sentId(await scene.withdraw({ amount: "2" }));
    const order = { id, actor: "test" };
    for (let bids = 1; bids < BIDS_MAX; bids++) {
      await bumpWithdrawal(deps, order);
      scene.wait(20_000);
    }
    await assert.rejects(bumpWithdrawal(deps, order), { code: "bids_used_up" });
    await ground.mineOnly(ground.sent[0]!);
    await scene.follow(0);
    for (let bids = 0; bids < BIDS_MAX; bids++) {
      await bumpWithdrawal(deps, order);
      scene.wait(20_000);
    }
    await assert.rejects(bumpWithdrawal(deps, order), { code: "bids_used_up" });
  },
);

onLitecoin(
  "shared bytes that were saved and not sent pay each once after a restart",
  async (scene) => {
    const { ground, merchant: { hotWallet } } = scene;
    await prepared(scene);
    ground.onSending = () => "lost";
    const replies = await Promise.all(["1", "2", "4"].map((amount) => scene.withdraw({ amount })));
    await scene.restart();
    ground.onSending = () => "taken";
    scene.wait(30_000);
    await scene.follow(1);
    await scene.turn(2);
    for (const reply of replies) assert.equal(await scene.statusOf(sentId(reply)), "confirmed");
    assert.equal(new Set(ground.sent).size, 1);
    assert.equal(await paidTo(scene, ground.stranger), 7);
    assert.equal(await ground.countSentBy(hotWallet), 1);
  },
);

onLitecoin("a payout that is taken on twice stands in the way of no other", async (scene) => {
  const { ground } = scene;
  await prepared(scene, [10, 10]);
  const [one, two] = [await accepted(scene, "1"), await accepted(scene, "2")];
  await Promise.all([one, one, two].map((row) => broadcast(scene.deps, row)));
  await scene.turn(2);
  assert.deepEqual(await Promise.all([one, two].map(({ id }) => scene.statusOf(id))), [
    "confirmed",
    "confirmed",
  ]);
  assert.equal(await paidTo(scene, ground.stranger), 3);
});

onLitecoin("two programs that sign for one wallet at once pay each payout once", async (scene) => {
  const { ground } = scene;
  await prepared(scene, [10, 10, 10]);
  const other = await openGateway(readConfig({ ...scene.place.env, CPG_LOG_LEVEL: "silent" }));
  try {
    const rows = [];
    for (let i = 0; i < 12; i++) rows.push(await accepted(scene, "0.5"));
    await Promise.all(rows.flatMap((row) => [
      broadcast(scene.deps, row),
      broadcast(other.deps, row),
    ]));
    await scene.turn(3);
    for (const { id } of rows) assert.equal(await scene.statusOf(id), "confirmed");
    assert.equal(await paidTo(scene, ground.stranger), 6);
  } finally {
    await other.close();
  }
});

onLitecoin(
  "coins that others paid are spent once they are as deep as deposits have to be",
  async (scene) => {
    const { ground, one, merchant: { hotWallet } } = scene;
    await prepared(scene, [1]);
    await ground.give(hotWallet, 5n * one);
    const [network] = (await scene.deps.catalog.current()).networks;
    const request = { from: hotWallet, to: ground.stranger, contract: null, amountRaw: 2n * one };
    for (let depth = 1; depth < ground.minConfirmations; depth++) {
      await scene.follow(depth === 1 ? 0 : 1);
      const tried = await scene.deps.chains.of(network!).prepareTransfer(request);
      assert.equal(tried.kind === "refused" && tried.cause, "waiting", `${depth} deep`);
    }
    await scene.follow(1);
    sentId(await scene.withdraw({ amount: "2" }));
    await scene.turn(2);
    assert.equal(await paidTo(scene, ground.stranger), 2);
  },
);

/** Accepted, and not signed yet. */
async function accepted(scene: LitecoinScene, amount: string) {
  const { ground, deps, merchant: { accountId, credentials: { keyId } } } = scene;
  const { row } = await createWithdrawal(deps, {
    caller: { accountId, keyId, actor: "test", signature: null },
    ...{ network: ground.code, currency: "LTC", toAddress: ground.stranger, amount },
    clientReference: crypto.randomUUID(),
  });
  return row;
}

/** In a time that no machine is too slow for: a request's own is seconds. */
function broadcast(deps: Deps, row: WithdrawalRow) {
  return broadcastWithdrawal(deps, row, { actor: "test", budgetMs: 120_000 });
}

onLitecoin("a node that has lost what a payout comes from gets that first", async (scene) => {
  const { ground } = scene;
  await prepared(scene);
  for (const amount of ["1", "2"]) sentId(await scene.withdraw({ amount }));
  await ground.forget("");
  sentId(await scene.withdraw({ amount: "4" }));
  assert.equal((await ground.mempool()).length, 3);
  await scene.turn(2);
  assert.equal(await paidTo(scene, ground.stranger), 7);
});

onLitecoin("a bump pays none of its payouts that the ledger doesn't hold", async (scene) => {
  const { ground, deps } = scene;
  await prepared(scene);
  const replies = await Promise.all(["1", "2", "4"].map((amount) => scene.withdraw({ amount })));
  const [one, two] = replies.map(sentId);
  const hold = `ledger_entries WHERE withdrawal_id = ${two} AND kind = 'hold'`;
  const sql = (...texts: string[]) => deps.db.execute(texts.map((sql) => ({ sql })));
  await sql(
    "DROP TRIGGER ledger_entries_no_delete",
    `CREATE TABLE thief AS SELECT * FROM ${hold}`,
    `DELETE FROM ${hold}`,
  );
  await assert.rejects(bump(scene, one!), /withdrawals/);
  assert.equal(ground.sent.length, 1, "Nor for the others, whose bytes are the same");
  await sql("INSERT INTO ledger_entries SELECT * FROM thief", "DROP TABLE thief");
  await bump(scene, one!);
  assert.equal(ground.sent.length, 2);
  await scene.turn(2);
  assert.equal(await paidTo(scene, ground.stranger), 7);
});
