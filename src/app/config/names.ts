import { askFor, nearestOf } from "../../base/misspelt.ts";

const PREFIX = "CPG_";
/** Set by the program's own tests. */
const TEST_PREFIX = "CPG_TEST_";
/** The documentation tells people to set these for programs that call the API. */
const CALLERS_NAMES = ["CPG_URL", "CPG_KEY_ID", "CPG_SECRET", "CPG_WEBHOOK_SECRET"];
const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ_"];
/** Other programs' words for the same thing. */
const OTHER_WORDS = { DATABASE: "DB", URL: "URI", LOG: "LOGGING", PROXIES: "PROXY", PORT: "ADDR" };

/** Likely typos. A program that may not list its environment can only look for these. */
export function misspellingsOf(name: string): string[] {
  const letters = [...name.slice(PREFIX.length)];
  const words = name.slice(PREFIX.length).split("_");
  const without = letters.map((_, i) => letters.toSpliced(i, 1).join(""));
  const doubled = letters.map((letter, i) => letters.toSpliced(i, 0, letter).join(""));
  const swapped = letters.slice(1).map((next, i) =>
    letters.toSpliced(i, 2, next, letters[i]!).join("")
  );
  const replaced = letters.flatMap((_, i) =>
    LETTERS.map((letter) => letters.toSpliced(i, 1, letter).join(""))
  );
  const shorter = words.map((_, i) => words.toSpliced(i, 1).join("_"));
  const renamed = Object.entries(OTHER_WORDS).map(([word, other]) =>
    words.map((one) => one === word ? other : one).join("_")
  );
  const turned = words.toReversed().join("_");
  const byLetter = [...without, ...doubled, ...swapped, ...replaced];
  const all = [...byLetter, ...shorter, ...renamed, turned, `${name}S`];
  return [...new Set(all.filter((rest) => rest !== "").map((rest) => withPrefix(rest)))]
    .filter((one) => one !== name);
}

function withPrefix(rest: string): string {
  return rest.startsWith(PREFIX) ? rest : PREFIX + rest;
}

/** One line for each variable that looks like one of the program's but isn't. */
export function unknownNames(given: readonly string[], known: readonly string[]): string[] {
  // Without a key beside it, CPG_URL was probably meant to be a setting.
  const callers = given.includes("CPG_KEY_ID") ? CALLERS_NAMES : CALLERS_NAMES.slice(1);
  return given
    .filter((name) => name.startsWith(PREFIX) && !name.startsWith(TEST_PREFIX))
    .filter((name) => !known.includes(name) && !callers.includes(name))
    .map((name) => `${name} is not a CPG setting and is ignored${meant(name, known)}`);
}

function meant(name: string, known: readonly string[]): string {
  const misspelt = known.filter((one) => misspellingsOf(one).includes(name));
  return askFor(misspelt.length > 0 ? misspelt : nearestOf(name, known));
}
