import { nextTurn } from "../../base/waiting/next_turn.ts";
import { RpcFailure } from "./node_errors.ts";

/** Limits of an answer: parsed, a megabyte of brackets would take three hundred. */
export interface AnswerLimits {
  readonly bytesMax: number;
  /** How deep lists and objects may nest; by default as deep as in blocks. */
  readonly depthMax?: number;
  readonly valuesMax?: number;
}

const KIB = 1024;
const MIB = 1024 * KIB;
export const BODY_BYTES_MAX = 64 * MIB;

/** A number, a hash, or an error text. */
export const WORD: AnswerLimits = { bytesMax: 64 * KIB };
export const SMALL: AnswerLimits = { bytesMax: MIB };
export const MEDIUM: AnswerLimits = { bytesMax: 4 * MIB };
export const LARGE: AnswerLimits = { bytesMax: 16 * MIB };
/** Whole blocks, their receipts and traces. */
export const WHOLE: AnswerLimits = { bytesMax: BODY_BYTES_MAX };

const DEPTH_MAX = 64;
const VALUES_MAX = 2_000_000;
/** The engine remembers each order of names that objects have; honest answers have hundreds. */
const SHAPES_MAX = 4_096;
/** Longer ones are compared with each other one by one. */
const NAME_CHARS_MAX = 1_000;
const [QUOTE, BACKSLASH, COMMA, COLON] = [34, 92, 44, 58];
const BLANKS: ReadonlySet<number> = new Set([9, 10, 13, 32]);
const OPENING: ReadonlySet<number> = new Set([91, 123]);
const CLOSING: ReadonlySet<number> = new Set([93, 125]);

/** Some milliseconds of looking at them. */
const CHARS_PER_TURN = 4 * MIB;

/** Checks the text's shape before parsing it. */
export async function parseBounded(
  text: string,
  { host, depthMax = DEPTH_MAX, valuesMax = VALUES_MAX, parse }: {
    host: string;
    depthMax?: number | undefined;
    valuesMax?: number | undefined;
    parse: (text: string) => unknown;
  },
): Promise<unknown> {
  const { depth, values, shapes, nameChars } = await shapeOf(text, { depthMax, valuesMax });
  if (depth > depthMax) {
    throw new RpcFailure("not_json", `${host} answered JSON that is more than ${depthMax} deep`);
  }
  if (values > valuesMax) {
    throw new RpcFailure("too_large", `${host} answered more than ${valuesMax} values`);
  }
  if (nameChars > NAME_CHARS_MAX) {
    throw new RpcFailure("too_large", `${host} answered a name of ${nameChars} characters`);
  }
  if (shapes > SHAPES_MAX) {
    throw new RpcFailure("too_large", `${host} answered objects of more than ${SHAPES_MAX} kinds`);
  }
  if (text.length > CHARS_PER_TURN) await nextTurn();
  return parse(text);
}

interface Shape {
  readonly depth: number;
  readonly values: number;
  readonly shapes: number;
  /** Of the longest name. */
  readonly nameChars: number;
}

/** For valid JSON; for anything else a lower bound. */
async function shapeOf(
  text: string,
  { depthMax, valuesMax }: { depthMax: number; valuesMax: number },
): Promise<Shape> {
  let [values, nameChars] = [1, 0];
  const names = new NameOrders();
  /** Of each list and object that is open, the names so far. */
  const open: number[] = [];
  let turnAt = CHARS_PER_TURN;
  for (let at = 0; at < text.length; at++) {
    if (at >= turnAt) {
      await nextTurn();
      turnAt = at + CHARS_PER_TURN;
    }
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const start = at + 1;
      at = endOfString(text, at);
      const next = afterBlanks(text, at + 1);
      const order = open.at(-1);
      if (order === undefined || text.charCodeAt(next) !== COLON) continue;
      nameChars = Math.max(nameChars, at - start);
      if (nameChars > NAME_CHARS_MAX) break;
      open[open.length - 1] = names.after(order, text.slice(start, at));
      if (names.count > SHAPES_MAX) break;
      at = next;
    } else if (code === COMMA) {
      if (++values > valuesMax) break;
    } else if (OPENING.has(code)) {
      values++;
      if (open.push(0) > depthMax) break;
    } else if (CLOSING.has(code)) {
      open.pop();
    }
  }
  return { depth: open.length, values, shapes: names.count, nameChars };
}

/** Numbers the orders in which objects have their names; 0 is an object without any. */
class NameOrders {
  readonly #next: Map<string, number>[] = [new Map()];

  after(order: number, name: string): number {
    const next = this.#next[order]!;
    const known = next.get(name);
    if (known !== undefined) return known;
    const made = this.#next.push(new Map()) - 1;
    next.set(name, made);
    return made;
  }

  get count(): number {
    return this.#next.length - 1;
  }
}

function afterBlanks(text: string, start: number): number {
  let at = start;
  while (BLANKS.has(text.charCodeAt(at))) at++;
  return at;
}

export function endOfString(text: string, start: number): number {
  for (let at = start;;) {
    at = text.indexOf('"', at + 1);
    if (at < 0) return text.length;
    let first = at;
    while (text.charCodeAt(first - 1) === BACKSLASH) first--;
    if ((at - first) % 2 === 0) return at;
  }
}
