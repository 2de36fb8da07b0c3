import assert from "node:assert/strict";
import { Accounts } from "../../../src/accounts/tables/accounts.ts";
import { readConfig } from "../../../src/app/config/config.ts";
import { openMigratedDb } from "../../../src/app/gateway.ts";
import { OperatorError } from "../../../src/domain/refusal.ts";
import { startSqld } from "../../support/database/sqld.ts";
import { closedUrl } from "../../support/nodes/closed_url.ts";

interface Folder extends AsyncDisposable {
  readonly path: string;
}

async function makeFolder(): Promise<Folder> {
  const path = await Deno.makeTempDir({ prefix: "cpg-open-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

const open = (url: string, token?: string) =>
  openMigratedDb(readConfig({ CPG_DATABASE_URL: url, CPG_DATABASE_TOKEN: token }));

async function refusalOf(url: string, token?: string): Promise<string> {
  const fault = await open(url, token).then(() => undefined, (error) => error);
  assert.ok(fault instanceof OperatorError, `${url}: ${fault}`);
  assert.equal(fault.message.split("\n").length, 1, fault.message);
  return fault.message;
}

Deno.test("a new database is created together with its folder", async () => {
  await using folder = await makeFolder();
  for (const url of [`file:${folder.path}/a/b/cpg.db`, `file://${folder.path}/c/cpg.db`]) {
    const { db, migrated } = await open(url);
    const file = url.replace(/^file:(\/\/)?/, "");
    for (const name of [file, `${file}-wal`]) {
      const { mode } = await Deno.stat(name);
      assert.equal(mode! & 0o777, 0o600, `${name} is its owner's alone`);
    }
    assert.ok(migrated.applied.length > 0);
    assert.deepEqual(await db.rows(Accounts, ""), []);
    await db.close();
  }
});

Deno.test("a file that is no database, or no file at all, stops the start in one line and stays unchanged", async () => {
  await using folder = await makeFolder();
  const text = "This is a letter, and a long one. ".repeat(200);
  await Deno.writeTextFile(`${folder.path}/letter`, text);
  await Deno.mkdir(`${folder.path}/folder`);
  for (const name of ["letter", "folder", "letter/cpg.db"]) {
    const message = await refusalOf(`file:${folder.path}/${name}`);
    assert.match(message, new RegExp(`^Cannot open the database file:${folder.path}/${name}: `));
  }
  assert.equal(await Deno.readTextFile(`${folder.path}/letter`), text);
});

Deno.test("an address that the client doesn't understand stops the start in one line", async () => {
  for (const url of ["file://elsewhere/cpg.db", "http://127.0.0.1:1/?bogus=1", "http://"]) {
    const message = await refusalOf(url).catch((error) => assert.fail(`${url}: ${error}`));
    assert.match(message, /CPG_DATABASE_URL/);
  }
  for (const url of ["libsql://cpg:hushhush@h:99999", "http://cpg:hushhush@[::1"]) {
    assert.doesNotMatch(await refusalOf(url), /hushhush/);
  }
});

Deno.test("a missing server stops the start in one line that shows no password", async () => {
  const port = new URL(closedUrl()).port;
  const messages = await Promise.all([
    refusalOf(`http://127.0.0.1:${port}`, "hushhush"),
    refusalOf(`ws://127.0.0.1:${port}`, "hushhush"),
    refusalOf(`http://127.0.0.1:${port}/?authToken=hushhush`),
    refusalOf(`http://cpg:hushhush@127.0.0.1:${port}`),
  ]);
  for (const message of messages) {
    assert.match(message, /^Cannot (reach|open) the database (http|ws):/);
    assert.equal(message.includes("hushhush"), false, message);
  }
});

Deno.test("a server opens with the right token, and a wrong one stops the start naming the variable", async () => {
  await using folder = await makeFolder();
  const keys = await crypto.subtle.generateKey("Ed25519", true, [
    "sign",
    "verify",
  ]) as CryptoKeyPair;
  const spki = new Uint8Array(await crypto.subtle.exportKey("spki", keys.publicKey));
  const pem = `-----BEGIN PUBLIC KEY-----\n${spki.toBase64()}\n-----END PUBLIC KEY-----\n`;
  await Deno.writeTextFile(`${folder.path}/key.pem`, pem);
  await using sqld = await startSqld({ args: ["--auth-jwt-key-file", `${folder.path}/key.pem`] });
  const { db } = await open(sqld.url, await makeToken(keys.privateKey));
  assert.deepEqual(await db.rows(Accounts, ""), []);
  await db.close();
  const messages = await Promise.all([
    refusalOf(sqld.url, "hushhush"),
    refusalOf(sqld.url),
    refusalOf(sqld.url.replace("http:", "ws:"), "hushhush"),
  ]);
  for (const message of messages) {
    assert.match(message, /CPG_DATABASE_TOKEN/);
    assert.equal(message.includes("hushhush"), false, message);
  }
});

async function makeToken(key: CryptoKey): Promise<string> {
  const encode = (bytes: Uint8Array) =>
    bytes.toBase64({ alphabet: "base64url", omitPadding: true });
  const text = [{ alg: "EdDSA", typ: "JWT" }, { a: "rw" }]
    .map((part) => encode(new TextEncoder().encode(JSON.stringify(part)))).join(".");
  const signature = await crypto.subtle.sign("Ed25519", key, new TextEncoder().encode(text));
  return `${text}.${encode(new Uint8Array(signature))}`;
}
