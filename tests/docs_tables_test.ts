import assert from "node:assert/strict";
import { createGatewayMetrics } from "../src/upkeep/metrics.ts";
import { COMMANDS } from "./support/programs/commands.ts";
import { parseCommand } from "../src/cli/parse.ts";
import { ENV_NAMES } from "../src/app/config/config.ts";
import { FAMILY_NAMES } from "../src/domain/families.ts";
import { ALERT_KINDS } from "../src/alerts/rules/alert_kinds.ts";
import { permissionsOf } from "../src/http/endpoint.ts";
import { ENDPOINTS } from "../src/http/endpoints.ts";
import { SEALED_TABLES } from "../src/store/reads/sealed.ts";
import { TABLES } from "../src/store/tables/tables.ts";
import {
  firstCells,
  quotedIn,
  readDocument,
  readDocuments,
  sectionOf,
} from "./support/documents.ts";
import { readSources } from "./tidy/source.ts";

const ROOT = new URL("../", import.meta.url);
const operate = await readDocument("docs/operate.md");
const api = await readDocument("docs/api.md");
const troubleshooting = await readDocument("docs/troubleshooting.md");
const decisions = await readDocument("docs/decisions.md");
const source = await sourceText("src/");

Deno.test("the program understands every command line in the documents", async () => {
  const lines = (await readDocuments()).flatMap(({ text }) =>
    [...text.replace(/ \\\n\s*/g, " ").matchAll(/deno task (?:-q )?cpg ([^\n`)|]+)/g)]
      .map(([, line]) => line!.replace(/ +[#>] .*/, "").trim())
  );
  assert.ok(lines.length > 50);
  for (const line of lines.filter((one) => !one.includes("<command>"))) {
    parseCommand(wordsOf(line), { commands: COMMANDS, isTerminal: false });
  }
});

Deno.test("operate.md describes the variables that the program reads, and no others", () => {
  const listed = firstCells(sectionOf(operate, "## Configuration"))
    .filter((cell) => cell.startsWith("CPG_"))
    .flatMap((cell) => cell.split(", "));
  assert.deepEqual(listed.toSorted(), [...ENV_NAMES].toSorted());
});

Deno.test("operate.md lists the sealed tables, their columns without a seal, and all others", () => {
  const section = sectionOf(operate, "### Which tables are sealed");
  const parts = section.split(/^\| (?:Sealed tables|Columns|Other tables) .*$/m).slice(1);
  const [sealed, columns, others] = parts.map((part) => firstCells(part).flatMap(quotedIn).sort());
  const names = SEALED_TABLES.map(({ name }) => name);
  assert.deepEqual(sealed, names.toSorted());
  assert.deepEqual(
    columns,
    SEALED_TABLES.flatMap((table) =>
      table.columns.filter((_, i) => !table.sealedColumns!.includes(i))
        .map(({ name }) => `${table.name}.${name}`)
    ).toSorted(),
  );
  const rest = TABLES.map(({ name }) => name).filter((name) => !names.includes(name));
  assert.deepEqual(others, rest.toSorted());
});

Deno.test("operate.md lists all metrics and no others", () => {
  const listed = firstCells(sectionOf(operate, "## Monitoring")).flatMap(quotedIn);
  const known = [...createGatewayMetrics().text().matchAll(/^# TYPE (\S+)/gm)].map(([, name]) =>
    name!
  );
  assert.deepEqual(listed.toSorted(), known.toSorted());
});

Deno.test("troubleshooting.md explains every alert and no others", () => {
  const explained = [...sectionOf(troubleshooting, "## Alerts").matchAll(/^### `(.*)`$/gm)]
    .map(([, kind]) => kind!);
  assert.deepEqual(explained, [...ALERT_KINDS].toSorted());
});

Deno.test("the program can write every message in troubleshooting.md", () => {
  const [, rest] = troubleshooting.text.split("## The program doesn't start");
  const messages = [...rest!.matchAll(/^### `(.*)`$/gm)].map(([, message]) => message!);
  const quoted = [...rest!.matchAll(/^- \*\*50\d\*\* `(.*?)`/gm)].map(([, message]) => message!);
  assert.ok(messages.length > 15 && quoted.length > 3);
  const unknown = [...messages, ...quoted].filter((message) =>
    !message.split("…").every((part) => source.includes(part.trim()))
  );
  assert.deepEqual(unknown, []);
});

Deno.test("api.md lists every endpoint with its permission, and no others", () => {
  const rows = sectionOf(api, "## Endpoints").split("\n").filter((line) =>
    /^\| (GET|POST|PATCH|DELETE) /.test(line)
  );
  const listed = rows.map((row) => row.split("|").slice(1, 3).map((cell) => cell.trim()).join(" "));
  const known = ENDPOINTS.map((one) =>
    `${one.method} ${one.path} ${permissionsOf(one).join(", ")}`
  );
  assert.deepEqual(listed.toSorted(), known.toSorted());
});

Deno.test("decisions.md has the date of every decision, and the reason for every package", async () => {
  const entries = [...decisions.text.matchAll(/^- \*\*[^]*?\*\*\s+(\S+)/gm)];
  const undated = entries.filter(([, next]) => !/^\(\d{4}-\d{2}-\d{2}\)\.?$/.test(next!));
  assert.ok(entries.length > 100);
  assert.deepEqual(undated.map(([text]) => text), []);
  const { imports } = JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT)));
  const packages = Object.values<string>(imports).filter((target) => target.startsWith("npm:"))
    .map((target) => /^npm:\/?(@?[^@]+)/.exec(target)![1]!);
  const explained = new Set(quotedIn(sectionOf(decisions, "## Packages")));
  assert.deepEqual(packages.filter((name) => !explained.has(name)), []);
});

/** Names of any file of their kind. */
const EXAMPLES = ["verb_noun.ts", "_x.ts", "index.ts", "_timeline.tsx"];

Deno.test("the files and folders that documents name exist, by their whole path", async () => {
  const named = (await readDocuments()).flatMap(({ path, text }) =>
    quotedIn(text.replaceAll(/^```[^]*?^```/gm, ""))
      .filter((name) => /^[\w/]+\.tsx?$|^\w+(\/\w+)+\/$/.test(name) && !EXAMPLES.includes(name))
      .map((name) => ({ path, name }))
  );
  assert.ok(named.length > 100);
  const isThere = (name: string) => Deno.stat(new URL(name, ROOT)).then(() => true, () => false);
  const areThere = await Promise.all(
    named.map(async ({ name }) => await isThere(`src/${name}`) || await isThere(name)),
  );
  assert.deepEqual(named.filter((_, i) => !areThere[i]), []);
});

Deno.test("CONTRIBUTING.md lists the files that ask for a chain family by name", async () => {
  const contributing = await readDocument("CONTRIBUTING.md");
  const listed = quotedIn(sectionOf(contributing, "## Adding a chain family"));
  const files = await readSources(ROOT, ["src/"]);
  const asking = files.filter(({ path, strings }) =>
    !/^src\/(chains\/(evm|tron)|sandbox)\//.test(path) &&
    FAMILY_NAMES.some((name) => strings.includes(name))
  ).map(({ path }) => path.slice("src/".length));
  assert.deepEqual(asking.filter((path) => !listed.includes(path)), []);
});

/** Splits a line as a shell does: at spaces, except inside double quotes. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare!);
}

/** All of it, with the parts of long texts joined. */
async function sourceText(folder: string): Promise<string> {
  let all = "";
  for await (const { name, isDirectory } of Deno.readDir(new URL(folder, ROOT))) {
    if (isDirectory) all += await sourceText(`${folder}${name}/`);
    else if (/\.tsx?$/.test(name)) all += await Deno.readTextFile(new URL(folder + name, ROOT));
  }
  return all.replaceAll(/["'`] \+\s+["'`]/g, "");
}
