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

const BLANK = /^[ \t\n\r]*$/;

type Expected = "value" | "value or end" | "name" | "name or end" | "colon" | "comma or end";

interface Scan {
  readonly names: readonly string[];
  readonly fields: Record<string, unknown>;
  /** The marks that will end the arrays and objects around the next token. */
  readonly ends: string[];
  /** Of the last name in the outermost object. */
  name: string;
  expected: Expected;
  /** Only if lists and unknown names matter. */
  readonly strict?: { readonly unknown: Set<string>; list: unknown[] };
}

/** More of them help nobody. */
const UNKNOWN_NAMES_MAX = 20;

/**
 * `JSON.parse` would also build everything else, and in a long text colliding names make that
 * expensive; this reads each character once.
 */
export function scannedFields(
  text: string,
  names: readonly string[],
  strict?: Scan["strict"],
): Record<string, unknown> | undefined {
  const scan: Scan = {
    names,
    fields: {},
    ends: [],
    name: "",
    expected: "value",
    ...(strict ? { strict } : {}),
  };
  for (TOKEN.lastIndex = 0;;) {
    const token = TOKEN.exec(text);
    const next = token && follow(scan, token);
    if (!next) return undefined;
    if (scan.ends.length === 0) {
      return BLANK.test(text.slice(TOKEN.lastIndex)) ? scan.fields : undefined;
    }
    scan.expected = next;
  }
}

/** What may come after the token, or undefined if it may not stand here. */
function follow(scan: Scan, token: RegExpExecArray): Expected | undefined {
  const { ends, expected } = scan;
  const [, mark, string] = token;
  if (mark !== undefined && mark === ends.at(-1) && expected.endsWith("end")) {
    ends.pop();
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
      return "colon";
    default:
      return followValue(scan, token);
  }
}

function followValue(scan: Scan, token: RegExpExecArray): Expected | undefined {
  const { ends, strict } = scan;
  const [, mark] = token;
  if (mark !== undefined && mark !== "{" && mark !== "[") return undefined;
  if (ends.length === 0 && mark !== "{") return undefined;
  if (ends.length === 1) {
    if (strict) strict.list = [];
    keep(scan, strict && mark === "[" ? strict.list : valueOf(token));
  } else if (ends.length === 2 && ends[1] === "]") strict?.list.push(valueOf(token));
  if (mark === undefined) return "comma or end";
  ends.push(mark === "{" ? "}" : "]");
  return mark === "{" ? "name or end" : "value or end";
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
