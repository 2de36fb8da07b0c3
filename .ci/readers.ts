/**
 * Has other people's programs read the API document: two validators, and two generators whose
 * clients are compiled and make a call. In the environment: CPG_URL, CPG_KEY_ID, CPG_SECRET.
 */
import { createHash, createHmac } from "node:crypto";
import SwaggerParser from "@apidevtools/swagger-parser";
import { createClient } from "@hey-api/openapi-ts";
import { Validator } from "@seriousme/openapi-schema-validator";
import createFetchClient from "openapi-fetch";
import openapiTs, { astToString } from "openapi-typescript";
import ts from "typescript";

const { CPG_URL: url = "", CPG_KEY_ID: keyId = "", CPG_SECRET: secret = "" } = Deno.env.toObject();
const folder = await Deno.makeTempDir({ prefix: "cpg-readers-" });
const read = async () => await (await fetch(`${url}/openapi.json`)).json();

/** What the generated clients send, signed. */
async function signedFetch(request: Request): Promise<Response> {
  const body = await request.text();
  const { pathname, search } = new URL(request.url);
  const timestamp = String(Math.floor(Date.now() / 1000));
  const hash = createHash("sha256").update(body).digest("hex");
  const lines = [timestamp, request.method, pathname, search.slice(1), hash].join("\n");
  const headers = new Headers(request.headers);
  headers.set("X-CPG-Key", keyId);
  headers.set("X-CPG-Timestamp", timestamp);
  headers.set("X-CPG-Signature", createHmac("sha256", secret).update(lines).digest("hex"));
  return await fetch(request.url, { method: request.method, headers, ...body ? { body } : {} });
}

async function validate(): Promise<void> {
  const { valid, errors } = await new Validator().validate(await read());
  if (!valid) throw new Error(`@seriousme/openapi-schema-validator: ${JSON.stringify(errors)}`);
  await SwaggerParser.validate(await read());
}

function compile(files: readonly string[]): void {
  const program = ts.createProgram(files, {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ["lib.es2022.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    types: [],
  });
  const faults = ts.getPreEmitDiagnostics(program);
  if (faults.length === 0) return;
  const host = {
    getCanonicalFileName: (name: string) => name,
    getCurrentDirectory: () => folder,
    getNewLine: () => "\n",
  };
  throw new Error(ts.formatDiagnostics(faults, host));
}

const TYPED = `import type { operations } from "./types.ts";
type Answer = operations["createWithdrawal"]["responses"]["200"]["content"]["application/json"];
export const status: Answer["data"]["status"] = "broadcasted";
// @ts-expect-error: amounts are texts or numbers
export const body: operations["createWithdrawal"]["requestBody"]["content"]["application/json"]["amount"] = true;
`;

/** Types by openapi-typescript, and the client that goes with them. */
async function firstClient(): Promise<void> {
  const types = `${folder}/types.ts`;
  await Deno.writeTextFile(types, astToString(await openapiTs(await read())));
  await Deno.writeTextFile(`${folder}/typed.ts`, TYPED);
  compile([types, `${folder}/typed.ts`]);
  // deno-lint-ignore no-explicit-any -- the types are generated while this runs
  const client = createFetchClient<any>({ baseUrl: url, fetch: signedFetch });
  const { data, response } = await client.GET("/v1/_ping", {});
  assertAnswered(response.status, data);
}

/** A whole client by @hey-api/openapi-ts. */
async function secondClient(): Promise<void> {
  await createClient({
    input: await read(),
    output: { path: `${folder}/client`, importFileExtension: ".ts" },
    logs: { level: "error", file: false },
    plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"],
  });
  const sdk = `${folder}/client/sdk.gen.ts`;
  compile([sdk]);
  const { client } = await import(`${folder}/client/client.gen.ts`);
  const { listTransactions } = await import(sdk);
  client.setConfig({ baseUrl: url, fetch: signedFetch });
  const { data, response } = await listTransactions({ query: { limit: 5, direction: "deposit" } });
  assertAnswered(response.status, data);
}

function assertAnswered(status: number, body: unknown): void {
  const isGood = status === 200 && (body as { success?: boolean } | undefined)?.success === true;
  if (!isGood) throw new Error(`A generated client got ${status} ${JSON.stringify(body)}`);
}

try {
  await validate();
  await firstClient();
  await secondClient();
} finally {
  await Deno.remove(folder, { recursive: true });
}
