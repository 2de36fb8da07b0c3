import { randomToken } from "../../base/bytes.ts";
import { endOfString } from "../pool/json/names_read.ts";
import { RpcFailure } from "../pool/node_errors.ts";

const MARK_BYTES = 9;
/** Each takes ten times as long as another value; honest answers have thousands. */
const LONG_INTEGERS_MAX = 200_000;
/**
 * A double can't hold every integer this long. No amount is longer: parsing a million digits takes
 * seconds. As a name, which a colon follows, it is no JSON and has to stay none.
 */
const LONG_INTEGER = /(?<=^|[:,[\s])-?[1-9]\d{15,79}(?=\s*(?:[,\]}]|$))/g;
const LONG_INTEGER_CHARS_MIN = 16;

/**
 * Like JSON.parse, but integers that a double can't hold become bigints. A reviver would take a
 * microsecond for each value of an answer with one such integer, so they are parsed as texts that
 * begin with a mark that nobody can know.
 */
export function parseExact(text: string): unknown {
  const mark = randomToken(MARK_BYTES);
  const marked = withMarks(text, mark);
  return marked === text ? JSON.parse(text) : withoutMarks(JSON.parse(marked), mark);
}

function withMarks(text: string, mark: string): string {
  // Most answers have none.
  if (text.search(LONG_INTEGER) < 0) return text;
  let count = 0;
  const marked = (digits: string) => {
    if (Number.isSafeInteger(Number(digits))) return digits;
    if (++count <= LONG_INTEGERS_MAX) return `"${mark}${digits}"`;
    throw new RpcFailure("too_large", `An answer has more than ${LONG_INTEGERS_MAX} long integers`);
  };
  const parts: string[] = [];
  let done = 0;
  for (let at = 0; at < text.length;) {
    const quote = text.indexOf('"', at);
    const end = quote < 0 ? text.length : quote;
    if (end - at >= LONG_INTEGER_CHARS_MIN) {
      const between = text.slice(at, end);
      const replaced = between.replaceAll(LONG_INTEGER, marked);
      if (replaced !== between) {
        parts.push(text.slice(done, at), replaced);
        done = end;
      }
    }
    at = quote < 0 ? end : endOfString(text, quote) + 1;
  }
  return done === 0 ? text : parts.join("") + text.slice(done);
}

/** In place, because copying takes longer. */
function withoutMarks(value: unknown, mark: string): unknown {
  if (typeof value === "string") {
    return value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value;
  }
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = withoutMarks(value[i], mark);
  } else if (isRecord(value)) {
    for (const name of Object.keys(value)) {
      const read = withoutMarks(value[name], mark);
      if (read !== value[name]) value[name] = read;
    }
  }
  return value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
