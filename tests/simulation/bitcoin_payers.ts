import type { BitcoinChain } from "./bitcoin_chain.ts";
import { outpoint, type Output, type Tx, writeTx } from "./bitcoin_tx.ts";
import type { Payment } from "./ground.ts";
import type { Random } from "./random.ts";
import type { SimulatedTime } from "./time.ts";

interface Given {
  readonly chain: BitcoinChain;
  readonly random: Random;
  readonly time: SimulatedTime;
  /** Below, no node passes an output on. */
  readonly dustRaw: bigint;
  send(tx: Tx): void;
  /** For 1,000 bytes. */
  rateRaw(): bigint;
  tell(what: string): void;
  /** What part of them change their mind now. */
  replaced(): number;
}

/** A payment that is in no block yet. */
interface Waiting {
  readonly tx: Tx;
  /** Whose coins it spends, and who gets the rest. */
  readonly from: string;
  /** Only miners know of it, since nodes wouldn't pass it on. */
  readonly isQuiet: boolean;
}

interface Spendable {
  readonly outpoint: string;
  readonly valueRaw: bigint;
}

interface Order extends Pick<Payment, "raw" | "way" | "isKept"> {
  /** Scripts. */
  readonly from: string;
  readonly to: string;
}

const PAYERS = 6;
const COIN = 10n ** 8n;
/** Of an input and two outputs, about. */
const VSIZE = 160n;
/** Of payments, what nodes replace by nothing, though miners may. */
const FINAL = 0.1;
/** A miner who pays from what he has just made. */
const [MINTED, MINTED_MAX_RAW] = [0.03, 40n * COIN];

/** Wallets of people: Taproot, whose signatures nobody checks here. */
export class BitcoinPayers {
  readonly scripts: readonly string[] = Array.from(
    { length: PAYERS },
    (_, i) => `5120${`a${i + 1}`.repeat(32)}`,
  );
  readonly #given: Given;
  readonly #waiting = new Map<string, Waiting>();
  readonly #minted: Output[] = [];
  /** All that was ever written here. What others paid is left alone: it may be undone. */
  readonly #written = new Set<string>();

  constructor(given: Given) {
    this.#given = given;
  }

  /** Answers its txid, by which it may be known in the end. */
  pay({ from, to, raw, way, isKept = false }: Order): string {
    const { random, replaced } = this.#given;
    if (isKept) {
      const waiting = this.#write(from, { paid: [{ valueRaw: raw, script: to }] });
      this.#begin(waiting);
      return waiting.tx.txid;
    }
    if (way === "plain" && raw < MINTED_MAX_RAW && random.chance(MINTED)) {
      this.#minted.push({ valueRaw: raw, script: to });
      return "the next block's own";
    }
    const paid = raw > 1_000_000n && random.chance(0.1)
      ? inTwo(raw, to)
      : [{ valueRaw: raw, script: to }];
    if (way === "contract") this.#payItself(from);
    const waiting = this.#write(from, { paid, isChained: way === "contract" });
    this.#begin(waiting);
    if (way === "false") this.#later(waiting, "away");
    else if (random.chance(replaced())) this.#later(waiting, random.pick(["for more", "away"]));
    return waiting.tx.txid;
  }

  /** What miners take for their next block. */
  minted(): readonly Output[] {
    return this.#minted.splice(0);
  }

  waiting(withQuiet = false): Tx[] {
    return [...this.#waiting.values()].filter(({ isQuiet }) => withQuiet || !isQuiet)
      .map(({ tx }) => tx);
  }

  /**
   * It comes from a block that was undone, and can't be mined any more. A gateway that took that block
   * for good doesn't know what to look for.
   */
  isLost(txid: string): boolean {
    const { chain } = this.#given;
    const { head } = chain;
    const isGone = (one: string) =>
      chain.wasMined(one) && !chain.minedIn(one, head) && !this.#waiting.has(one);
    const tx = chain.tx(txid);
    if (!tx || chain.minedIn(txid, head) || this.#waiting.has(txid)) return false;
    return tx.isCoinbase || tx.inputs.some((input) => isGone(input.txid));
  }

  /** Without what is mined, and what can't be any more. */
  tidy(): void {
    const { chain } = this.#given;
    const { head } = chain;
    for (let isStable = false; !isStable;) {
      isStable = true;
      for (const { tx } of [...this.#waiting.values()]) {
        const canBe = !chain.minedIn(tx.txid, head) &&
          chain.unfit(tx, head, (txid) => this.#waiting.has(txid)) === undefined;
        if (canBe) continue;
        this.#waiting.delete(tx.txid);
        isStable = false;
      }
    }
  }

  /** A reorganisation took these from their blocks: most are sent again. */
  undone(txs: readonly Tx[]): void {
    const { random, chain } = this.#given;
    for (const tx of txs) {
      const { script: from } = chain.made(tx.inputs[0]!.outpoint)!;
      if (!this.scripts.includes(from)) continue;
      const waiting = { tx, from, isQuiet: this.#isQuiet(tx) };
      this.#waiting.set(tx.txid, waiting);
      if (random.chance(0.3)) this.#replace(waiting, "away");
      else this.#begin(waiting);
    }
  }

  /** So that the next payment comes from coins in no block. */
  #payItself(from: string): void {
    const { random, replaced } = this.#given;
    const waiting = this.#write(from, { paid: [{ valueRaw: 400n * COIN, script: from }] });
    this.#begin(waiting);
    if (random.chance(replaced())) this.#later(waiting, "away");
  }

  #begin(waiting: Waiting): void {
    this.#waiting.set(waiting.tx.txid, waiting);
    this.#given.chain.learn(waiting.tx);
    if (!waiting.isQuiet) this.#given.send(waiting.tx);
  }

  #later(waiting: Waiting, how: "for more" | "away"): void {
    const { time, random } = this.#given;
    time.after(random.wait(15_000), () => this.#replace(waiting, how));
  }

  /** By another one of the same coins, as long as it is in no block. */
  #replace({ tx, from, isQuiet }: Waiting, how: "for more" | "away"): void {
    const { chain, tell } = this.#given;
    const isMined = chain.minedIn(tx.txid, chain.head);
    if (isMined || !this.#waiting.has(tx.txid)) return;
    const feeRaw = chain.feeOf(tx)!;
    const moreRaw = feeRaw * 2n + VSIZE * 4n;
    const paid = how === "away" ? [] : tx.outputs.filter(({ script }) => script !== from);
    const inRaw = tx.inputs.reduce((sum, one) => sum + chain.made(one.outpoint)!.valueRaw, 0n);
    const restRaw = inRaw - moreRaw - paid.reduce((sum, { valueRaw }) => sum + valueRaw, 0n);
    if (restRaw < this.#given.dustRaw) return;
    const outputs = [...paid, { valueRaw: restRaw, script: from }];
    const spends = tx.inputs.map(({ outpoint }) => outpoint);
    const other = { tx: writeTx({ spends, outputs }), from, isQuiet };
    this.#written.add(other.tx.txid);
    tell(`${tx.txid.slice(0, 10)} is replaced ${how} by ${other.tx.txid.slice(0, 10)}`);
    this.#waiting.delete(tx.txid);
    this.#begin(other);
  }

  #write(
    from: string,
    { paid, isChained = false }: { paid: readonly Output[]; isChained?: boolean },
  ): Waiting {
    const { random, rateRaw } = this.#given;
    const sumRaw = paid.reduce((sum, { valueRaw }) => sum + valueRaw, 0n);
    const feeRaw = rateRaw() * BigInt(random.pick([1, 1, 2, 4])) * VSIZE / 1_000n;
    const coins: Spendable[] = [];
    let haveRaw = 0n;
    for (const coin of this.#spendable(from, isChained)) {
      if (haveRaw >= sumRaw + feeRaw + this.#given.dustRaw * 2n) break;
      coins.push(coin);
      haveRaw += coin.valueRaw;
    }
    const restRaw = haveRaw - sumRaw - feeRaw * BigInt(coins.length);
    if (restRaw < 0n) throw new Error(`A payer has ${haveRaw} and pays ${sumRaw}`);
    const change = { valueRaw: restRaw, script: from };
    const outputs = random.chance(0.5) ? [...paid, change] : [change, ...paid];
    const spends = coins.map(({ outpoint }) => outpoint);
    const tx = writeTx({ spends, outputs, isFinal: random.chance(FINAL) });
    this.#written.add(tx.txid);
    return { tx, from, isQuiet: this.#isQuiet(tx) };
  }

  #isQuiet({ outputs }: Tx): boolean {
    return outputs.some(({ valueRaw }) => valueRaw < this.#given.dustRaw);
  }

  /** What is in blocks first, or last. */
  #spendable(from: string, isChained: boolean): Spendable[] {
    const { chain, random } = this.#given;
    const spent = new Set(
      [...this.#waiting.values()].flatMap(({ tx }) => tx.inputs.map(({ outpoint }) => outpoint)),
    );
    const isFree = ({ outpoint }: Spendable) => !spent.has(outpoint);
    const mined = chain.allUnspent(new Set([from]), chain.head)
      .filter(({ isCoinbase, txid }) => isCoinbase || this.#written.has(txid))
      .map(({ txid, vout, valueRaw }) => ({ outpoint: outpoint(txid, vout), valueRaw }))
      .filter(isFree);
    const pending = [...this.#waiting.values()].flatMap(({ tx }) =>
      tx.outputs.flatMap(({ script, valueRaw }, vout) =>
        script === from ? [{ outpoint: outpoint(tx.txid, vout), valueRaw }] : []
      )
    ).filter(isFree);
    const start = mined.length > 1 ? random.between(0, mined.length - 1) : 0;
    const turned = [...mined.slice(start), ...mined.slice(0, start)];
    return isChained ? [...pending.reverse(), ...turned] : [...turned, ...pending];
  }
}

function inTwo(raw: bigint, script: string): Output[] {
  const part = raw / 3n;
  return [{ valueRaw: part, script }, { valueRaw: raw - part, script }];
}
