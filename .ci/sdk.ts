/**
 * Builds the npm package of the SDK in dist/sdk, with its type declarations, and the file that the
 * gateway serves: deno task sdk. With --check it only looks whether that file is up to date.
 */
import { Buffer } from "node:buffer";
import { gunzipSync, gzipSync } from "node:zlib";
import { createTar } from "nanotar";
import ts from "typescript";
import { VERSION } from "../src/domain/version.ts";

const ROOT = new URL("../", import.meta.url);
const SOURCE = new URL("src/sdk/", ROOT);
const OUTPUT = new URL("dist/sdk/", ROOT);
/** In base64, because the program imports it as text. */
const SERVED = new URL("src/docs/assets/sdk_package.txt", ROOT);

const PACKAGE = {
  name: "cpg-sdk",
  version: VERSION,
  description: "A client for CPG, a self-hosted crypto payment gateway",
  license: "MIT",
  type: "module",
  engines: { node: ">=20" },
  exports: { ".": { types: "./mod.d.ts", default: "./mod.js" } },
  files: ["*.js", "*.d.ts"],
  sideEffects: false,
};

const README = `# cpg-sdk

A client for CPG, a self-hosted crypto payment gateway. It has no dependencies and runs on Node 20
and later, Deno, Bun and workers.

\`\`\`js
import { Cpg } from "cpg-sdk";

const cpg = new Cpg({ url: "https://pay.example.com", keyId: "cpg_…", secret: "…" });
const { address } = await cpg.createDepositAddress({ network: "ETH", currency: "USDT" });
\`\`\`
`;

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ES2022,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ["lib.es2022.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
  strict: true,
  declaration: true,
  rewriteRelativeImportExtensions: true,
  rootDir: SOURCE.pathname,
  outDir: OUTPUT.pathname,
  types: [],
};

await Deno.remove(OUTPUT, { recursive: true }).catch(() => {});
const program = ts.createProgram([new URL("mod.ts", SOURCE).pathname], options);
const { diagnostics } = program.emit();
const faults = [...ts.getPreEmitDiagnostics(program), ...diagnostics];
if (faults.length > 0) {
  const host = {
    getCanonicalFileName: (name: string) => name,
    getCurrentDirectory: () => ROOT.pathname,
    getNewLine: () => "\n",
  };
  throw new Error(ts.formatDiagnostics(faults, host));
}
// Declarations keep the extensions of their sources, which a package doesn't have.
for await (const { name } of Deno.readDir(OUTPUT)) {
  if (!name.endsWith(".d.ts")) continue;
  const text = await Deno.readTextFile(new URL(name, OUTPUT));
  await Deno.writeTextFile(new URL(name, OUTPUT), text.replace(/(from "\.\/\w+)\.ts"/g, '$1.js"'));
}
await Deno.writeTextFile(
  new URL("package.json", OUTPUT),
  `${JSON.stringify(PACKAGE, null, 2)}\n`,
);
await Deno.writeTextFile(new URL("README.md", OUTPUT), README);

const names = (await Array.fromAsync(Deno.readDir(OUTPUT))).map(({ name }) => name).toSorted();
const files = await Promise.all(names.map(async (name) => ({
  name: `package/${name}`,
  data: await Deno.readFile(new URL(name, OUTPUT)),
})));
// The same bytes whoever builds it, and whenever.
const tar = createTar(files, { attrs: { mtime: 0, mode: "644", uid: 0, gid: 0 } });
if (!Deno.args.includes("--check")) {
  await Deno.writeTextFile(SERVED, `${gzipSync(tar, { level: 9 }).toString("base64")}\n`);
} else if (!gunzipSync(Buffer.from(await Deno.readTextFile(SERVED), "base64")).equals(tar)) {
  throw new Error("The SDK has changed since the gateway's copy was built: deno task sdk");
}
