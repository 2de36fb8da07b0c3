import type { Import, SourceFile } from "./source.ts";

/** Each rule returns its violations, in words. */
type Files = readonly SourceFile[];

/** What a file of a noun is, by its name or its folder's; the rest is what the noun does. */
const PARTS: readonly (readonly [RegExp, string])[] = [
  [/^rules(\.ts$|\/)/, "domain"],
  [/^(tables?|reads)(\.ts$|\/)/, "store"],
  [/^(post|senders)\//, "post"],
  [/^(operations|shapes|lists?)(\.ts$|\/)/, "operations"],
  [/^api(\.ts$|\/)/, "http"],
  [/^(pages|parts|words)(\.tsx?$|\/)/, "dashboard"],
  [/^workers?(\.ts$|\/)/, "workers"],
];

const ROOMS = new Set([
  ...["base", "sdk", "domain", "store", "chains", "keys", "operations", "http", "dashboard"],
  ...["workers", "cli", "sandbox", "admin", "docs", "pay", "app"],
]);

/** The noun that a file belongs to, and its path in that folder. */
function nounOf(path: string): { noun: string; rest: string } | undefined {
  const [, noun, rest] = /^src\/(\w+)\/(.+)$/.exec(path) ?? [];
  return noun && rest && !ROOMS.has(noun) ? { noun, rest } : undefined;
}

export function roomOf(path: string): string {
  const noun = nounOf(path);
  if (!noun) return /^src\/(\w+)\//.exec(path)?.[1] ?? "wiring";
  return PARTS.find(([is]) => is.test(noun.rest))?.[1] ?? "actions";
}

export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

/** What src/README.md says of rooms, of parts of nouns, and of the order of nouns. */
export function tourOf(page: string): {
  readonly ranks: Readonly<Record<string, number>>;
  readonly nouns: readonly string[];
} {
  const halves: Readonly<Record<string, number>> = { "½": 0.5, "¾": 0.75 };
  const ranks: Record<string, number> = {};
  for (const [, whole, half = "", names = ""] of page.matchAll(/^\| (\d)([½¾]?) +\|([^|]+)\|/gm)) {
    for (const [, name] of names.matchAll(/`(\w+)\/?`/g)) {
      ranks[name!] = Number(whole) + (halves[half] ?? 0);
    }
  }
  const [, order = ""] = /^Nouns know only those before them: ([^.]+)\./m.exec(page) ?? [];
  return { ranks, nouns: order.split(/,\s+/) };
}

/** A file imports from lower ranks or its own room only, and every room has a rank. */
export function outOfRank(files: Files, ranks: Readonly<Record<string, number>>): string[] {
  const homeless = files.filter(({ path }) => ranks[roomOf(path)] === undefined);
  const wrong = importsOf(files).filter(({ from, to }) => {
    if (to === undefined) return false;
    const [own, other] = [roomOf(from), roomOf(to)];
    return own !== other && !(ranks[other]! < ranks[own]!);
  });
  return [...homeless.map(({ path }) => `${path} is in a room without a rank`), ...said(wrong)];
}

/** What nouns do stands in an order: each imports only from itself and those before it. */
export function outOfOrder(files: Files, order: readonly string[]): string[] {
  const folderIn = (path: string) => {
    const noun = roomOf(path) === "actions" ? nounOf(path)?.noun : undefined;
    return noun === "deps" ? undefined : noun;
  };
  const present = new Set(files.flatMap(({ path }) => folderIn(path) ?? []));
  const wrong = importsOf(files).filter(({ from, to }) => {
    const [own, other] = [folderIn(from), folderIn(to ?? "")];
    return own && other && order.indexOf(other) > order.indexOf(own);
  });
  return [
    ...[...present].filter((name) => !order.includes(name))
      .map((name) => `${name} has no place in the order`),
    ...order.filter((name) => !present.has(name)).map((name) => `${name} is not there`),
    ...said(wrong),
  ];
}

export function missing(files: Files): string[] {
  const known = new Set(files.map(({ path }) => path));
  return said(importsOf(files).filter(({ to }) => to !== undefined && !known.has(to)));
}

/** The first circle of imports that is found, types included. */
export function circles(files: Files): string[] {
  const targets = new Map(files.map(({ path, imports }) => [path, imports]));
  const done = new Set<string>();
  const trail: string[] = [];
  const walk = (path: string): string | undefined => {
    if (done.has(path)) return undefined;
    const start = trail.indexOf(path);
    if (start >= 0) return [...trail.slice(start), path].join(" → ");
    trail.push(path);
    for (const { to } of targets.get(path) ?? []) {
      const circle = to === undefined ? undefined : walk(to);
      if (circle) return circle;
    }
    trail.pop();
    done.add(path);
    return undefined;
  };
  for (const { path } of files) {
    const circle = walk(path);
    if (circle) return [circle];
  }
  return [];
}

/** `_x.ts` is for its own folder, and for the folder of tests that mirrors it. */
export function notPrivate(files: Files): string[] {
  return said(
    importsOf(files).filter(({ from, to }) => {
      if (to === undefined || !/\/_\w+\.tsx?$/.test(to)) return false;
      const folder = folderOf(to);
      return ![folder, folder.replace(/^src\//, "tests/")].includes(folderOf(from));
    }),
  );
}

/** The JSX runtime is imported by the compiler: `used` names what no import shows. */
export function unusedExports(files: Files, used: readonly string[] = []): string[] {
  const names = namesUsed(files);
  return files.filter(({ path }) => !used.includes(path)).flatMap(({ path, exports }) =>
    exports.filter((name) => !isUsed(names, { path, name })).map((name) =>
      `${path} exports ${name}`
    )
  );
}

/** Exports of the program that only tests import. */
export function exportsForTests(files: Files): string[] {
  const product = files.filter(({ path }) => !path.startsWith("tests/"));
  const inProduct = new Set(unusedExports(product));
  const nowhere = new Set(unusedExports(files));
  return [...inProduct].filter((text) => !nowhere.has(text));
}

/** Only what `allowed` matches may pass on what it did not make itself. */
export function barrels(files: Files, allowed: RegExp): string[] {
  return said(importsOf(files).filter(({ from, isPassedOn }) => isPassedOn && !allowed.test(from)));
}

/** The libraries of one chain family stay in its folder, and families don't import each other. */
export function mixedFamilies(files: Files): string[] {
  return said(
    importsOf(files).filter(({ from, specifier, to }) => {
      const [own, other] = [familyOf(from), familyOf(to ?? "")];
      return /^(npm:\/?)?viem\b/.test(specifier) && own !== "evm" || own && other && own !== other;
    }),
  );
}

export function badNames(files: Files): string[] {
  return files.map(({ path }) => path).filter((path) =>
    !/\/_?[a-z0-9]+(_[a-z0-9]+)*\.tsx?$/.test(`/${path}`) || /\/index\.tsx?$/.test(path)
  );
}

/** SQL outside of the store. */
export function sqlElsewhere(files: Files): string[] {
  const statement =
    /\bSELECT\b[\s\S]+\bFROM\b|\bINSERT (OR \w+ )?INTO\b|\bUPDATE\s+\w+\s+SET\b|\bDELETE FROM\b|\b(CREATE|ALTER|DROP) (TABLE|INDEX|TRIGGER)\b|^\s*PRAGMA\b/;
  const tail = /^\s*(WHERE|ORDER BY|GROUP BY|LIMIT|AND|OR)\s+[a-z?\d(]/;
  return files.filter(({ path, strings }) =>
    roomOf(path) !== "store" && strings.some((text) => statement.test(text) || tail.test(text))
  ).map(({ path }) => path);
}

/** Files that use one of the names and are not allowed to. */
export function usesOf(
  files: Files,
  { names, allowed }: { names: readonly string[]; allowed: readonly string[] },
): string[] {
  return files.filter((file) => names.some((name) => file.names.has(name)))
    .map(({ path }) => path).filter((path) => !allowed.includes(path));
}

/**
 * State outside of any object: a `let` of a module, or an object it makes that isn't declared as
 * read-only. `constants` are classes whose objects never change.
 */
export function statefulModules(
  files: Files,
  { constants, allowed }: { constants: readonly string[]; allowed: readonly string[] },
): string[] {
  const found = files.flatMap(({ path, kept }) =>
    kept.filter(({ what }) => !constants.includes(what)).map((one) => ({ path, ...one }))
  );
  const paths = found.map(({ path }) => path);
  return [
    ...found.filter(({ path }) => !allowed.includes(path))
      .map(({ path, line, what }) => `${path}:${line} keeps ${what}`),
    ...allowed.filter((path) => !paths.includes(path))
      .map((path) => `${path} keeps nothing: take it off the list`),
  ];
}

/** Work put off, and checks switched off. */
export function leftOver(files: Files): string[] {
  // Put together, so that a search for them finds none here.
  const words = ["TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK"].join("|");
  const marks = new RegExp(`\\b(${words})\\b|@ts-(ignore|nocheck|expect-error)`);
  return files.filter(({ text }) => marks.test(text)).map(({ path }) => path);
}

/** Test titles that are too long, or name the section they test anywhere but at their beginning. */
export function badTitles(files: Files, charsMax: number): string[] {
  const test = /\b(?:Deno\.test|testOn\w+)\(\s*(["`'])((?:\\.|(?!\1).)*)\1/gs;
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(test)].flatMap(([, , written = ""]) => {
      const title = written.replaceAll(/\$\{[^}]*\}/g, "…");
      if (title.length > charsMax) return `${path}: ${title.length} characters in "${title}"`;
      const isLate = /\((?:spec|contract|control) \d/.test(title);
      return isLate ? `${path}: the section belongs at the beginning of "${title}"` : [];
    })
  );
}

function namesUsed(files: Files): ReadonlySet<string> {
  return new Set(
    importsOf(files).flatMap(({ to, names }) => names.map((name) => `${to} ${name}`)),
  );
}

function isUsed(
  used: ReadonlySet<string>,
  { path, name }: { path: string; name: string },
): boolean {
  return used.has(`${path} ${name}`) || used.has(`${path} *`);
}

function importsOf(files: Files): Import[] {
  return files.flatMap(({ imports }) => imports);
}

function familyOf(path: string): string | undefined {
  const folder = /^src\/chains\/(\w+)\//.exec(path)?.[1];
  return folder === "pool" ? undefined : folder;
}

function said(imports: readonly Import[]): string[] {
  return imports.map(({ from, specifier }) => `${from} imports ${specifier}`);
}
