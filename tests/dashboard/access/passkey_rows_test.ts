import assert from "node:assert/strict";
import { removePasskey } from "../../../src/access/manage_passkeys.ts";
import { removeSecondFactor } from "../../../src/access/manage_second_factor.ts";
import { resetUser } from "../../../src/access/change_user.ts";
import { proveUser } from "../../../src/access/prove_user.ts";
import { mustSetUpFactor, setSettings } from "../../../src/access/require_second_factor.ts";
import { readCreated, readProven } from "../../../src/access/passkeys/check.ts";
import { passkeysOf } from "../../../src/access/rules/second_factors.ts";
import { auditPage } from "../../../src/audit/reads/page.ts";
import { PASSWORD } from "../../support/dashboard/dashboard.ts";
import { EMAIL, startWithAnn } from "./ann.ts";

const actor = "test";

Deno.test("a passkey or codes do where a second factor is required, and the last one stays", async () => {
  await using ann = await startWithAnn();
  const { deps } = ann;
  await setSettings(deps, { change: { requiresSecondFactor: true }, actor });
  assert.equal(await mustSetUpFactor(deps, await ann.user()), true);
  const phone = ann.device();
  await ann.add(phone);
  assert.equal(await mustSetUpFactor(deps, await ann.user()), false);
  const remove = async () => removePasskey(deps, { user: await ann.user(), id: phone.id, actor });
  await assert.rejects(remove(), /second factor is required/);
  assert.deepEqual(await ann.addApp(), [], "the recovery codes still work");
  await remove();
  assert.equal(await mustSetUpFactor(deps, await ann.user()), false);
  await assert.rejects(
    removeSecondFactor(deps, { user: await ann.user(), actor }),
    /second factor is required/,
  );
  assert.deepEqual(await ann.notices(), [
    `${EMAIL} signed in from 127.0.0.1`,
    `${EMAIL} has a new second factor: passkey "Phone"`,
    `${EMAIL} has a new second factor: authenticator app`,
    `A second factor of ${EMAIL} was removed: passkey "Phone"`,
  ]);
});

Deno.test("recovery codes work once each beside a passkey, and go with the last second factor", async () => {
  await using ann = await startWithAnn();
  const phone = ann.device();
  const [code = ""] = await ann.add(phone);
  assert.equal(await ann.give(await ann.half(), code), "open");
  assert.equal(await ann.give(await ann.half(), code), "wrong");
  const { deps } = ann;
  const prove = async (secret: string) => proveUser(deps, { user: await ann.user(), secret });
  await assert.rejects(prove(PASSWORD), /authenticator app on the dashboard's profile page/);
  await removePasskey(deps, { user: await ann.user(), id: phone.id, actor });
  assert.deepEqual((await ann.user()).recoveryHashes, []);
  assert.equal((await ann.notices()).at(-1), `The second factor of ${EMAIL} was removed`);
  assert.equal(await ann.password(), "open");
  await prove(PASSWORD);
});

Deno.test("a reset removes passkeys too, and the log says what was there before", async () => {
  await using ann = await startWithAnn();
  const { deps } = ann;
  await ann.add(ann.device());
  const { id } = await ann.user();
  await resetUser(deps, { id, password: PASSWORD, actor });
  const { passkeys, recoveryHashes } = await ann.user();
  assert.deepEqual([passkeys, recoveryHashes], [null, []]);
  assert.equal((await ann.notices()).at(-1), `The second factor of ${EMAIL} was removed`);
  assert.equal(await ann.password(), "open");
  const rows = await auditPage(deps.db, { actor, subject: "user:1", cursor: null, limit: 2 });
  const [, added] = rows;
  assert.equal(added!.action, "user.second_factor_on");
  const { before, after } = added!.detail as Record<string, { passkeys: string[] }>;
  assert.deepEqual([before!.passkeys.length, after!.passkeys.length], [0, 1]);
  assert.match(after!.passkeys[0]!, /^Phone #[0-9a-f]{12}$/);
});

const KEEP = "CREATE TABLE kept AS SELECT * FROM users";
const PUT_BACK = "UPDATE users SET (passkeys, recovery_hashes, seal) = " +
  "(SELECT passkeys, recovery_hashes, seal FROM kept)";

/** By somebody who can write to the database, and knows the password. */
const FORGERIES: Readonly<Record<string, string>> = {
  "taken out": "UPDATE users SET passkeys = NULL",
  "all taken out": "UPDATE users SET passkeys = NULL, recovery_hashes = '[]'",
  "their own put in": `UPDATE users SET passkeys = json_set(passkeys, '$[0].publicKey', 'AAAA')`,
  "the counter set back": `UPDATE users SET passkeys = json_set(passkeys, '$[0].counter', 0)`,
  "as before it was added": PUT_BACK,
};

Deno.test("whoever changes passkeys in the database signs in neither with nor without them", async () => {
  for (const [what, forgery] of Object.entries(FORGERIES)) {
    await using ann = await startWithAnn();
    const sql = (text: string) => ann.deps.db.execute([{ sql: text }]);
    await sql(KEEP);
    await ann.add(ann.device(3));
    await sql(forgery);
    assert.equal(await ann.password(), "wrong", what);
  }
});

Deno.test("a removed passkey that is put back into the database opens nothing", async () => {
  await using ann = await startWithAnn();
  const sql = (text: string) => ann.deps.db.execute([{ sql: text }]);
  const [phone, stolen] = [ann.device(), ann.device()];
  await ann.add(phone);
  await ann.add(stolen);
  await sql(KEEP);
  await removePasskey(ann.deps, { user: await ann.user(), id: stolen.id, actor });
  await sql(PUT_BACK);
  assert.equal(await ann.password(), "wrong");
  await assert.rejects(ann.live());
});

Deno.test("there are ten passkeys at most, and none twice", async () => {
  await using ann = await startWithAnn();
  const phone = ann.device();
  await ann.add(phone);
  await assert.rejects(ann.add(phone), /already been added/);
  for (let i = 1; i < 10; i++) await ann.add(ann.device());
  await assert.rejects(ann.add(ann.device()), /already 10 passkeys/);
  assert.equal(passkeysOf(await ann.user()).length, 10);
});

Deno.test("what no browser sends is no passkey, however long or deep it is", async () => {
  await using ann = await startWithAnn();
  const phone = ann.device();
  const chain = new Map([["x5c", [new Uint8Array(10)]], ["alg", -7]] as [string, unknown][]);
  const said = [
    { format: "packed", statement: chain },
    { format: "android-safetynet", statement: new Map() },
    { format: "none", statement: chain },
    ...[0x81, 0xa1, 0xff, 0].map((byte) => ({ attestation: new Uint8Array(5_000).fill(byte) })),
  ];
  for (const one of said) await assert.rejects(ann.add(phone, one), /couldn't be checked/);
  const id = { id: "AAAA", rawId: "AAAA", type: "public-key" };
  const junk = [
    ...["", "[]", "{", "null", "7", "{}", "\0", "x".repeat(100_000)],
    JSON.stringify({ ...id, response: { clientDataJSON: "?", attestationObject: "AAAA" } }),
    JSON.stringify({ ...id, response: { clientDataJSON: "A".repeat(9_000), signature: "AAAA" } }),
    JSON.stringify({ ...id, id: "A".repeat(2_000), response: {} }),
  ];
  for (const text of junk) {
    assert.deepEqual([readCreated(text), readProven(text)], [undefined, undefined]);
  }
});
