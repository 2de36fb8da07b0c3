import type { Random } from "../../domain/random.ts";
import { utf8 } from "../../../src/base/bytes.ts";

const BODY_BYTES_MAX = 64 * 1024;

export interface HostileBody {
  readonly kind: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const NAMES = ["currency", "network", "amount", "to_address", "client_reference", "idempotency_key"]
  .concat(["user_identifier", "__proto__", "constructor", "toString", "", "0", "x"]);
const FIELDS =
  '"currency":"ETH","network":"ETH","to_address":"0x1111111111111111111111111111111111111111"';

type Make = (random: Random, size: number) => string | Uint8Array<ArrayBuffer>;

/** Each makes a body of about that many bytes that is as costly as possible in its way. */
const KINDS: Readonly<Record<string, Make>> = {
  "many numbers": (random, size) =>
    object(size, (i) => `"${i.toString(36)}":${random.pick(["1", "-0.1", "1e5", "12345678"])}`),
  "names that collide in a hash table": (random, size) => {
    const step = 2 ** (12 + random.below(13));
    return object(size, (i) => `"${i * step % 4_294_967_295}":1`);
  },
  "texts that collide in a hash table": (random, size) => {
    const step = 2 ** (12 + random.below(13));
    return `{${FIELDS},"x":[${list(size - 200, (i) => `"${i * step % 4_294_967_295}"`)}]}`;
  },
  "one name again and again": (random, size) => {
    const name = random.pick(NAMES);
    const value = random.pick(["1", '"\\u0041"', "null", "[]", "1e-9", '{"a":1}', "true"]);
    return `{${list(size - 2, () => `"${name}":${value}`)}}`;
  },
  "names spelt with escapes": (random, size) =>
    object(size, (i) => `"${escaped(NAMES[i % NAMES.length]!)}":${random.below(9)}`),
  "numbers in an array": (random, size) =>
    `{"${random.pick(NAMES)}":[${list(size - 40, () => String(random.below(10)))}]}`,
  "deep nesting": (random, size) => {
    const [open, close] = random.pick([["[", "]"], ['{"a":', "}"], ["[[],", "]"], ['[{"":', "}]"]]);
    const depth = Math.max(0, Math.floor((size - 200) / (open!.length + close!.length)));
    const inner = `${open!.repeat(depth)}1${random.chance(0.7) ? close!.repeat(depth) : ""}`;
    return `{${FIELDS},"amount":1,"${random.pick(NAMES)}":${inner}}`;
  },
  "a long text": (random, size) => {
    const piece = random.pick(["a", "\\u0041", "\\n", "\\ud800", "é", "😀", "\\\\", "\u2028", " "]);
    return `{${FIELDS},"${random.pick(NAMES)}":"${fill(piece, size - 200)}${
      random.pick(['"}', '"', "", "\\"])
    }`;
  },
  "a long name": (_, size) => `{"${fill("\\u0061", size - 20)}":1}`,
  "a long number": (random, size) => {
    const zeros = fill("0", size - 240);
    const nines = fill("9", size - 240);
    const number = random.pick([nines, `1${zeros}`, `0.${zeros}1`, `0.${nines}`, `1e${nines}`])
      .concat(random.pick(["", "e5", "e-60000", "E+60000", "."]));
    return `{${FIELDS},"amount":${random.pick(["", "-"])}${number}}`;
  },
  "a huge exponent": (random) => {
    const exponent = random.pick(["100000", "65535", "2147483648", "9".repeat(20), "77", "78"]);
    const number = `${random.pick(["1", "0.1", "10", "0", "9".repeat(70)])}e`;
    return `{${FIELDS},"amount":${number}${random.pick(["", "-", "+"])}${exponent}}`;
  },
  "a long amount in a text": (random, size) =>
    `{${FIELDS},"amount":"${fill(random.pick(["1", "0", ".", "1.", "-"]), size - 200)}x"}`,
  "white space": (random, size) => {
    const blank = fill(random.pick([" ", "\n", "\t\r"]), size - 20);
    return random.pick([`{}${blank}x`, `${blank}{}`, `{"a":${blank}1}`, `{"a":${blank}`, blank]);
  },
  "__proto__ in many places": (_, size) =>
    object(size, (i) => i % 2 ? '"__proto__":{"amount":1}' : '"constructor":{"prototype":1}'),
  "bytes that are no UTF-8": (random, size) => {
    const bytes = utf8(`{${FIELDS},"x":"${fill("a", size - 200)}"}`);
    for (let i = 0; i < 5; i++) bytes[random.below(bytes.length)] = 0x80 + random.below(0x80);
    return bytes;
  },
  "any bytes": (random, size) =>
    Uint8Array.from({ length: size - random.below(size) }, () => random.below(256)),
  "marks without sense": (random, size) =>
    Array.from({ length: size }, () => random.pick([...'{}[],:"1e-.tn \\'])).join(""),
};

export const HOSTILE_KINDS = Object.keys(KINDS);

export function hostileBody(
  random: Random,
  { kind = random.pick(HOSTILE_KINDS), size = BODY_BYTES_MAX }: { kind?: string; size?: number } =
    {},
): HostileBody {
  const made = KINDS[kind]!(random, Math.max(size, 256));
  const bytes = typeof made === "string" ? utf8(made) : made;
  return { kind, bytes: bytes.slice(0, BODY_BYTES_MAX) };
}

function object(size: number, member: (i: number) => string): string {
  return `{${FIELDS},${list(size - 200, member)}}`;
}

function list(size: number, member: (i: number) => string): string {
  let text = "";
  for (let i = 0; text.length < size - 40; i++) text += `${text === "" ? "" : ","}${member(i)}`;
  return text;
}

function fill(piece: string, size: number): string {
  return piece.repeat(Math.max(0, Math.floor(size / utf8(piece).length)));
}

function escaped(name: string): string {
  const hex = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return name.replace(/[a-z_]/g, (letter, at) => at % 2 ? hex(letter) : letter);
}
