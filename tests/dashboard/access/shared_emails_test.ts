import assert from "node:assert/strict";
import { createAccount } from "../../../src/accounts/manage_accounts.ts";
import { useLink, userLink } from "../../../src/access/manage_links.ts";
import { findSession } from "../../../src/access/manage_sessions.ts";
import { createUser, findUser } from "../../../src/access/manage_users.ts";
import { signIn } from "../../../src/access/sign_in.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { Users } from "../../../src/access/tables/users.ts";
import { makeUser, PASSWORD } from "../../support/dashboard/dashboard.ts";
import { openStillGateway } from "../gateway.ts";

const OPS = "ops@example.com";
const THEIRS = "ann@example.com";
const NEW = "new@example.com";
const OWN_PASSWORD = "chosen by the merchant";
const HERE = { ip: "192.0.2.1", userAgent: "a browser" };
const HOME = { ip: "198.51.100.7", userAgent: "another" };

/** A merchant has made a login for each of these, of which two have one elsewhere. */
async function startShared() {
  const gateway = await openStillGateway();
  const { deps } = gateway;
  const actor = "test";
  await makeUser(deps, { email: OPS, role: "operator", accountId: null, actor });
  const first = await createAccount(deps, { name: "First", actor });
  await makeUser(deps, { email: THEIRS, role: "merchant", accountId: first.id, actor });
  const { id: accountId } = await createAccount(deps, { name: "Second", actor });
  const asker = await makeUser(deps, {
    ...{ email: "asker@example.com", role: "merchant", accountId, actor },
  });
  const order = { role: "viewer", accountId, actor: `user:${asker.id}` } as const;
  const made = new Map<string, number>();
  for (const email of [OPS, THEIRS, NEW]) {
    const user = await createUser(deps, { ...order, email }, null);
    const token = await userLink(deps, { user, actor: order.actor });
    await useLink(deps, { token, email: "", password: OWN_PASSWORD, origin: HERE });
    made.set(email, user.id);
  }
  return { gateway, deps, accountId, order, made };
}

async function accountSignedIn(deps: Deps, email: string, password: string, origin = HERE) {
  const signed = await signIn(deps, { email, password, origin });
  if (!("token" in signed)) return signed.outcome;
  return (await findSession(deps, signed.token))?.user.id;
}

Deno.test("an email has a login in each account: the password says which, and each stays its own", async () => {
  const { gateway, deps, made } = await startShared();
  await using _ = gateway;
  for (const email of [OPS, THEIRS, NEW]) {
    assert.equal(await accountSignedIn(deps, email, OWN_PASSWORD), made.get(email));
    assert.equal(await accountSignedIn(deps, email, "not the password"), "wrong");
  }
  for (const email of [OPS, THEIRS]) {
    const [first] = (await deps.db.list(Users, { email })).toSorted((a, b) => a.id - b.id);
    assert.equal(await accountSignedIn(deps, email, PASSWORD, HOME), first?.id);
    const salts = (await deps.db.list(Users, { email })).map(({ passwordHash }) =>
      passwordHash!.split("$")[4]
    );
    assert.equal(new Set(salts).size, 1, "one guess is compared with both in the time of one");
  }
});

Deno.test("who has a login with somebody's email guesses at theirs as a stranger, and can't tell", async () => {
  const { gateway, deps } = await startShared();
  await using _ = gateway;
  const outcomesOf = async (email: string) => {
    assert.notEqual(await accountSignedIn(deps, email, OWN_PASSWORD), "wrong");
    const outcomes: unknown[] = [];
    for (let i = 0; i < 12; i++) outcomes.push(await accountSignedIn(deps, email, `guess ${i}`));
    return outcomes;
  };
  const unknown = await outcomesOf(NEW);
  assert.deepEqual(unknown.slice(-2), ["throttled", "throttled"]);
  assert.deepEqual(await outcomesOf(THEIRS), unknown);
  // Five guesses are all that a stranger has, however well known the address is to the other login.
  gateway.moveMs(60_000);
  assert.equal(await accountSignedIn(deps, THEIRS, PASSWORD), "wrong");
  assert.notEqual(await accountSignedIn(deps, THEIRS, PASSWORD, HOME), "wrong");
});

Deno.test("one account has an email once, operators know all logins, and an id names one", async () => {
  const { gateway, deps, order, accountId, made } = await startShared();
  await using _ = gateway;
  const taken = { code: "user_taken" };
  await assert.rejects(createUser(deps, { ...order, email: THEIRS }, null), taken);
  const byOperator = { role: "operator", accountId: null, actor: "cli", email: NEW } as const;
  await assert.rejects(createUser(deps, byOperator, null), taken);
  await assert.rejects(createUser(deps, { ...byOperator, email: OPS }, null), taken);
  await assert.rejects(findUser(deps, OPS), { code: "user_ambiguous" });
  assert.equal((await findUser(deps, String(made.get(OPS)))).accountId, accountId);
  assert.equal((await findUser(deps, NEW)).id, made.get(NEW));
  const both = await Promise.allSettled(
    [1, 2].map(() => createUser(deps, { ...order, email: "twice@example.com" }, null)),
  );
  assert.deepEqual(both.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
});
