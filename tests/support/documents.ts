const ROOT = new URL("../../", import.meta.url);
/** The documents for visitors and operators. */
const PAGES = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "src/README.md"];

interface Document {
  /** From the project's folder: "docs/api.md". */
  readonly path: string;
  readonly text: string;
  readonly fences: readonly Fence[];
}

export interface Fence {
  readonly language: string;
  readonly text: string;
  /** The place of its first line, for messages: "docs/api.md:12". */
  readonly place: string;
  /** The HTML comments right above it. */
  readonly marks: readonly string[];
}

export async function readDocuments(): Promise<Document[]> {
  const paths = [...PAGES, ...await markdownIn("docs/")];
  return await Promise.all(paths.map(readDocument));
}

export async function readDocument(path: string): Promise<Document> {
  const text = await Deno.readTextFile(new URL(path, ROOT));
  return { path, text, fences: fencesOf(path, text) };
}

/** The section under a heading, up to the next heading of the same or a higher level. */
export function sectionOf({ path, text }: Document, heading: string): string {
  const level = /^#+/.exec(heading)![0].length;
  const lines = text.split("\n");
  const start = lines.indexOf(heading);
  if (start === -1) throw new Error(`${path} has no heading "${heading}"`);
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => (/^#+(?= )/.exec(line)?.[0].length ?? 9) <= level);
  return rest.slice(0, end === -1 ? undefined : end).join("\n");
}

/** The first cells of a table's rows. */
export function firstCells(section: string): string[] {
  return section.split("\n").filter((line) => line.startsWith("| "))
    .map((line) => line.split(" | ")[0]!.slice(2).trim())
    .filter((cell) => !/^-*$/.test(cell));
}

/** All texts in backticks. */
export function quotedIn(text: string): string[] {
  return [...text.matchAll(/`([^`\n]+)`/g)].map(([, quoted]) => quoted!);
}

/** Files of this project that a document points to, with the heading if it names one. */
export function linksOf({ path, text }: Document): { file: string; anchor: string | undefined }[] {
  const prose = text.replaceAll(/^```[^]*?^```/gm, "").replaceAll(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [file, anchor] = target.split("#");
      const base = new URL(path, ROOT);
      return { file: file === "" ? base.pathname : new URL(file!, base).pathname, anchor };
    });
}

/** The anchors that a forge gives to headings. */
export function anchorsOf(text: string): string[] {
  const prose = text.replaceAll(/^```[^]*?^```/gm, "");
  return [...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!.toLowerCase().replaceAll(/[^\p{L}\p{N}_ -]/gu, "").replaceAll(" ", "-")
  );
}

async function markdownIn(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(new URL(folder, ROOT))) {
    if (isDirectory) found.push(...await markdownIn(`${folder}${name}/`));
    else if (name.endsWith(".md")) found.push(folder + name);
  }
  return found.toSorted();
}

function fencesOf(path: string, text: string): Fence[] {
  return [...text.matchAll(/((?:^<!--.*-->\n\n?)*)^( *)```(\S*)\n([^]*?)^ *```$/gm)].map(
    ({ 1: comments, 2: indent, 3: language, 4: body, index }) => ({
      language: language!,
      text: body!.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
      place: `${path}:${(text.slice(0, index) + comments).split("\n").length}`,
      marks: [...comments!.matchAll(/<!-- (.*?) -->/g)].map(([, mark]) => mark!),
    }),
  );
}
