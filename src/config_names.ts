const PREFIX = "CPG_";
/** Set by the program's own tests. */
const TEST_PREFIX = "CPG_TEST_";
const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ_"];
/** What is called otherwise elsewhere. */
const OTHER_WORDS = { DATABASE: "DB", URL: "URI", LOG: "LOGGING", PROXIES: "PROXY", PORT: "ADDR" };

/**
 * How a name is written wrongly: a program that may not list its environment can look for these only.
 */
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

/** One line for each variable that looks like one of the program's and is none. */
export function unknownNames(given: readonly string[], known: readonly string[]): string[] {
  return given
    .filter((name) =>
      name.startsWith(PREFIX) && !name.startsWith(TEST_PREFIX) && !known.includes(name)
    )
    .map((name) => `${name} is no variable of this program and says nothing${meant(name, known)}`);
}

/** Further apart, it is another word. */
const DISTANCE_MAX = 3;

function meant(name: string, known: readonly string[]): string {
  const misspelt = known.filter((one) => misspellingsOf(one).includes(name));
  const near = known.filter((one) => distanceOf(name, one) <= DISTANCE_MAX)
    .toSorted((a, b) => distanceOf(name, a) - distanceOf(name, b)).slice(0, 1);
  const likely = misspelt.length > 0 ? misspelt : near;
  return likely.length > 0 ? `: is ${likely.join(" or ")} meant?` : "";
}

/** How many letters have to be put in, left out or changed (Levenshtein). */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...one].entries()) {
    const next = [i + 1];
    for (const [j, against] of [...other].entries()) {
      next.push(Math.min(next[j]! + 1, row[j + 1]! + 1, row[j]! + (letter === against ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1)!;
}
