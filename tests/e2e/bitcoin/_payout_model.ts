import assert from "node:assert/strict";
import { addressOfScript } from "../../../src/chains/bitcoin/addresses.ts";
import { PRESETS } from "../../../src/chains/bitcoin/params.ts";
import { ActionRefused } from "../../../src/domain/refusals/refuse.ts";
import { SignedTransactions } from "../../../src/transfers/table.ts";
import {
  bumpWithdrawal,
  resendWithdrawal,
  revokeWithdrawal,
} from "../../../src/withdrawals/push.ts";
import { Withdrawals } from "../../../src/withdrawals/table.ts";
import { type Random, seededRandom } from "../../domain/random.ts";
import type { Sending } from "../../support/grounds/ground.ts";
import type { LitecoinGround } from "../../support/grounds/litecoin_ground.ts";
import { type Scene, unitsOf } from "../../support/grounds/scenario.ts";
import { alertsOf } from "../../support/views.ts";

const ONE = 100_000_000n;
/** Half a percent, and 0.0001. */
const feeOf = (raw: bigint) => raw / 200n + 10_000n;
const NETWORK = PRESETS["LTC-REGTEST"];
const STEPS_MAX = 14;
/** So little that payouts spend the change of others. */
const LEAST_RAW = 2n * ONE;
const DEPTH_MAX = 7;
const TURNS_MAX = 25;
const WAIT_MS = 200_000;
/** Whoever reads this has nothing to do about it. */
const EXPECTED_ALERTS: readonly string[] = ["withdrawals_failing", "transfer_stuck"];

interface Payout {
  readonly id: number;
  readonly to: string;
  readonly amountRaw: bigint;
}

/**
 * Payouts, bids, revocations, reorganisations, lost lines and restarts in random order. After each
 * sequence everything comes to its end, and what left the wallet is what is booked, to the last unit.
 */
export async function playSequences(
  scene: Scene<LitecoinGround>,
  { seed, sequences }: { seed: number; sequences: number },
): Promise<void> {
  const model = new Model(scene, seededRandom(seed));
  await model.start();
  for (let i = 1; i <= sequences; i++) {
    try {
      await model.sequence();
    } catch (error) {
      const said = model.doings.join("\n");
      throw new Error(`Sequence ${i} of seed ${seed}:\n${said}`, { cause: error });
    }
  }
}

class Model {
  readonly #scene: Scene<LitecoinGround>;
  readonly #random: Random;
  #made = 0;
  #givenRaw = 0n;
  #bookedRaw = 100_000n * ONE;
  #sending: Sending = "taken";
  doings: string[] = [];

  constructor(scene: Scene<LitecoinGround>, random: Random) {
    this.#scene = scene;
    this.#random = random;
  }

  async start(): Promise<void> {
    const { ground } = this.#scene;
    ground.onSending = () => this.#sending;
    await this.#scene.fundMerchant({ amount: "100000", heldRaw: ONE });
    this.#givenRaw = ONE;
    await ground.mineBySelf(false);
  }

  async sequence(): Promise<void> {
    const { ground } = this.#scene;
    this.doings = [];
    this.#sending = "taken";
    await this.#fill();
    this.#scene.wait(1_000);
    const payouts: Payout[] = [];
    const from = ground.sent.length;
    const steps = 2 + this.#random.below(STEPS_MAX - 1);
    const isChained = this.#random.chance(0.6);
    if (isChained) await this.#pay(payouts, true);
    for (let i = 0; i < steps; i++) {
      const isEarly = isChained && i < steps / 2;
      await this.#step(payouts, { from, kinds: isEarly ? 57 : 100 });
    }
    this.#sending = "taken";
    await this.#end(payouts);
    await this.#check(payouts);
  }

  /** The first step of a sequence is a payout, and the most frequent one. */
  async #step(
    payouts: Payout[],
    { from, kinds }: { readonly from: number; readonly kinds: number },
  ): Promise<void> {
    const random = this.#random;
    const { ground } = this.#scene;
    const at = payouts.length === 0 ? 0 : random.below(kinds);
    if (at < 30) return await this.#pay(payouts);
    if (at < 42) return await this.#push("bump", payouts);
    if (at < 54) return await this.#push("revoke", payouts);
    if (at < 57) return await this.#push("resend", payouts);
    if (at < 65) return await this.#mine(1);
    if (at < 70) return await this.#do("empty block", () => ground.mineOnly());
    if (at < 77) return await this.#mineSome(from);
    if (at < 85) return await this.#reorganise(from);
    if (at < 93) {
      if (random.chance(0.5)) this.#scene.wait(WAIT_MS);
      return await this.#do("round", () => this.#scene.follow(0));
    }
    if (at < 96) {
      this.#sending = random.pick(["taken", "refused", "lost", "reply_lost"]);
      this.doings.push(`sending: ${this.#sending}`);
      return;
    }
    if (at < 98) return await this.#do("restart", () => this.#scene.restart());
    await this.#do("forget", () => ground.forget(""));
  }

  async #pay(payouts: Payout[], isLarge = false): Promise<void> {
    const random = this.#random;
    const orders = Array.from({ length: random.pick([1, 1, 2, 3]) }, () => ({
      to: this.#address(),
      // Half a percent of it is whole.
      amountRaw: 200n * BigInt(500 + random.below(30_000)),
    }));
    if (isLarge) {
      // Nearly all that there is, so that the next ones spend what comes back of it.
      const raw = await this.#heldRaw();
      const thousandths = BigInt(900 + random.below(70));
      if (raw > ONE) orders[0]!.amountRaw = raw * thousandths / 200_000n * 200n;
    }
    this.doings.push(`pay ${orders.map(({ amountRaw }) => amountRaw).join()}`);
    const replies = await Promise.all(
      orders.map(({ to, amountRaw }) =>
        this.#scene.withdraw({ to, amount: unitsOf(amountRaw, ONE) })
      ),
    );
    for (const [i, { status, body }] of replies.entries()) {
      assert.ok(status === 200 || status === 502, JSON.stringify(body));
      const id: number = body.data.withdrawal_id ?? body.data.id;
      payouts.push({ id, ...orders[i]! });
      this.doings.push(`  ${id}: ${status} ${body.data.tx_hash ?? body.data.error_message}`);
    }
  }

  async #push(how: "bump" | "revoke" | "resend", payouts: readonly Payout[]): Promise<void> {
    const { deps } = this.#scene;
    const { id } = this.#random.pick(payouts);
    const order = { id, actor: "test", isAnyway: true };
    const runs = { bump: bumpWithdrawal, revoke: revokeWithdrawal, resend: resendWithdrawal };
    await this.#do(`${how} ${id}`, async () => {
      try {
        await runs[how](deps, order);
      } catch (error) {
        if (!(error instanceof ActionRefused)) throw error;
        this.doings.push(`  ${error.message}`);
      }
    });
  }

  async #mine(blocks: number): Promise<void> {
    await this.#do(`mine ${blocks}`, () => this.#scene.ground.mine(blocks));
  }

  /** Of all that a node may have, whatever was replaced by what. */
  async #mineSome(from: number): Promise<void> {
    const { ground, deps } = this.#scene;
    // What was refused no node has, and the next payout makes sure that none ever will.
    const abandoned = await deps.db.rows(SignedTransactions, "WHERE state = 'abandoned'");
    const refused = new Set(abandoned.map(({ raw }) => raw));
    const raws = new Set(ground.sent.slice(from)).difference(refused);
    const chosen = [...raws].filter(() => this.#random.chance(0.5));
    for (const raw of chosen) {
      const { txid } = await ground.decode(raw);
      const isMined = await ground.mineOnly(raw).then(() => true, () => false);
      this.doings.push(`mine only ${txid}: ${isMined}`);
    }
  }

  async #reorganise(from: number): Promise<void> {
    const random = this.#random;
    const { ground } = this.#scene;
    const isDeep = random.chance(0.2);
    const depth = isDeep ? 3 + random.below(DEPTH_MAX - 2) : 1 + random.below(2);
    await this.#do(`undo ${depth}`, () => ground.undo(depth));
    // What was settled is mined again: otherwise what failed might be paid after all.
    if (isDeep) return await this.#mine(depth + 1);
    if (random.chance(0.5)) await this.#mineSome(from);
    for (let i = 0; i <= depth; i++) await ground.mineOnly();
  }

  async #do(what: string, run: () => Promise<unknown>): Promise<void> {
    this.doings.push(what);
    await run();
  }

  /** What the wallet may spend. */
  async #heldRaw(): Promise<bigint> {
    const { deps, merchant: { hotWallet } } = this.#scene;
    const [network] = (await deps.catalog.current()).networks;
    return (await deps.chains.of(network!).walletState(hotWallet, [])).nativeRaw;
  }

  async #fill(): Promise<void> {
    const { merchant: { hotWallet } } = this.#scene;
    const heldRaw = await this.#scene.ground.coinsOf(hotWallet);
    if (heldRaw >= LEAST_RAW) return;
    for (let raw = heldRaw; raw < LEAST_RAW;) {
      const coin = BigInt(20_000_000 + this.#random.below(300_000_000));
      await this.#give(coin);
      raw += coin;
    }
  }

  async #give(raw: bigint): Promise<void> {
    await this.#scene.give(this.#scene.merchant.hotWallet, raw);
    this.#givenRaw += raw;
    // So deep that no reorganisation undoes it.
    await this.#scene.follow(2 * DEPTH_MAX);
  }

  async #end(payouts: readonly Payout[]): Promise<void> {
    const { ground, deps } = this.#scene;
    const isOver = async () => {
      const rows = await Promise.all(payouts.map(({ id }) => deps.db.get(Withdrawals, [id])));
      const open = await deps.db.rows(SignedTransactions, "WHERE state = 'open'");
      return rows.every(({ status }) => status === "confirmed" || status === "failed") &&
        open.length === 0;
    };
    for (let turn = 0; turn < TURNS_MAX; turn++) {
      await this.#scene.turn(1);
      if (await isOver()) return;
      // Others may have spent what a payment that is signed again would need.
      if (turn === 8) await this.#give(3n * ONE);
    }
    const open = await deps.db.rows(SignedTransactions, "WHERE state = 'open'");
    this.doings.push(Deno.inspect(open.map(({ raw: _, ...row }) => row)));
    throw new Error(`It does not come to an end; mempool ${await ground.mempool()}`);
  }

  async #check(payouts: readonly Payout[]): Promise<void> {
    const { ground, deps, merchant: { hotWallet } } = this.#scene;
    const held = await ground.allCoins([hotWallet, ...payouts.map(({ to }) => to)]);
    for (const { id, to, amountRaw } of payouts) {
      const { status } = await deps.db.get(Withdrawals, [id]);
      this.doings.push(`${id} is ${status}`);
      assert.equal(held.get(to) ?? 0n, status === "confirmed" ? amountRaw : 0n, `Payout ${id}`);
      if (status !== "confirmed") continue;
      this.#bookedRaw -= amountRaw + feeOf(amountRaw);
      this.#givenRaw -= amountRaw;
    }
    const { balance, held: heldBack } = await this.#scene.balanceOf();
    assert.deepEqual({ balance, heldBack }, {
      balance: unitsOf(this.#bookedRaw, ONE),
      heldBack: "0",
    });
    const settled = await deps.db.rows(SignedTransactions, "WHERE state = 'settled'");
    const feesRaw = settled.reduce((sum, { feeRaw }) => sum + BigInt(feeRaw ?? 0), 0n);
    const heldRaw = held.get(hotWallet) ?? 0n;
    assert.equal(heldRaw, this.#givenRaw - feesRaw, "The hot wallet");
    assert.equal(await this.#heldRaw(), heldRaw, "The outputs in the books");
    const alerts = (await alertsOf(deps)).filter(({ kind }) => !EXPECTED_ALERTS.includes(kind));
    assert.deepEqual(alerts.map(({ kind, message }) => `${kind}: ${message}`), []);
    const faults = this.#scene.faults.filter((line) => !line.includes("is in no block: "));
    assert.deepEqual(faults, []);
  }

  /** That nobody has a key for, another one each time. */
  #address(): string {
    const hash = String(++this.#made).padStart(40, "0");
    return addressOfScript(`0014${hash}`, NETWORK)!;
  }
}
