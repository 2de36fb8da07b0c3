import assert from "node:assert/strict";
import { findSession } from "../../../src/access/manage_sessions.ts";
import { findLink, userLink } from "../../../src/access/manage_links.ts";
import { createUser } from "../../../src/access/manage_users.ts";
import { signIn } from "../../../src/access/sign_in.ts";
import { makeMerchant, startGateway } from "../../support/gateway.ts";

const PASSWORD = "correct horse battery";
const STOLEN = "another password entirely";
const ORIGIN = { ip: "192.0.2.1", userAgent: "test" };

async function makeLogin() {
  const gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps } = gateway;
  const { accountId } = await makeMerchant(gateway);
  const email = "a@example.com";
  const order = { email, role: "merchant", accountId, actor: "test" } as const;
  const user = await createUser(deps, order, PASSWORD);
  const enter = (password = PASSWORD) => signIn(deps, { email, password, origin: ORIGIN });
  const sql = (text: string, args: string[] = []) => deps.db.execute([{ sql: text, args }]);
  return { gateway, deps, user, enter, sql };
}

const FORGERIES: Readonly<Record<string, string>> = {
  "the role": "UPDATE users SET role = 'operator', account_id = NULL",
  "the generation": "UPDATE users SET generation = generation",
  "a user who was disabled": "UPDATE users SET disabled_at_ms = NULL, created_at_ms = 1",
  "the second factor": "UPDATE users SET totp_sealed = NULL, totp_step = 7",
};

for (const [what, text] of Object.entries(FORGERIES)) {
  Deno.test(`a user whose row somebody rewrote can't sign in, and their session is over: ${what}`, async () => {
    const { gateway, deps, enter, sql } = await makeLogin();
    await using _ = gateway;
    const open = await enter();
    assert.equal(open.outcome, "open");
    const { token } = open as { token: string };
    assert.ok(await findSession(deps, token));
    await sql(text);
    const isChanged = what !== "the generation";
    assert.equal((await enter()).outcome, isChanged ? "wrong" : "open");
    assert.equal(await findSession(deps, token) === undefined, isChanged);
    const alerts = await deps.db.query("SELECT subject FROM alerts WHERE kind = 'tampered'");
    assert.equal(alerts.length, isChanged ? 1 : 0);
  });
}

Deno.test("a forged password hash opens nothing", async () => {
  const { gateway, deps, enter, sql } = await makeLogin();
  await using _ = gateway;
  await sql("UPDATE users SET password_hash = ?", [await deps.passwords.hash(STOLEN)]);
  assert.equal((await enter(STOLEN)).outcome, "wrong");
  assert.equal((await enter()).outcome, "wrong");
});

Deno.test("a forged or prolonged session, and a link for somebody else, open nothing", async () => {
  const { gateway, deps, enter, sql, user } = await makeLogin();
  await using _ = gateway;
  const { token } = await enter() as { token: string };
  await sql("UPDATE sessions SET ends_at_ms = ends_at_ms + 1");
  assert.equal(await findSession(deps, token), undefined);
  const link = await userLink(deps, { user, actor: "test" });
  assert.ok(await findLink(deps, link));
  await sql("UPDATE set_up_links SET slot = 'first'");
  assert.equal(await findLink(deps, link), undefined);
});

Deno.test("whoever deletes the counts of guesses from the database can't guess more often", async () => {
  const { gateway, enter, sql } = await makeLogin();
  await using _ = gateway;
  const outcomes: string[] = [];
  for (let i = 0; i < 7; i++) {
    outcomes.push((await enter(STOLEN)).outcome);
    await sql("DELETE FROM throttles");
  }
  assert.deepEqual(outcomes, [...Array(5).fill("wrong"), "throttled", "throttled"]);
});
