import assert from "node:assert/strict";
import { type Checkout, makeCheckout } from "./support/programs/checkout.ts";
import { type DocumentShell, hasTools, openDocumentShell } from "./support/document_shell.ts";
import { setEmptyStage, type Stage, STAGES } from "./support/document_stages.ts";
import { hasProgram } from "./support/programs/needed.ts";
import { anchorsOf, type Fence, linksOf, readDocuments } from "./support/documents.ts";

const ROOT = new URL("../", import.meta.url).pathname;
const README_BYTES_MAX = 8_000;
/** Ten minutes. */
const CODE_TOUR_WORDS_MAX = 2_300;
const SCREENSHOT_BYTES_MAX = 150_000;

const NOT_RUN = "not run: ";
/** Reasons why a command isn't run here: no test can, or another test does. */
const REASONS = [
  "mainnet",
  "testnet",
  "internet",
  "systemd",
  "docker",
  "sqld",
  "turso",
  "compile",
  "all tests",
  "an enabled coin",
];
const SERVES = "runs until stopped";
const SERVES_TOO = "runs beside";
const FAILS = "exits with 1";
const SCENE = "test: ";
/** By `deno task openapi`. */
const WRITTEN = "written: ";
const WRITTEN_END = "end";

/** What documents quote. */
const EXAMPLES = [
  ...["cpg.ts", "shop.ts", "node/checkout.mjs", "node/shop.mjs"],
  ...["python/hook.py", "python/shop.py", "php/hook.php", "php/shop.php"],
];

/** The demo prints this line to be pasted; it replaces the same line of a document. */
const DEMO_LINE = "CPG_URL=";

const documents = await readDocuments();
const isRun = ({ language, marks }: Fence) =>
  language === "sh" && !marks.some((mark) => mark.startsWith(NOT_RUN));
const canRun = await hasTools({
  tests: documents.filter(({ fences }) => fences.some(isRun)).length,
});
const NEEDED: Readonly<Record<string, string>> = { "docs/bitcoin.md": "litecoind" };
let checkout: Checkout;
Deno.test.beforeAll(async () => void (checkout = await makeCheckout()));
Deno.test.afterAll(async () => await checkout[Symbol.asyncDispose]());

for (const { path, fences } of documents) {
  const toRun = fences.filter(isRun);
  if (toRun.length === 0) continue;
  const needed = NEEDED[path];
  const isThere = needed === undefined || await hasProgram(needed);
  Deno.test({
    name: `every command in ${path} works, one after the other`,
    ignore: !canRun || !isThere,
    fn: async () => {
      await using shell = await openDocumentShell(checkout);
      await using stage = await (STAGES[path] ?? setEmptyStage)(shell);
      for (const fence of toRun) {
        await runFence(fence, { shell, stage }).catch((error) =>
          assert.fail(`${fence.place}: ${error.message}`)
        );
      }
    },
  });
}

async function runFence(
  { text, marks }: Fence,
  { shell, stage }: { shell: DocumentShell; stage: Stage },
): Promise<void> {
  for (const mark of marks.filter((one) => one.startsWith(SCENE))) {
    await stage.scenes[mark.slice(SCENE.length)]!();
  }
  const { words } = stage;
  const spoken = Object.keys(words).reduce((all, from) => all.replaceAll(from, words[from]!), text);
  const lines = words[DEMO_LINE] ? spoken.replace(/^CPG_URL=.*$/m, words[DEMO_LINE]) : spoken;
  if (marks.includes(FAILS)) return void await shell.run(`if ${lines}then false; fi`);
  if (marks.includes(SERVES)) await shell.stop();
  const isServer = marks.includes(SERVES) || marks.includes(SERVES_TOO);
  const printed = await (isServer ? shell.start(lines) : shell.run(lines));
  assert.doesNotMatch(printed, /"success":false|"error":/);
  const [demoLine] = /^CPG_URL=.*$/m.exec(printed) ?? [];
  if (isServer && demoLine) words[DEMO_LINE] = demoLine;
}

Deno.test("a line that fails in the middle of a fence fails its document, with its output", async () => {
  await using shell = await openDocumentShell(checkout);
  await assert.rejects(shell.run("echo before\nls nowhere\necho after"), /before\nls: [^]*nowhere/);
});

Deno.test("a command that isn't run says what it needs that a test can't have", () => {
  const wrong = documents.flatMap(({ fences }) => fences).filter(({ marks }) =>
    marks.some((mark) => !isKnown(mark))
  );
  assert.deepEqual(wrong.map(({ place, marks }) => `${place} ${marks}`), []);
});

function isKnown(mark: string): boolean {
  if (mark.startsWith(NOT_RUN)) return REASONS.includes(mark.slice(NOT_RUN.length));
  return [SERVES, SERVES_TOO, FAILS, WRITTEN_END].includes(mark) || mark.startsWith(SCENE) ||
    mark.startsWith(WRITTEN);
}

Deno.test("every fence names its language; code comes from the examples, JSON is valid", async () => {
  const examples = await Promise.all(
    EXAMPLES.map((name) => Deno.readTextFile(`${ROOT}docs/examples/${name}`)),
  );
  const isExample = ({ text }: Fence) => examples.some((example) => example.includes(text));
  const check: Record<string, (fence: Fence) => boolean> = {
    sh: () => true,
    text: () => true,
    mermaid: () => true,
    // A test of what it repairs runs it.
    sql: () => true,
    json: ({ text }) => JSON.parse(text) !== undefined,
    js: (fence) => /from "(standardwebhooks|cpg-sdk)"/.test(fence.text) || isExample(fence),
    ...{ ts: isExample, python: isExample, php: isExample },
  };
  const wrong = documents.flatMap(({ fences }) => fences)
    .filter((fence) => !check[fence.language]?.(fence));
  assert.deepEqual(wrong.map(({ place }) => place), []);
});

Deno.test("every link between documents leads to an existing file and heading", async () => {
  for (const document of documents) {
    for (const { file, anchor } of linksOf(document)) {
      const { isFile } = await Deno.stat(file).catch(() =>
        assert.fail(`${document.path} links to ${file}, which is not there`)
      );
      if (!isFile || anchor === undefined) continue;
      const anchors = anchorsOf(await Deno.readTextFile(file));
      assert.ok(anchors.includes(anchor), `${document.path} links to ${file}#${anchor}`);
    }
  }
});

Deno.test("every document is linked from another one", () => {
  const linked = new Set(documents.flatMap(linksOf).map(({ file }) => file));
  const lonely = documents.filter(({ path }) =>
    path !== "README.md" && !linked.has(ROOT + path) &&
    !linked.has(ROOT + path.replace(/README\.md$/, ""))
  );
  assert.deepEqual(lonely.map(({ path }) => path), []);
});

Deno.test("README.md is short, and so are the tour of the code and the screenshot", async () => {
  const [readme, tour] = ["README.md", "src/README.md"].map((wanted) =>
    documents.find(({ path }) => path === wanted)!.text
  );
  const bytes = new TextEncoder().encode(readme).length;
  assert.ok(bytes <= README_BYTES_MAX, `README.md has ${bytes} bytes`);
  const words = tour!.split(/\s+/).filter((word) => /\w/.test(word)).length;
  assert.ok(words <= CODE_TOUR_WORDS_MAX, `src/README.md has ${words} words`);
  const { size } = await Deno.stat(`${ROOT}docs/dashboard.png`);
  assert.ok(size <= SCREENSHOT_BYTES_MAX, `The screenshot has ${size} bytes`);
});

Deno.test("the deployment files start the program like deno task start does, with existing files", async () => {
  const read = (path: string) => Deno.readTextFile(ROOT + path);
  const start: string = JSON.parse(await read("deno.json")).tasks.start.command;
  const image = await read("docs/deploy/Dockerfile");
  const words: string[] = JSON.parse(/^CMD (.*)$/m.exec(image)![1]!);
  assert.equal(["deno", ...words.filter((word) => word !== "--cached-only")].join(" "), start);
  const copied = [...image.matchAll(/^COPY (.*) \S+$/gm)].flatMap(([, from]) => from!.split(" "));
  const [, dockerfile] = /dockerfile: (\S+)/.exec(await read("docs/deploy/compose.yaml"))!;
  for (const path of [...copied, dockerfile!]) await Deno.stat(ROOT + path);
});

Deno.test("the rules for Prometheus ask for metrics that exist, and warn of each that is to be watched", async () => {
  const rules = await Deno.readTextFile(`${ROOT}docs/deploy/alerts.yaml`);
  const asked = new Set([...rules.matchAll(/\bcpg_\w+/g)].map(([name]) => name));
  const known = await Deno.readTextFile(`${ROOT}src/upkeep/metrics.ts`);
  for (const name of asked) assert.ok(known.includes(`  ${name}: {`), name);
  const table = documents.find(({ path }) => path === "docs/operate.md")!.text;
  const watched = [...table.matchAll(/^\| `(cpg_\w+)` +\| (?!\()(.*) \|$/gm)]
    // What is too little depends on the merchant.
    .filter(([, , when]) => !/only rises|you would pay|CPG_METRICS_TOKEN/.test(when!)).map((
      [, name],
    ) => name!);
  assert.deepEqual(watched.filter((name) => !asked.has(name)), []);
});
