import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import {
  checkBase,
  EMBEDDED,
  explain,
  isProgram,
  readOrder,
  tidily,
} from "../../../.ci/compile.ts";
import { VERSION } from "../../../src/domain/version.ts";
import { showFigure } from "../../support/show_figure.ts";

const ROOT = new URL("../../../", import.meta.url);

Deno.test("everything read at run time is imported by a literal name or embedded in the binary", async () => {
  for (const file of await sourceFiles()) {
    const source = await Deno.readTextFile(file);
    for (const [whole, name] of source.matchAll(/\bimport\(([^)]*)\)/g)) {
      assert.match(name!, /^"[^"]+"$/, `${file}: ${whole} is in no module graph`);
    }
    const named = [...source.matchAll(/new URL\("([^"]+)", import\.meta\.url\)/g)];
    const all = source.split("import.meta.").length - 1;
    assert.equal(named.length, all, `${file} uses import.meta in another way`);
    for (const [, path] of named) {
      const read = new URL(path!, file).href;
      const isEmbedded = EMBEDDED.some((folder) =>
        read.startsWith(new URL(`${folder}/`, ROOT).href)
      );
      assert.ok(isEmbedded, `${file} reads ${path}, which the binary does not have`);
    }
  }
});

Deno.test("the binary contains every migration, every module and the native add-on", async (test) => {
  const folder = await Deno.makeTempDir({ prefix: "cpg-compile-" });
  const output = `${folder}/cpg`;
  // Uses Deno itself as the base: the result can't run, but contains the whole program.
  const env = { DENORT_BIN: Deno.execPath() };
  const { stdout, stderr, success } = await deno(
    ["task", "-q", "compile", "--output", output],
    env,
  );
  assert.ok(success);
  assert.match(stdout, /cpg: \d+\.\d MB\n$/);
  assert.match(stderr, /\/cpg holds the program and does not run as it: DENORT_BIN [^\n]*\n$/);
  await showFigure(test, stdout.trim().replace(folder, "dist"));
  // Behind the base, which knows names of its own.
  const { size } = await Deno.stat(Deno.execPath());
  const binary = latin1((await Deno.readFile(output)).subarray(size));
  for await (const { name } of Deno.readDir(new URL("migrations", ROOT))) {
    const sql = await Deno.readTextFile(new URL(`migrations/${name}`, ROOT));
    assert.ok(binary.includes(latin1(new TextEncoder().encode(sql))), `${name} is missing`);
  }
  const modules = await loadedModules();
  assert.ok(modules.length > 100);
  for (const specifier of modules) {
    const name = specifier.slice(specifier.lastIndexOf("/") + 1);
    // The list of them is at the end, so that this direction is fast.
    assert.ok(binary.lastIndexOf(name) !== -1, `${specifier} is missing`);
  }
  const addOn = await nativeAddOn();
  assert.ok(binary.includes(addOn), "the native add-on is missing");
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a compiled file is the program only if it prints its version", async () => {
  const folder = await Deno.makeTempDir({ prefix: "cpg-prove-" });
  const reported = JSON.stringify({ version: VERSION, deno: "2.9.6", target: "x" });
  const file = `${folder}/cpg`;
  const isProgramOf = async (text: string) => {
    await Deno.writeTextFile(file, text, { mode: 0o755 });
    return await isProgram(file);
  };
  assert.equal(await isProgramOf(`#!/bin/sh\n[ "$1" = version ] && echo '${reported}'\n`), true);
  for (const line of ["echo 'deno 2.9.6'", `echo '${reported}'; exit 1`]) {
    assert.equal(await isProgramOf(`#!/bin/sh\n${line}\n`), false);
  }
  assert.equal(await isProgramOf("\x7fELF of another machine"), false);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a failing compilation removes its own empty folder and nothing else", async () => {
  const folder = await Deno.makeTempDir({ prefix: "cpg-tidily-" });
  const dist = `${folder}/dist`;
  const fail = (made?: string) =>
    tidily(`${dist}/cpg`, async () => {
      await Deno.mkdir(dist, { recursive: true });
      if (made) await Deno.writeTextFile(`${dist}/${made}`, "");
      throw new Error("no base");
    });
  await assert.rejects(fail(), /no base/);
  await assert.rejects(Deno.stat(dist), Deno.errors.NotFound);
  await Deno.mkdir(dist);
  await assert.rejects(fail(), /no base/);
  await Deno.remove(dist);
  await assert.rejects(fail("cpg-linux-x64"), /no base/);
  assert.equal([...Deno.readDirSync(dist)].length, 1);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("deno task compile --help shows its options", async () => {
  const { stdout, success } = await deno(["task", "-q", "compile", "--help"]);
  assert.ok(success);
  assert.match(stdout, /^deno task compile \[--target TARGET\].*\n[^]*linux-x64.*\n[^]*DENORT_BIN/);
});

Deno.test("a runtime base that can't be downloaded is reported in one line, with what to do", () => {
  const reported =
    "Download https://dl.deno.land/release/v2.9.6/denort-x86_64-unknown-linux-gnu.zip\n" +
    "error: error sending request\n  0: dns error";
  for (const target of [undefined, "linux-arm64"]) {
    const line = explain(reported, target);
    assert.match(line, /^Cannot download .* set DENORT_BIN to a denort of Deno \d+\.\d+\.\d+/);
    assert.equal(line.includes("\n"), false);
    const name = target === undefined ? Deno.build.target : "aarch64-unknown-linux-gnu";
    assert.ok(line.endsWith(`/denort-${name}.zip`), line);
  }
  assert.equal(explain("Check main.ts\nerror: no\n  at x", undefined), "error: no");
});

Deno.test("a missing runtime base is reported before anything is compiled", async () => {
  await checkBase(undefined);
  await checkBase(new URL("deno.json", ROOT).pathname);
  await assert.rejects(checkBase("/nowhere/denort"), /^Error: DENORT_BIN names no file: \/nowhere/);
  await assert.rejects(checkBase(ROOT.pathname), /DENORT_BIN names no file/);
});

Deno.test("deno task compile takes several targets, and names the existing ones", () => {
  assert.deepEqual(
    readOrder(["--target", "linux-x64", "--target", "windows-x64", "--output", "a/b"]),
    { targets: ["linux-x64", "windows-x64"], output: "a/b" },
  );
  assert.throws(() => readOrder(["--target", "toString"]), /linux-x64\|linux-arm64/);
  assert.throws(() => readOrder(["--target"]), /is not understood/);
});

/** One character per byte, because searching strings is fast. */
function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
}

async function deno(args: readonly string[], env: Record<string, string> = {}) {
  const { stdout, stderr, success } = await new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd: ROOT.pathname,
    env: { NO_COLOR: "1", ...env },
  }).output();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { stdout: out!, stderr: err!, success };
}

async function sourceFiles(folder = new URL("src/", ROOT)): Promise<URL[]> {
  const files = folder.href.endsWith("/src/") ? [new URL("main.ts", ROOT)] : [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) files.push(...await sourceFiles(new URL(`${name}/`, folder)));
    else if (/\.tsx?$/.test(name)) files.push(new URL(name, folder));
  }
  return files;
}

/** All of ours that running the program may load; what is imported for its types alone isn't. */
async function loadedModules(): Promise<string[]> {
  const graph: { modules: { specifier: string; dependencies?: Dependency[] }[] } = JSON.parse(
    (await deno(["info", "--json", "main.ts"])).stdout,
  );
  const imported = new Map(graph.modules.map((module) => [module.specifier, module.dependencies]));
  const loaded = new Set([new URL("main.ts", ROOT).href]);
  // A set that grows while it is walked is walked to its new end.
  for (const specifier of loaded) {
    for (const { code } of imported.get(specifier) ?? []) {
      if (code?.specifier?.startsWith(ROOT.href)) loaded.add(code.specifier);
    }
  }
  return [...loaded];
}

interface Dependency {
  /** Missing for what is imported for its types alone. */
  readonly code?: { readonly specifier?: string };
}

/** The add-on that the package manager installed for this machine. */
async function nativeAddOn(): Promise<string> {
  const { npmCache } = JSON.parse((await deno(["info", "--json"])).stdout);
  const arch = Deno.build.arch === "aarch64" ? "arm64" : "x64";
  const folder = `${npmCache}/registry.npmjs.org/@libsql/linux-${arch}-gnu`;
  const [version] = [...Deno.readDirSync(folder)].filter((entry) => entry.isDirectory)
    .map(({ name }) => name).toSorted().toReversed();
  return latin1(await Deno.readFile(`${folder}/${version}/index.node`));
}
