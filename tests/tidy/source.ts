/** One file of this project, as far as the rules and the figures look at it. */
export interface SourceFile {
  /** From the project's folder: "src/store/engine/db.ts". */
  readonly path: string;
  readonly text: string;
  readonly lines: number;
  readonly imports: readonly Import[];
  readonly exports: readonly string[];
  readonly strings: readonly string[];
  /** Every name and every a.b of the code, without its comments and texts; .b of `const { b } = a`. */
  readonly names: ReadonlySet<string>;
  readonly functions: readonly FunctionSize[];
  /** `x as T`, without `as const`. */
  readonly casts: number;
  /** `x!` */
  readonly bangs: number;
  /** The state that a module keeps between calls: its `let`, and objects made when it is loaded. */
  readonly kept: readonly Kept[];
}

interface Kept {
  readonly line: number;
  /** "let", "[]", "{}", or the class of the object. */
  readonly what: string;
}

export interface Import {
  readonly from: string;
  readonly specifier: string;
  /** The imported file's path, for what is of this project. */
  readonly to: string | undefined;
  /** Exported names; "*" for all of them. */
  readonly names: readonly string[];
  /** Re-exported directly. */
  readonly isPassedOn: boolean;
}

interface FunctionSize {
  readonly line: number;
  readonly lines: number;
  /** In no other function. */
  readonly isOutermost: boolean;
  /** One more than the places where it may go two ways, without those of the functions inside it. */
  readonly complexity: number;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer I)[] ? I[] : T[K] };
type Notes = Mutable<Omit<SourceFile, "names" | "functions">> & {
  names: Set<string>;
  functions: Mutable<FunctionSize>[];
};
type FunctionNode =
  | Deno.lint.FunctionDeclaration
  | Deno.lint.FunctionExpression
  | Deno.lint.ArrowFunctionExpression;

/** Every TypeScript file below these folders, given from the project's root: "src/", "tests/". */
export async function readSources(root: URL, folders: readonly string[]): Promise<SourceFile[]> {
  const found: SourceFile[] = [];
  for (const folder of folders) {
    for (const path of await sourcePaths(root, folder)) found.push(await readSource(root, path));
  }
  return found;
}

export async function sourcePaths(root: URL, folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(new URL(folder, root))) {
    if (isDirectory) found.push(...await sourcePaths(root, `${folder}${name}/`));
    else if (/\.tsx?$/.test(name)) found.push(folder + name);
  }
  return found;
}

/** Once for all rules, since all files take seconds. */
const known = new Map<string, Promise<SourceFile>>();

export function readSource(root: URL, path: string): Promise<SourceFile> {
  const { href } = new URL(path, root);
  const found = known.get(href) ??
    Deno.readTextFile(new URL(href)).then((text) => parse(path, text));
  known.set(href, found);
  return found;
}

/** Deno's own linter reads the source; this only notes what it finds. */
export function parse(path: string, text: string): SourceFile {
  const notes: Notes = {
    path,
    text,
    lines: text.trimEnd().split("\n").length,
    imports: [],
    exports: [],
    strings: [],
    names: new Set(),
    functions: [],
    casts: 0,
    bangs: 0,
    kept: [],
  };
  const create = ({ sourceCode }: Deno.lint.RuleContext): Deno.lint.LintVisitor => ({
    ...moduleNotes(notes),
    ...nameNotes(notes, (node) => sourceCode.getText(node)),
    ...functionNotes(notes),
    ...keptNotes(notes),
    TSAsExpression: (node) => {
      if (!/\bas const$/.test(sourceCode.getText(node))) notes.casts++;
    },
    TSNonNullExpression: () => void notes.bangs++,
  });
  Deno.lint.runPlugin({ name: "tidy", rules: { notes: { create } } }, path, text);
  return notes;
}

function moduleNotes({ path, imports, exports }: Notes): Deno.lint.LintVisitor {
  const add = (specifier: unknown, names: readonly string[], isPassedOn = false) => {
    if (typeof specifier !== "string") return;
    imports.push({
      from: path,
      specifier,
      to: pathOf(path, specifier),
      names: [...names],
      isPassedOn,
    });
  };
  return {
    ImportDeclaration: ({ source, specifiers }) => add(source.value, specifiers.map(importedName)),
    ImportExpression: ({ source }) => add((source as { value?: unknown }).value, ["*"]),
    TSImportType: ({ argument }) =>
      add((argument as { literal?: { value?: unknown } }).literal?.value, ["*"]),
    ExportAllDeclaration: ({ source }) => add(source.value, ["*"], true),
    ExportDefaultDeclaration: () => void exports.push("default"),
    ExportNamedDeclaration: ({ source, specifiers, declaration }) => {
      exports.push(
        ...declaredNames(declaration),
        ...specifiers.map(({ exported }) => nameOf(exported)),
      );
      if (source) add(source.value, specifiers.map(({ local }) => nameOf(local)), true);
    },
  };
}

function nameNotes(
  { names, strings }: Notes,
  textOf: (node: Deno.lint.Node) => string,
): Deno.lint.LintVisitor {
  return {
    Literal: ({ value }) => {
      if (typeof value === "string") strings.push(value);
    },
    TemplateLiteral: ({ quasis }) => void strings.push(quasis.map(({ cooked }) => cooked).join("")),
    Identifier: ({ name }) => void names.add(name),
    MemberExpression: (node) => void names.add(textOf(node)),
    ObjectPattern: ({ properties }) => {
      for (const one of properties) {
        if (one.type === "Property") names.add(`.${textOf(one.key)}`);
      }
    },
    NewExpression: (node) => void names.add(textOf(node)),
    AwaitExpression: () => void names.add("await"),
  };
}

function functionNotes({ text, names, functions }: Notes): Deno.lint.LintVisitor {
  const lineOf = lineFinder(text);
  const open: Mutable<FunctionSize>[] = [];
  const enter = ({ range: [start, end], async }: FunctionNode) => {
    const line = lineOf(start);
    const isOutermost = open.length === 0;
    const lines = lineOf(end - 1) - line + 1;
    open.push({ line, lines, isOutermost, complexity: 1 });
    if (async) names.add("async");
  };
  const leave = () => void functions.push(open.pop()!);
  const fork = () => {
    const own = open.at(-1);
    if (own) own.complexity++;
  };
  return {
    ArrowFunctionExpression: enter,
    "ArrowFunctionExpression:exit": leave,
    FunctionDeclaration: enter,
    "FunctionDeclaration:exit": leave,
    FunctionExpression: enter,
    "FunctionExpression:exit": leave,
    CatchClause: fork,
    ConditionalExpression: fork,
    DoWhileStatement: fork,
    ForInStatement: fork,
    ForOfStatement: fork,
    ForStatement: fork,
    IfStatement: fork,
    LogicalExpression: fork,
    WhileStatement: fork,
    SwitchCase: ({ test }) => {
      if (test) fork();
    },
  };
}

function keptNotes({ text, kept }: Notes): Deno.lint.LintVisitor {
  const lineOf = lineFinder(text);
  const note = (node: Deno.lint.Node, what: string) => {
    if (isOfModule(node)) kept.push({ line: lineOf(node.range[0]), what });
  };
  return {
    VariableDeclaration: (node) => {
      if (node.kind !== "const") note(node, node.kind);
    },
    VariableDeclarator: (node) => {
      const { type, elements, properties } = node.init as Literal ?? {};
      if (type === "ArrayExpression" && elements!.length === 0) note(node, "[]");
      if (type === "ObjectExpression" && properties!.length === 0) note(node, "{}");
    },
    // Not "NewExpression", which notes names.
    "NewExpression:exit": (node: Deno.lint.NewExpression) =>
      note(node, node.callee.type === "Identifier" ? node.callee.name : "an object"),
  };
}

interface Literal {
  readonly type: string;
  readonly elements?: readonly unknown[];
  readonly properties?: readonly unknown[];
}

const FUNCTIONS = ["ArrowFunctionExpression", "FunctionDeclaration", "FunctionExpression"];

/** Made once, when the module is read, and not declared as read-only. */
function isOfModule(node: Deno.lint.Node): boolean {
  for (let at = node as NodeIn; at.type !== "Program"; at = at.parent!) {
    if (FUNCTIONS.includes(at.type)) return false;
    if (at.type === "PropertyDefinition" && !at.static) return false;
    const { operator, typeName } = at.id?.typeAnnotation?.typeAnnotation ?? {};
    if (operator === "readonly" || typeName?.name?.startsWith("Readonly")) return false;
  }
  return true;
}

/** The part of a node that `isOfModule` looks at. */
interface NodeIn {
  readonly type: string;
  readonly parent?: NodeIn;
  readonly static?: boolean;
  readonly id?: { readonly typeAnnotation?: { readonly typeAnnotation?: TypeNode } } | null;
}

interface TypeNode {
  readonly operator?: string;
  readonly typeName?: { readonly name?: string };
}

function lineFinder(text: string): (at: number) => number {
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return (at) => starts.findLastIndex((start) => start <= at) + 1;
}

function importedName(specifier: Deno.lint.ImportDeclaration["specifiers"][number]): string {
  if (specifier.type === "ImportNamespaceSpecifier") return "*";
  return specifier.type === "ImportDefaultSpecifier" ? "default" : nameOf(specifier.imported);
}

function declaredNames(declaration: Deno.lint.ExportNamedDeclaration["declaration"]): string[] {
  if (!declaration) return [];
  if (declaration.type === "VariableDeclaration") {
    return declaration.declarations.flatMap(({ id }) => id.type === "Identifier" ? [id.name] : []);
  }
  const { id } = declaration as { id?: { name?: string } | null };
  return id?.name ? [id.name] : [];
}

function nameOf(node: { name?: string } | { value?: unknown }): string {
  return "name" in node && node.name ? node.name : String((node as { value?: unknown }).value);
}

function pathOf(from: string, specifier: string): string | undefined {
  // What isn't code is imported as a text.
  if (!/^\..*\.tsx?$/.test(specifier)) return undefined;
  return new URL(specifier, new URL(from, "file:///")).pathname.slice(1);
}
