import { last } from "../base/lists.ts";
import { JsonNumber } from "../domain/money/amount_text.ts";

/** Stands for an array or object that no field accepts: its content is checked but not kept. */
export const NESTED = Object.freeze({});

const PLAIN = String.raw`[^"\\\x00-\x1f]*`;
const ESCAPE = String.raw`\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})`;

const TOKEN = new RegExp(
  [
    String.raw`[ \t\n\r]*(?:([{}[\],:])`,
    `("${PLAIN}(?:${ESCAPE}${PLAIN})*")`,
    String.raw`(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)`,
    "(true|false|null))",
  ].join("|"),
  "y",
);

const BLANKS = /[ \t\n\r]*/y;
const STRING_START = new RegExp(`"${PLAIN}(?:${ESCAPE}${PLAIN})*`, "y");

type Expected = "value" | "value or end" | "name" | "name or end" | "colon" | "comma or end";

interface Scan {
  readonly names: readonly string[];
  readonly fields: Record<string, unknown>;
  /** The marks that will end the arrays and objects around the next token. */
  readonly ends: string[];
  /** Of the last name in the outermost object. */
  name: string;
  expected: Expected;
  /** Only if unknown names, lists and objects matter. */
  readonly strict?: { readonly unknown: Set<string>; readonly parts: Part[] };
}

/** A list or object inside of a field. */
interface Part {
  readonly value: unknown[] | Record<string, unknown> | null;
  size: number;
  /** Of the last name, if it is an object. */
  name: string;
}

/** What is deeper isn't kept, no field accepts this many entries, and nobody reads more names. */
const PARTS_DEEP = 3;
const UNKNOWN_NAMES_MAX = 20;
const ENTRIES_MAX = 1_000;

/**
 * `JSON.parse` would also build everything else, and in a long text colliding names make that
 * expensive; this reads each character once.
 */
export function scannedFields(
  text: string,
  names: readonly string[],
  strict?: Scan["strict"],
): Record<string, unknown> | undefined {
  const scan = newScan(names, strict);
  return readAll(text, scan) === undefined ? scan.fields : undefined;
}

/** How many of its characters could begin a JSON object; undefined if all of them are one. */
export function faultAt(text: string): number | undefined {
  return readAll(text, newScan([]));
}

function newScan(names: readonly string[], strict?: Scan["strict"]): Scan {
  const start = { fields: {}, ends: [], name: "", expected: "value" } as const;
  return { names, ...start, ends: [], ...(strict ? { strict } : {}) };
}

function readAll(text: string, scan: Scan): number | undefined {
  for (TOKEN.lastIndex = 0;;) {
    const from = TOKEN.lastIndex;
    const token = TOKEN.exec(text);
    const next = token && follow(scan, token);
    if (!next) return token ? afterBlank(text, from) : endOfStart(text, from);
    if (scan.ends.length === 0) {
      const end = afterBlank(text, TOKEN.lastIndex);
      return end === text.length ? undefined : end;
    }
    scan.expected = next;
  }
}

function afterBlank(text: string, at: number): number {
  return at + lengthOf(BLANKS, text, at);
}

/** Of what isn't even a token: behind what could begin a string. */
function endOfStart(text: string, from: number): number {
  const at = afterBlank(text, from);
  return at + lengthOf(STRING_START, text, at);
}

function lengthOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}

/** What may come after the token, or undefined if it may not stand here. */
function follow(scan: Scan, token: RegExpExecArray): Expected | undefined {
  const { ends, expected } = scan;
  const [, mark, string] = token;
  if (mark !== undefined && mark === ends.at(-1) && expected.endsWith("end")) {
    ends.pop();
    if (ends.length > 0) scan.strict?.parts.pop();
    return "comma or end";
  }
  switch (expected) {
    case "colon":
      return mark === ":" ? "value" : undefined;
    case "comma or end":
      if (mark !== ",") return undefined;
      return ends.at(-1) === "}" ? "name" : "value";
    case "name":
    case "name or end":
      if (string === undefined) return undefined;
      if (ends.length === 1) scan.name = textOf(string);
      else if (scan.strict) last(scan.strict.parts).name = textOf(string);
      return "colon";
    default:
      return followValue(scan, token);
  }
}

function followValue(scan: Scan, token: RegExpExecArray): Expected | undefined {
  const { ends } = scan;
  const [, mark] = token;
  if (mark !== undefined && mark !== "{" && mark !== "[") return undefined;
  if (ends.length === 0 && mark !== "{") return undefined;
  if (ends.length > 0) note(scan, token);
  if (mark === undefined) return "comma or end";
  ends.push(mark === "{" ? "}" : "]");
  return mark === "{" ? "name or end" : "value or end";
}

function note(scan: Scan, token: RegExpExecArray): void {
  const { ends, strict } = scan;
  const [, mark] = token;
  const part = strict && mark !== undefined ? newPart(mark, strict.parts.length) : undefined;
  const value = part?.value ?? valueOf(token);
  if (ends.length === 1) keep(scan, value);
  else if (strict) add(last(strict.parts), value);
  if (part) strict?.parts.push(part);
}

function newPart(mark: string, depth: number): Part {
  const value = depth >= PARTS_DEEP ? null : mark === "[" ? [] : Object.create(null);
  return { value, size: 0, name: "" };
}

function add(part: Part, value: unknown): void {
  if (part.value === null || ++part.size > ENTRIES_MAX) return;
  if (Array.isArray(part.value)) part.value.push(value);
  else part.value[part.name] = value;
}

function keep({ names, fields, name, strict }: Scan, value: unknown): void {
  if (!names.includes(name)) {
    if (strict && strict.unknown.size < UNKNOWN_NAMES_MAX) strict.unknown.add(name);
  } else if (value === null) delete fields[name];
  else fields[name] = value;
}

function valueOf([, , string, number, word]: RegExpExecArray): unknown {
  if (string !== undefined) return textOf(string);
  if (number !== undefined) return new JsonNumber(number);
  return word === undefined ? NESTED : word === "null" ? null : word === "true";
}

function textOf(string: string): string {
  return string.includes("\\") ? JSON.parse(string) : string.slice(1, -1);
}
