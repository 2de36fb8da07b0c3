import { nextTurn } from "../../../base/waiting/next_turn.ts";
import { RpcFailure } from "../node_errors.ts";
import { endOfString, NAME_CHARS_MAX, NamesRead, ORDERS_MAX } from "./names_read.ts";

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
const [QUOTE, COMMA] = [34, 44];
const [LIST, LIST_END, OBJECT, OBJECT_END] = [91, 93, 123, 125];

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
  const { depth, values, names } = await shapeOf(text, { depthMax, valuesMax });
  if (depth > depthMax) {
    throw new RpcFailure("not_json", `${host} answered JSON that is more than ${depthMax} deep`);
  }
  if (values > valuesMax) {
    throw new RpcFailure("too_large", `${host} answered more than ${valuesMax} values`);
  }
  if (names && names.longest > NAME_CHARS_MAX) {
    throw new RpcFailure("too_large", `${host} answered a name of ${names.longest} characters`);
  }
  if (names?.areTooMany) {
    throw new RpcFailure("too_large", `${host} answered objects of more than ${ORDERS_MAX} kinds`);
  }
  if (text.length > CHARS_PER_TURN) await nextTurn();
  return parse(text);
}

interface Shape {
  readonly depth: number;
  readonly values: number;
  /** Undefined for a short text. */
  readonly names: NamesRead | undefined;
}

/** For valid JSON; for anything else a lower bound. */
async function shapeOf(
  text: string,
  { depthMax, valuesMax }: { depthMax: number; valuesMax: number },
): Promise<Shape> {
  let [depth, values] = [0, 1];
  const names = NamesRead.of(text);
  let turnAt = CHARS_PER_TURN;
  for (let at = 0; at < text.length; at++) {
    if (at >= turnAt) {
      await nextTurn();
      turnAt = at + CHARS_PER_TURN;
    }
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = names ? names.endOf(at) : endOfString(text, at);
      if (names?.areTooMany) break;
    } else if (code === COMMA) {
      if (++values > valuesMax) break;
    } else if (code === LIST || code === OBJECT) {
      values++;
      if (++depth > depthMax) break;
      names?.open();
    } else if (code === LIST_END || code === OBJECT_END) {
      depth--;
      names?.close();
    }
  }
  return { depth, values, names };
}
