import { roomOf } from "../../tidy/rules.ts";
import { sourcePaths } from "../../tidy/source.ts";

/** A piece of SQL as written in the source, between the places where something is inserted. */
interface SqlText {
  readonly file: string;
  readonly text: string;
}

const ROOT = new URL("../../../", import.meta.url);
/** Keywords are in capitals there, and in no other text. */
const KEYWORD = /\b(SELECT|FROM|WHERE|AND|LIMIT|ORDER BY|INSERT|UPDATE|DELETE|JOIN|VALUES)\b/;

/** Every piece of SQL that the store could send. */
export async function sqlTexts(): Promise<SqlText[]> {
  const paths = (await sourcePaths(ROOT, "src/")).filter((path) => roomOf(path) === "store");
  const found = await Promise.all(paths.map(async (path) => {
    const file = path.slice(path.lastIndexOf("/") + 1);
    return textsOf(file, await Deno.readTextFile(new URL(path, ROOT)))
      .filter((text) => KEYWORD.test(text))
      .map((text) => ({ file, text: flat(text) }));
  }));
  return found.flat();
}

/** Line breaks mean nothing to a database. */
export function flat(sql: string): string {
  return sql.replace(/\s+/g, " ").trim();
}

function textsOf(name: string, source: string): string[] {
  const texts: string[] = [];
  const note = (text: unknown) => void (typeof text === "string" && texts.push(text));
  Deno.lint.runPlugin(
    {
      name: "sql",
      rules: {
        texts: {
          create: () => ({
            Literal: ({ value }) => note(value),
            TemplateElement: ({ cooked }) => note(cooked),
          }),
        },
      },
    },
    name,
    source,
  );
  return texts;
}

interface ListCall {
  /** The name in the database. */
  readonly table: string;
  readonly fields: readonly string[];
}

/** Every `db.list(Table, { … })` of the program: the one way to read that names its columns elsewhere. */
export async function listCalls(): Promise<ListCall[]> {
  const calls: ListCall[] = [];
  for (const path of await sourcePaths(ROOT, "src/")) {
    const source = await Deno.readTextFile(new URL(path, ROOT));
    // To parse all takes a second.
    if (/\.list\b/.test(source)) calls.push(...listCallsOf(path, source));
  }
  return calls;
}

function listCallsOf(name: string, source: string): ListCall[] {
  const calls: ListCall[] = [];
  const look = ({ callee, arguments: [table, where] }: Deno.lint.CallExpression) => {
    const isList = callee.type === "MemberExpression" && callee.property.type === "Identifier" &&
      callee.property.name === "list";
    if (!isList || table?.type !== "Identifier" || where?.type !== "ObjectExpression") return;
    calls.push({
      table: table.name.replace(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase(),
      fields: where.properties.flatMap((property) =>
        property.type === "Property" && property.key.type === "Identifier"
          ? [property.key.name]
          : []
      ),
    });
  };
  const rules = { calls: { create: () => ({ CallExpression: look }) } };
  Deno.lint.runPlugin({ name: "list", rules }, name, source);
  return calls;
}
