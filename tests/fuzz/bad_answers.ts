import { bent, bentJson, type Random } from "./fuzz.ts";

/** Replaces a node's answer. */
interface BadAnswer {
  readonly status: number;
  readonly text: string;
  /** The connection breaks off after this part of it. */
  readonly isTorn?: boolean;
  /** The node sends nothing. */
  readonly isSilent?: boolean;
}

type Spoil = (random: Random, text: string) => Partial<BadAnswer>;

const STATUSES = [201, 204, 301, 400, 403, 404, 429, 500, 502, 503];

const SPOILS: readonly Spoil[] = [
  spoiltJson,
  spoiltJson,
  spoiltJson,
  (random, text) => ({ text: bent(random, text) }),
  (random, text) => ({ text: text.slice(0, random.below(text.length + 1)) }),
  (random, text) => ({ text: text.slice(0, random.below(text.length + 1)), isTorn: true }),
  (random, text) => ({ status: random.pick(STATUSES), text: random.chance(0.5) ? text : "" }),
  (random, text) => ({ text: deeper(random, text) }),
  (random, text) => ({ text: otherDigit(random, text) }),
  (random, text) => ({ text: longerNumber(random, text) }),
  (random) => ({ text: random.pick(["", "null", "{}", "[]", "[{}]", '"x"', "[null]", "{}{}"]) }),
  (random, text) => random.chance(0.05) ? { isSilent: true } : { text: bent(random, text) },
];

/** A true answer with something wrong in it. */
export function badAnswer(random: Random, text: string): BadAnswer {
  return { status: 200, text, ...random.pick(SPOILS)(random, text) };
}

function spoiltJson(random: Random, text: string): Partial<BadAnswer> {
  try {
    let value: unknown = JSON.parse(text);
    for (let changes = 1 + random.below(2); changes > 0; changes--) value = bentJson(random, value);
    return { text: JSON.stringify(value) };
  } catch (error) {
    if (error instanceof SyntaxError) return { text: bent(random, text) };
    throw error;
  }
}

/** Lists in lists, behind one of the colons. */
function deeper(random: Random, text: string): string {
  const colons = [...text.matchAll(/:/g)].map(({ index }) => index + 1);
  if (colons.length === 0) return "[".repeat(10_000);
  const at = random.pick(colons);
  const depth = random.pick([1, 10, 100, 5_000, 100_000]);
  const inside = random.pick(["", "9".repeat(20), '"x"']);
  const lists = "[".repeat(depth) + inside + "]".repeat(depth);
  return `${text.slice(0, at)}${lists},"x":${text.slice(at)}`;
}

/** A hash, a height or an amount that is nearly the true one. */
function otherDigit(random: Random, text: string): string {
  const digits = [...text.matchAll(/[0-9a-f]/g)].map(({ index }) => index);
  if (digits.length === 0) return text;
  const at = random.pick(digits);
  return text.slice(0, at) + random.pick([..."0123456789abcdef"]) + text.slice(at + 1);
}

function longerNumber(random: Random, text: string): string {
  const numbers = [...text.matchAll(/\d+/g)].map(({ index }) => index);
  if (numbers.length === 0) return text;
  const at = random.pick(numbers);
  return text.slice(0, at) + "9".repeat(random.pick([1, 16, 70, 400, 100_000])) + text.slice(at);
}
