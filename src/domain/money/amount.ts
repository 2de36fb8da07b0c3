import { Decimal } from "decimal.js";
import { invariant } from "../../base/assert.ts";
import { Lru } from "../../base/lru.ts";

/** Wide enough that no sum or product of two bounded amounts is ever rounded. */
const Exact = Decimal.clone({
  precision: 400,
  rounding: Decimal.ROUND_DOWN,
  toExpNeg: -9e15,
  toExpPos: 9e15,
});

/** The most digits of an amount. */
export const AMOUNT_DIGITS_MAX = 78;

const PLAIN_DECIMAL = /^-?\d+(\.\d+)?$/;
const ZERO = new Exact(0);
const HUNDREDTH = new Exact("0.01");

/** Parsed once, because every payment is compared with them. */
const settings = new Lru<string, Decimal>(1_000);

/** The most decimals of a currency. */
export const DECIMALS_MAX = 36;
/** From the lowest to the highest exponent that a currency may need. */
const POWERS = Array.from(
  { length: 2 * DECIMALS_MAX + 1 },
  (_, i) => new Exact(10).pow(i - DECIMALS_MAX),
);

/** An exact amount of one asset, such as 12.5 of "ETH/USDT". Never a float, never mixed. */
export class Amount {
  readonly #value: Decimal;
  #text: string | undefined;
  /** The last sum: several limits ask what a payment makes of a total, which then counts it. */
  #sum: Amount | undefined;
  #addend: Amount | undefined;

  private constructor(value: Decimal, readonly asset: string) {
    this.#value = value;
  }

  static parse(text: string, asset: string): Amount {
    // Most fees, minimums and holds.
    if (text === "0") return Amount.zero(asset);
    assertPlain(text, asset);
    return new Amount(new Exact(text), asset);
  }

  /** Like `parse`, for what an operator has set: a fee, a minimum. */
  static ofSetting(text: string, asset: string): Amount {
    let value = settings.get(text);
    if (!value) settings.set(text, value = Amount.parse(text, asset).#value);
    return new Amount(value, asset);
  }

  /** Of one asset, however they are written. */
  static areEqual(a: string, b: string): boolean {
    return Amount.parse(a, "").equals(Amount.parse(b, ""));
  }

  static zero(asset: string): Amount {
    return new Amount(ZERO, asset);
  }

  /** Of many, several times faster than adding one by one: all with as many decimals are integers. */
  static sumOf(texts: readonly string[], asset: string): Amount {
    const sums = new Map<number, bigint>();
    for (const text of texts) {
      assertPlain(text, asset);
      const dot = text.indexOf(".");
      const decimals = dot < 0 ? 0 : text.length - dot - 1;
      const digits = dot < 0 ? text : text.slice(0, dot) + text.slice(dot + 1);
      sums.set(decimals, (sums.get(decimals) ?? 0n) + BigInt(digits));
    }
    return [...sums].reduce(
      (sum, [decimals, raw]) => sum.plus(Amount.fromRaw(raw, { asset, decimals })),
      Amount.zero(asset),
    );
  }

  static fromRaw(raw: bigint, unit: Unit): Amount {
    return new Amount(new Exact(raw.toString()).times(powerOfTen(-unit.decimals)), unit.asset);
  }

  /** In base units. Throws if the amount has more decimals than the chain. */
  toRaw(decimals: number): bigint {
    const scaled = this.#value.times(powerOfTen(decimals));
    invariant(scaled.isInteger(), () => `${this} ${this.asset} is finer than ${decimals} decimals`);
    return BigInt(scaled.toFixed());
  }

  truncatedTo(decimals: number): Amount {
    if (this.#value.isInteger()) return this;
    return this.#with(this.#value.toDecimalPlaces(decimals, Decimal.ROUND_DOWN));
  }

  /** To the nearest with so many digits that aren't leading zeros. */
  roundedTo(digits: number): Amount {
    return this.#with(this.#value.toSignificantDigits(digits, Decimal.ROUND_HALF_UP));
  }

  plus(other: Amount): Amount {
    if (this.#sum && other === this.#addend) return this.#sum;
    const added = this.#same(other);
    if (added.isZero()) return this;
    this.#addend = other;
    return this.#sum = this.#with(this.#value.plus(added));
  }

  minus(other: Amount): Amount {
    const taken = this.#same(other);
    return taken.isZero() ? this : this.#with(this.#value.minus(taken));
  }

  negated(): Amount {
    return this.#with(this.#value.negated());
  }

  /** `percent` is a plain decimal: "0.5" takes half a hundredth. */
  percentage(percent: string): Amount {
    const share = Amount.ofSetting(percent, this.asset).#value;
    if (share.isZero()) return Amount.zero(this.asset);
    return this.#with(this.#value.times(share).times(HUNDREDTH));
  }

  /** Its value in another currency, where one unit of this one is worth `rate`. */
  convertedBy(rate: string, asset: string): Amount {
    return new Amount(this.#value.times(Amount.ofSetting(rate, asset).#value), asset);
  }

  /** The least amount of another currency that is worth this, where one unit of it costs `rate`. */
  pricedAt(rate: string, { asset, decimals }: Unit): Amount {
    const price = Amount.ofSetting(rate, asset).#value;
    const owed = this.#value.times(powerOfTen(decimals));
    // Dividing to 400 digits and rounding takes ten times as long.
    const units = owed.dividedToIntegerBy(price);
    const isExact = units.times(price).equals(owed);
    const coins = isExact ? units : units.plus(owed.isNegative() ? -1 : 1);
    return new Amount(coins.times(powerOfTen(-decimals)), asset);
  }

  /** The most of another currency that isn't worth more than this, where `of` is worth `worth`. */
  exchanged({ of, worth }: { of: Amount; worth: Amount }, decimals: number): Amount {
    const units = this.#value.times(worth.#value).times(powerOfTen(decimals))
      .dividedToIntegerBy(this.#same(of));
    return new Amount(units.times(powerOfTen(-decimals)), worth.asset);
  }

  isLessThan(other: Amount): boolean {
    return compare(this.#value, this.#same(other)) < 0;
  }

  equals(other: Amount): boolean {
    return compare(this.#value, this.#same(other)) === 0;
  }

  isZero(): boolean {
    return this.#value.isZero();
  }

  isNegative(): boolean {
    return this.#value.isNegative() && !this.#value.isZero();
  }

  /** Plain notation: no exponent, no trailing zeros, "0" for zero. */
  toString(): string {
    return this.#text ??= this.#value.isZero() ? "0" : this.#value.toFixed();
  }

  toJSON(): string {
    return this.toString();
  }

  #with(value: Decimal): Amount {
    return new Amount(value, this.asset);
  }

  #same(other: Amount): Decimal {
    invariant(this.asset === other.asset, () => `Cannot mix ${this.asset} with ${other.asset}`);
    return other.#value;
  }
}

interface Unit {
  readonly asset: string;
  readonly decimals: number;
}

function assertPlain(text: string, asset: string): void {
  invariant(PLAIN_DECIMAL.test(text), () => `Cannot read "${text}" as an amount of ${asset}`);
}

/** Like `Decimal.cmp`, which first copies the other number: that takes five times as long. */
function compare(a: Decimal, b: Decimal): number {
  if (a.s !== b.s || a.isZero() || b.isZero()) return a.cmp(b);
  if (a.e !== b.e) return a.e > b.e ? a.s : -a.s;
  // The same exponent: their digits, in groups of seven, begin at the same place.
  const length = Math.max(a.d.length, b.d.length);
  for (let i = 0; i < length; i++) {
    const difference = (a.d[i] ?? 0) - (b.d[i] ?? 0);
    if (difference !== 0) return difference * a.s;
  }
  return 0;
}

function powerOfTen(exponent: number): Decimal {
  return POWERS[DECIMALS_MAX + exponent] ?? new Exact(10).pow(exponent);
}

/** The key under which amounts of one currency on one network are summed. */
export function assetOf(row: { network: string; currency: string }): string {
  return `${row.network}/${row.currency}`;
}
