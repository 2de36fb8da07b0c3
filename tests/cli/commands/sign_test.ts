import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { utf8 } from "../../../src/base/bytes.ts";
import { curlCommand } from "../../../src/cli/sign/sign.ts";
import { signedHeaders } from "../../support/api_client.ts";
import { makeMerchant, startGateway } from "../../support/gateway.ts";
import { makeNewCli } from "../cli_host.ts";

const KEY = ["--key", "cpg_3q2-7w", "--secret", "-"];
const TIME = ["--timestamp", "1767225600"];

Deno.test("sign answers the canonical string, the hash, the headers and a curl command", async () => {
  await using cli = await makeNewCli({ CPG_PUBLIC_URL: "https://pay.example.com" });
  const words = ["sign", ...KEY, ...TIME, "post", "/v1/withdrawals?a=?b", "--body", "-", "--json"];
  const { code, out } = await cli.run(words, { input: ["top-secret", '{"amount":"1"}'] });
  assert.equal(code, 0);
  const { canonical, headers, curl, ...rest } = JSON.parse(out);
  const lines = canonical.split("\n");
  assert.deepEqual(lines.slice(0, 4), ["1767225600", "POST", "/v1/withdrawals", "a=?b"]);
  assert.equal(rest.hash, lines[4]);
  const call = { method: "POST", target: "/v1/withdrawals?a=?b", body: '{"amount":"1"}' };
  const credentials = { keyId: "cpg_3q2-7w", secret: "top-secret" };
  assert.deepEqual(headers, signedHeaders(credentials, { ...call, timestamp: "1767225600" }));
  assert.match(curl, /^curl -sS -X POST 'https:\/\/pay\.example\.com\/v1\/withdrawals\?a=\?b' /);
  assert.ok(curl.endsWith(`--data-raw '{"amount":"1"}'`));
  assert.ok(!out.includes("top-secret"));
});

Deno.test("sign's curl command goes where programs call, else where the gateway listens", async () => {
  const cases = [
    [{ CPG_PORT: "9000" }, "http://127.0.0.1:9000/v1/_ping"],
    [{ CPG_HOST: "::1", CPG_PORT: "" }, "http://[::1]:8080/v1/_ping"],
    [{ CPG_PUBLIC_URL: "https://pay.example.com" }, "https://pay.example.com/v1/_ping"],
    [{ CPG_PORT: "9000", CPG_URL: "http://127.0.0.1:9100/" }, "http://127.0.0.1:9100/v1/_ping"],
  ] as const;
  for (const [env, url] of cases) {
    await using cli = await makeNewCli(env);
    const words = ["sign", ...KEY, "GET", "/v1/_ping", "--json"];
    const { out } = await cli.run(words, { input: ["top-secret"] });
    assert.ok(JSON.parse(out).curl.includes(`'${url}'`), out);
  }
});

Deno.test("sign explains the five lines to people", async () => {
  await using cli = await makeNewCli();
  const { code, out } = await cli.run(["sign", ...KEY, ...TIME, "GET", "/v1/_ping"], {
    input: ["top-secret"],
  });
  assert.equal(code, 0);
  for (const part of ["1  time: Unix seconds\n     1767225600\n", "4  query", "(empty line)"]) {
    assert.ok(out.includes(part), part);
  }
  assert.match(out, /valid until 2026-01-01T00:05:00\+00:00/);
});

Deno.test("a secret is never taken from the command line, and never repeated in an error", async () => {
  await using cli = await makeNewCli();
  const wrong = ["sign", "--key", "cpg_3q2-7w", "--secret", "hunter2", "GET", "/v1/_ping"];
  const { code, out, err } = await cli.run(wrong);
  assert.equal(code, 2);
  assert.match(err, /^error: --secret takes only "-", because a secret is read from standard/);
  assert.ok(!(out + err).includes("hunter2"));
});

Deno.test("sign refuses what a client would change before sending it, and a missing secret", async () => {
  await using cli = await makeNewCli();
  const sign = (...words: string[]) => cli.fails(2, "sign", ...KEY, ...words);
  assert.match(await sign("GET", "v1/_ping"), /^TARGET is the path, beginning with "\/"/);
  assert.match(await sign("GET", "/v1/a b"), /must be percent-encoded/);
  assert.match(await sign("GET", "/v1/ü"), /must be percent-encoded/);
  assert.match(await sign("G T", "/v1/_ping"), /is not an HTTP method/);
  const ping = ["sign", ...KEY, "GET", "/v1/_ping"];
  assert.match(await cli.fails(1, ...ping), /^There is no secret on standard input/);
  const same = await cli.run([...ping, "--json"], { input: ["cpg_3q2-7w"] });
  assert.match(same.out, /That is the key's id, not its secret/);
  assert.match(await fileRefused(cli.run), /can't be read/);
});

async function fileRefused(run: Awaited<ReturnType<typeof makeNewCli>>["run"]): Promise<string> {
  const words = ["sign", ...KEY, "POST", "/v1/withdrawals", "--body", "/nowhere/body.json"];
  const { code, err } = await run(words, { input: ["top-secret"] });
  assert.equal(code, 1);
  return err;
}

Deno.test("the gateway accepts what sign's curl command sends", async () => {
  await using gateway = await startGateway();
  await using cli = await makeNewCli();
  const { credentials: { keyId, secret } } = await makeMerchant(gateway);
  const body = `{"network":"it's","currency":"@x","user_identifier":"[a]"}`;
  const calls = [
    { words: ["GET", "/v1/_ping"], input: [secret], status: 200 },
    { words: ["GET", "/v1/transactions?limit=10&cursor=5"], input: [secret], status: 200 },
    { words: ["GET", "/v1/deposits/../{a}[1]"], input: [secret], status: 404 },
    { words: ["POST", "/v1/deposit-addresses", "--body", "-"], input: [secret, body], status: 404 },
  ];
  for (const { words, input, status } of calls) {
    const args = ["sign", "--key", keyId, "--url", gateway.url, ...words, "--json"];
    const { out } = await cli.run(args, { input });
    const shown = await shell(`${JSON.parse(out).curl} -w '\\n%{http_code}'`);
    assert.equal(shown.split("\n").at(-1), String(status), `${words.join(" ")}: ${shown}`);
    assert.ok(!shown.includes("signature"), shown);
  }
});

Deno.test("in a checkout, sign reads the body from wherever it is", async () => {
  const file = await Deno.makeTempFile();
  await Deno.writeTextFile(file, "{}");
  const words = ["sign", ...KEY, "POST", "/v1/withdrawals", "--body", file, "--json"];
  const child = new Deno.Command(Deno.execPath(), {
    args: ["task", "-q", "cpg", ...words],
    cwd: new URL("../../../", import.meta.url),
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(utf8("top-secret\n"));
  await writer.close();
  const { stdout } = await child.output();
  const { hash } = JSON.parse(new TextDecoder().decode(stdout));
  assert.equal(hash, createHash("sha256").update("{}").digest("hex"));
  await Deno.remove(file);
});

Deno.test("a body that no argument can hold is sent from where it came", () => {
  const request = { method: "POST", url: "http://a/v1/x", headers: {} };
  const dataOf = (body: string, file: string) =>
    curlCommand({ ...request, body: utf8(body), file }).split(" \\\n  ").at(-1);
  assert.equal(dataOf("{}", "my body.json"), "--data-binary '@my body.json'");
  assert.equal(dataOf("{}", "-"), "--data-raw '{}'");
  assert.equal(dataOf("a\0b", "-"), "--data-binary @-");
  assert.equal(dataOf("x".repeat(5_000), "-"), "--data-binary @-");
});

async function shell(text: string): Promise<string> {
  const { stdout } = await new Deno.Command("sh", { args: ["-c", text] }).output();
  return new TextDecoder().decode(stdout);
}
