import { type MerchantBooks, placeOf } from "./books.ts";
import type { Ground } from "./ground.ts";
import type { Random } from "./random.ts";
import type { SimulatedTime } from "./time.ts";

type Run = (...args: string[]) => Promise<{ code: number; out: string }>;

interface Hands {
  readonly random: Random;
  readonly time: SimulatedTime;
  /** Once, whatever comes of it. */
  readonly run: Run;
  /** Until it works. */
  readonly insist: (...args: string[]) => Promise<string>;
}

const MODES = ["single", "batch", "batch", "auto"] as const;
const WAITS = ["30s", "2m", "10m"];
const STAKE_MIN = 20_000;
/** A stake is in a block, or will be in none. */
const SEEN_WITHIN_MS = 90_000;
const TRIES_MAX = 5;

/** How the operator has sweeps collected: in batches, or with staked energy. */
export class Collecting {
  readonly #hands: Hands;
  /** Networks with a contract. */
  readonly #deployed = new Set<string>();
  /** No two stakes are of the same amount. */
  #stakes = 0;

  constructor(hands: Hands) {
    this.#hands = hands;
  }

  /** What the network can do is switched on, in one of its modes. */
  async begin(ground: Ground): Promise<void> {
    const { run, time } = this.#hands;
    const { network } = ground;
    if (ground.canStake) return await this.#beginStaking(ground);
    if (!ground.canCollect) return;
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const { code } = await run("network", "collector", network, "--deploy", "on", "--yes");
      if (code === 0) {
        this.#deployed.add(network);
        return await this.#setMode(ground, "batch");
      }
      await time.sleep(SEEN_WITHIN_MS);
    }
  }

  /** Restored books may be from before. */
  async again(ground: Ground): Promise<void> {
    if (this.#deployed.has(ground.network)) await this.begin(ground);
  }

  /** A gas wallet that was poor at first may pay for a contract now. */
  async change(ground: Ground): Promise<void> {
    const { random } = this.#hands;
    if (!ground.canCollect) return;
    if (!this.#deployed.has(ground.network)) return await this.begin(ground);
    await this.#setMode(ground, random.pick(MODES));
  }

  async #setMode({ network }: Ground, mode: typeof MODES[number]): Promise<void> {
    const { insist, random } = this.#hands;
    const wait = random.pick(WAITS);
    await insist("network", "set", network, "--collect", mode, "--collect-wait", wait);
  }

  /** Somebody wants to be paid with exactly 21,000 gas. */
  async release(ground: Ground, merchant: MerchantBooks): Promise<void> {
    const { run, random } = this.#hands;
    const addresses = [...placeOf(merchant, ground).addresses.keys()];
    if (!this.#deployed.has(ground.network) || addresses.length === 0) return;
    const address = ground.written(random.pick(addresses));
    await run("network", "collector", ground.network, "--release", address);
  }

  async changeStake(ground: Ground): Promise<void> {
    if (!ground.canStake || this.#stakes === 0) return;
    await (this.#hands.random.chance(0.3) ? this.#stake(ground) : this.#unstake(ground));
  }

  async #beginStaking(ground: Ground): Promise<void> {
    const { run, time } = this.#hands;
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const { code, out } = await run("network", "energy", ground.network);
      if (code === 0 && Number(JSON.parse(out).staked_trx) > 0) return;
      if (code === 0) await this.#stake(ground);
      await time.sleep(SEEN_WITHIN_MS);
    }
  }

  /** Now and then from two terminals at once: one of them is refused. */
  async #stake(ground: Ground): Promise<void> {
    const { run, random } = this.#hands;
    const amount = String(STAKE_MIN + 1_000 * random.between(0, 20) + ++this.#stakes);
    const stake = () => run("network", "energy", ground.network, "--stake", amount, "--yes");
    await Promise.all(random.chance(0.5) ? [stake(), stake()] : [stake()]);
  }

  async #unstake(ground: Ground): Promise<void> {
    const { run, random } = this.#hands;
    const amount = String(random.between(1, 10_000));
    await run("network", "energy", ground.network, "--unstake", amount, "--yes");
  }
}
