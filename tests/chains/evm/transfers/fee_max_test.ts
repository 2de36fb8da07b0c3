import assert from "node:assert/strict";
import { type Hex, parseTransaction, serializeTransaction } from "viem";
import type { Preflight } from "../../../../src/chains/transfer.ts";
import { evmFamily } from "../../../../src/chains/evm/family.ts";
import type { GasPrice } from "../../../../src/chains/evm/transfers/fees.ts";
import type { GasMarket, PricedNode } from "../../../../src/chains/evm/transfers/gas_market.ts";
import { prepareDrain } from "../../../../src/chains/evm/transfers/prepare_drain.ts";
import { prepareTransfer } from "../../../../src/chains/evm/transfers/prepare_transfer.ts";
import { type EvmDetail, unsigned } from "../../../../src/chains/evm/transfers/unsigned.ts";
import { BIDS_MAX, refusalOfBid } from "../../../../src/transfers/rules/bids.ts";
import {
  type FeeLimit,
  feeMaxFor,
  type Paid,
  paidAfter,
  tipMaxFor,
} from "../../../../src/domain/money/fee_limit.ts";
import { type Random, seededRandom } from "../../../domain/random.ts";
import { makeWallet } from "../../../support/nodes/evm_wallet.ts";

const GWEI = 10n ** 9n;
const { undoubtedPriceRaw: undoubtedRaw } = evmFamily;
const ETHER = 10n ** 18n;
const SEQUENCES = 10_000;
const STEPS = 12;
const FROM = makeWallet(1).address;
const TO = makeWallet(2).address;

interface Bid {
  readonly raw: Hex;
  readonly atMs: number;
  /** The maximum when it was signed. */
  readonly limitRaw: bigint;
}

/** A chain with its real price, and a node that reports it or invents another one. */
class Market {
  readonly #random: Random;
  nowMs = 0;
  baseRaw: bigint;
  tipRaw: bigint;
  /** The operator's maximum; null: it follows the prices paid. */
  maxRaw: bigint | null;
  paid: Paid;
  bids: Bid[] = [];
  /** The most that any limit was while this payment was bid for. */
  spentMaxRaw = 0n;

  constructor(random: Random) {
    this.#random = random;
    this.baseRaw = this.#amount(40);
    this.tipRaw = this.#amount(35);
    this.maxRaw = random.chance(0.6) ? this.#amount(58) : null;
    this.paid = { raw: this.baseRaw + this.tipRaw, atMs: 0 };
  }

  get limit(): FeeLimit {
    return { maxRaw: this.maxRaw, paidRaw: this.paid.raw, undoubtedRaw };
  }

  async step(): Promise<void> {
    this.nowMs += this.#random.below(400_000);
    const acts = [
      () => this.#bid({ isVoid: false }),
      () => this.#bid({ isVoid: true }),
      () => this.#bid({ isVoid: false, isAnyway: true }),
      () => this.#mine(),
      () => this.#tell(),
      () => this.#move(),
      () => this.#set(),
    ];
    await this.#random.pick(acts)();
  }

  /** Any of the bids may be mined, and another one after a reorganisation. */
  #mine(): void {
    if (this.bids.length === 0) return;
    const { raw } = this.#random.pick(this.bids);
    const tx = parseTransaction(raw);
    const offered = tx.maxFeePerGas ?? tx.gasPrice!;
    const wanted = this.baseRaw + (tx.maxPriorityFeePerGas ?? offered);
    const costRaw = tx.gas! * (offered < wanted ? offered : wanted);
    const allowed = this.bids.reduce((max, { limitRaw }) => limitRaw > max ? limitRaw : max, 0n);
    assert.ok(costRaw <= allowed, `${costRaw} was charged, ${allowed} were allowed`);
    if (this.#random.chance(0.3)) this.bids = [];
  }

  async #bid({ isVoid, isAnyway = false }: { isVoid: boolean; isAnyway?: boolean }) {
    const newest = this.bids.at(-1);
    const refusal = newest && refusalOfBid({
      ...{ bids: this.bids.length, newestAtMs: newest.atMs },
      ...{ pollIntervalMs: 2_000, nowMs: this.nowMs },
    });
    if (refusal && !isAnyway) return;
    const preflight = await this.#prepare(newest, isVoid);
    if (preflight.kind === "refused") return;
    const { detail, charge } = preflight.prepared;
    const { gas, fee } = detail as EvmDetail;
    const limitRaw = feeMaxFor(this.limit, gas);
    const offered = fee.kind === "legacy" ? fee.gasPriceRaw : fee.maxFeeRaw;
    assert.ok(
      gas * offered <= charge.maxRaw && charge.maxRaw <= limitRaw,
      "Nothing above is signed",
    );
    const half = `0x${"5a".repeat(32)}` as const;
    const signature = { r: half, s: half, v: 27n, yParity: 0 };
    const raw = serializeTransaction(unsigned(detail as EvmDetail, 7), signature);
    this.bids.push({ raw, atMs: this.nowMs, limitRaw });
    if (!isAnyway) assert.ok(this.bids.length <= BIDS_MAX, "Six bids, unless an operator goes on");
  }

  async #prepare(newest: Bid | undefined, isVoid: boolean): Promise<Preflight> {
    const price = {
      ...newest ? { outbids: newest.raw } : {},
      ...{ tipMaxRaw: tipMaxFor(this.limit), gasPriceMaxRaw: null },
      feeMaxFor: (gas: bigint) => feeMaxFor(this.limit, gas),
    };
    const order = { from: FROM, to: isVoid ? FROM : TO };
    if (!isVoid && this.#random.chance(0.2)) {
      const request = { ...order, amountMaxRaw: 50n * ETHER, spendableRaw: 50n * ETHER };
      return await prepareDrain(this.#node(), { request, price });
    }
    const request = { ...order, contract: null, amountRaw: isVoid ? 0n : ETHER };
    return await prepareTransfer(this.#node(), { request, price });
  }

  /** Prices that the nodes agree on may be lies, up to any number. */
  #node(): PricedNode {
    const isLie = this.#random.chance(0.4);
    const baseRaw = isLie ? this.#amount(70) : this.baseRaw;
    const tipRaw = isLie ? this.#amount(70) : this.tipRaw;
    const price: GasPrice = this.#random.chance(0.15)
      ? { kind: "legacy", gasPriceRaw: baseRaw + tipRaw }
      : { kind: "eip1559", baseRaw, tipRaw };
    const market: GasMarket = {
      ...{ chainId: 1, blockGasLimit: 30_000_000n, price, feeModel: "op_stack" },
      opStack: this.#random.chance(0.5) ? null : {
        ...{ l1BaseFeeRaw: this.#amount(isLie ? 60 : 34), l1BlobBaseFeeRaw: this.#amount(30) },
        ...{ baseFeeScalar: 2_269n, blobBaseFeeScalar: 1_055_762n },
        ...{ operatorFeeScalar: 0n, operatorFeeConstantRaw: 0n },
      },
    };
    const gas = isLie ? 21_000n + this.#amount(22) : 21_000n;
    const trial = { kind: "passed", gas, baseGas: 21_000n, hasCode: isLie } as const;
    return {
      knownMarket: () => undefined,
      lastGas: new Map<string, bigint>(),
      market: () => Promise.resolve(market),
      tryOut: () => Promise.resolve(trial),
      rehearse: () => Promise.resolve({ kind: "passed" }),
    } as PricedNode;
  }

  /** A block is read, whose prices may be made up as well. */
  #tell(): void {
    const raw = this.#random.chance(0.5) ? this.#amount(80) : this.baseRaw + this.tipRaw;
    this.paid = paidAfter(this.paid, { raw, atMs: this.nowMs, undoubtedRaw });
  }

  #move(): void {
    this.baseRaw = this.baseRaw * BigInt(50 + this.#random.below(200)) / 100n + 1n;
  }

  #set(): void {
    this.maxRaw = this.#random.chance(0.5) ? this.#amount(58) : null;
  }

  #amount(bits: number): bigint {
    return 1n +
      BigInt(this.#random.below(2 ** 40)) * 2n ** BigInt(this.#random.below(bits)) / 2n ** 40n;
  }
}

Deno.test("no sequence of bids, cancellations, reorgs and made-up prices exceeds the fee limit", async () => {
  const seed = 20_261_122;
  let signed = 0;
  for (let i = 0; i < SEQUENCES; i++) {
    const market = new Market(seededRandom(seed + i));
    try {
      for (let step = 0; step < STEPS; step++) await market.step();
    } catch (error) {
      throw new Error(`seed ${seed + i}`, { cause: error });
    }
    signed += market.bids.length;
  }
  assert.ok(signed > SEQUENCES / 2, `${signed} bids`);
});

function askingFor(baseRaw: bigint): PricedNode {
  return {
    knownMarket: () => undefined,
    lastGas: new Map<string, bigint>(),
    market: () =>
      Promise.resolve(
        {
          ...{ chainId: 1, blockGasLimit: 30_000_000n, feeModel: "l1", opStack: null },
          price: { kind: "eip1559", baseRaw, tipRaw: GWEI },
        } as const,
      ),
    tryOut: () =>
      Promise.resolve({ kind: "passed", gas: 20_000n, baseGas: 20_000n, hasCode: false }),
    rehearse: () => Promise.reject(new Error("Nothing is called")),
  } as PricedNode;
}

Deno.test("a drain tips its whole price only if blocks have lately paid that", async () => {
  const request = { from: FROM, to: TO, amountMaxRaw: ETHER, spendableRaw: ETHER };
  for (const [tipMaxRaw, tipRaw] of [[21n, 21n], [20n, 1n]] as const) {
    const price = { tipMaxRaw: tipMaxRaw * GWEI };
    const preflight = await prepareDrain(askingFor(10n * GWEI), { request, price });
    assert.ok(preflight.kind === "ready");
    const { fee } = preflight.prepared.detail as EvmDetail;
    assert.deepEqual(fee, { kind: "eip1559", maxFeeRaw: 21n * GWEI, tipRaw: tipRaw * GWEI });
  }
});

Deno.test("a fee limit first cuts the reserve for a rising base fee, and refuses if that isn't enough", async () => {
  const request = { from: FROM, to: TO, contract: null, amountRaw: 1n };
  const prepare = (baseRaw: bigint, maxRaw: bigint) =>
    prepareTransfer(askingFor(baseRaw), { request, price: { feeMaxFor: () => maxRaw } });
  const gas = 24_000n;
  for (const [maxRaw, priceRaw] of [[100n, 21n], [21n, 21n], [15n, 15n], [11n, 11n]] as const) {
    const preflight = await prepare(10n * GWEI, gas * maxRaw * GWEI);
    assert.ok(preflight.kind === "ready");
    assert.equal(preflight.prepared.charge.maxRaw, gas * priceRaw * GWEI);
  }
  const refused = await prepare(10n * GWEI, gas * 11n * GWEI - 1n);
  assert.ok(refused.kind === "refused" && refused.cause === "above_fee_max");
  assert.deepEqual(refused.above, { gas, maxRaw: gas * 11n * GWEI });
});
