import { RpcFailure } from "./node_errors.ts";

/** Limits of an answer: parsed, a megabyte of brackets would take three hundred. */
export interface AnswerLimits {
  readonly bytesMax: number;
  /** How deep lists and objects may nest; by default as deep as in blocks. */
  readonly depthMax?: number;
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
const [QUOTE, BACKSLASH, COMMA] = [34, 92, 44];
const OPENING: ReadonlySet<number> = new Set([91, 123]);
const CLOSING: ReadonlySet<number> = new Set([93, 125]);

/** Checks the text's shape before parsing it. */
export function parseBounded(
  text: string,
  { host, depthMax = DEPTH_MAX, parse }: {
    host: string;
    depthMax?: number | undefined;
    parse: (text: string) => unknown;
  },
): unknown {
  const { depth, values } = shapeOf(text, depthMax);
  if (depth > depthMax) {
    throw new RpcFailure("not_json", `${host} answered JSON that is more than ${depthMax} deep`);
  }
  if (values > VALUES_MAX) {
    throw new RpcFailure("too_large", `${host} answered more than ${VALUES_MAX} values`);
  }
  return parse(text);
}

/** For valid JSON; for anything else a lower bound. */
function shapeOf(text: string, depthMax: number): { depth: number; values: number } {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
    } else if (code === COMMA) {
      if (++values > VALUES_MAX) break;
    } else if (OPENING.has(code)) {
      values++;
      if (++depth > depthMax) break;
    } else if (CLOSING.has(code)) {
      depth--;
    }
  }
  return { depth, values };
}

function endOfString(text: string, start: number): number {
  for (let at = start;;) {
    at = text.indexOf('"', at + 1);
    if (at < 0) return text.length;
    let first = at;
    while (text.charCodeAt(first - 1) === BACKSLASH) first--;
    if ((at - first) % 2 === 0) return at;
  }
}
