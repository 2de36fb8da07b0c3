import assert from "node:assert/strict";
import { changePassword } from "../../../src/access/change_password.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { createAccount } from "../../../src/accounts/manage_accounts.ts";
import {
  findLink,
  firstOperatorLink,
  useLink,
  userLink,
} from "../../../src/access/manage_links.ts";
import {
  confirmSecondFactor,
  offerSecondFactor,
} from "../../../src/access/manage_second_factor.ts";
import {
  endSession,
  findSession,
  isProven,
  proveAgain,
} from "../../../src/access/manage_sessions.ts";
import { resetUser, setUserDisabled } from "../../../src/access/change_user.ts";
import { createUser } from "../../../src/access/manage_users.ts";
import { signIn } from "../../../src/access/sign_in.ts";
import { signInWithCode } from "../../../src/access/sign_in_with_code.ts";
import { verifyAudit } from "../../../src/integrity/verify_audit.ts";
import { present } from "../../../src/base/assert.ts";
import { createMemory } from "../../../src/deps/memory.ts";
import { totpAt } from "../../../src/base/secrets/totp.ts";
import { auditPage } from "../../../src/audit/reads/page.ts";
import { makeUser, PASSWORD } from "../../support/dashboard/dashboard.ts";
import { openStillGateway } from "../gateway.ts";

const EMAIL = "ann@example.com";
const HERE = { ip: "192.0.2.1", userAgent: "a browser" };
const ELSEWHERE = { ip: "192.0.2.2", userAgent: "another" };
const MINUTE_MS = 60_000;

const makeAnn = (deps: Deps) =>
  makeUser(deps, { email: EMAIL, role: "operator", accountId: null, actor: "test" });

const attempt = (deps: Deps, given: Partial<Parameters<typeof signIn>[1]> = {}) =>
  signIn(deps, { email: EMAIL, password: PASSWORD, origin: HERE, ...given });

async function tokenOf(deps: Deps): Promise<string> {
  const signed = await attempt(deps);
  assert.ok("token" in signed, signed.outcome);
  return signed.token;
}

const actionsOf = async (deps: Deps) =>
  (await auditPage(deps.db, { actor: null, subject: null, cursor: null, limit: 50 }))
    .map(({ action, actor, ip }) => `${action} by ${actor} from ${ip}`);

Deno.test("the right password signs in, with the email in any case, and it is in the audit log", async () => {
  await using gateway = await openStillGateway();
  const { deps } = gateway;
  const order = { email: EMAIL, role: "operator", accountId: null, actor: "test" } as const;
  const user = await createUser(deps, order, PASSWORD);
  const signed = await attempt(deps, { email: " Ann@Example.COM " });
  assert.equal(signed.outcome, "open");
  const live = present(await findSession(deps, (signed as { token: string }).token), "a session");
  assert.equal(live.user.id, user.id);
  assert.deepEqual([live.session.ip, live.session.userAgent], [HERE.ip, HERE.userAgent]);
  assert.equal(isProven(live.session, deps.clock.nowMs()), true);
  assert.deepEqual(await actionsOf(deps), [
    `user.signed_in by user:1 from ${HERE.ip}`,
    "user.created by test from null",
    "seed.created by worker from null",
  ]);
  const stored = JSON.stringify(await deps.db.query("SELECT * FROM sessions"));
  assert.equal(stored.includes((signed as { token: string }).token), false);
});

Deno.test("a wrong password, an unknown email and a disabled user get the same answer", async () => {
  await using gateway = await openStillGateway();
  const { deps } = gateway;
  const { id } = await makeAnn(deps);
  assert.deepEqual(await attempt(deps, { password: "wrong horse battery" }), { outcome: "wrong" });
  assert.deepEqual(await attempt(deps, { email: "bob@example.com" }), { outcome: "wrong" });
  await setUserDisabled(deps, { id, isDisabled: true, actor: "test" });
  assert.deepEqual(await attempt(deps), { outcome: "wrong" });
  assert.equal((await actionsOf(deps)).filter((line) => line.includes("failed")).length, 3);
  assert.equal((await verifyAudit(deps)).brokenId, null);
});

Deno.test("after five wrong passwords not even the right one works from there, but it does elsewhere", async () => {
  await using gateway = await openStillGateway();
  const { deps } = gateway;
  await makeAnn(deps);
  // All at once: each must be counted before its password is checked.
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, () => attempt(deps, { password: "wrong horse battery" })),
  );
  assert.equal(outcomes.filter(({ outcome }) => outcome === "wrong").length, 5);
  assert.equal(outcomes.filter(({ outcome }) => outcome === "throttled").length, 3);
  assert.deepEqual(await attempt(deps), { outcome: "throttled", retryAfterS: 180 });
  assert.equal((await attempt(deps, { origin: ELSEWHERE })).outcome, "open");
  gateway.moveMs(3 * MINUTE_MS);
  assert.equal((await attempt(deps)).outcome, "open");
});

Deno.test("many who guess at one login are stopped, and never lock its owner out at known places", async () => {
  await using gateway = await openStillGateway();
  const { deps } = gateway;
  await makeAnn(deps);
  await tokenOf(deps);
  let looked = 0;
  for (let from = 0; from < 24; from++) {
    const origin = { ...ELSEWHERE, ip: `198.51.100.${from}` };
    const guesses = Array.from({ length: 5 }, () => attempt(deps, { password: "x", origin }));
    const outcomes = await Promise.all(guesses);
    looked += outcomes.filter(({ outcome }) => outcome === "wrong").length;
  }
  assert.equal(looked, 101, "what strangers share, and one who is new");
  assert.equal((await attempt(deps)).outcome, "open");
  const fromElsewhere = () => attempt(deps, { origin: { ...ELSEWHERE, ip: "2001:db8::1" } });
  assert.deepEqual(await fromElsewhere(), { outcome: "throttled", retryAfterS: 4 });
  gateway.moveMs(4_000);
  assert.equal((await fromElsewhere()).outcome, "open");
  const other = await attempt(deps, { email: "bob@example.com", origin: ELSEWHERE });
  assert.equal(other.outcome, "wrong");
});

Deno.test("somebody with the password who guesses codes doesn't keep the owner out at home", async () => {
  await using gateway = await openStillGateway();
  const { deps } = gateway;
  const user = await makeAnn(deps);
  await tokenOf(deps);
  const { sealed, secret } = await offerSecondFactor(deps, user);
  const codeAt = (step: number) => totpAt(secret, Math.floor(deps.clock.nowMs() / 30_000) + step);
  await confirmSecondFactor(deps, { user, sealed, code: await codeAt(0), actor: "test" });
  const give = async (code: string, origin: typeof HERE) => {
    const signed = await attempt(deps, { origin });
    const live = (await findSession(deps, (signed as { token: string }).token))!;
    return (await signInWithCode(deps, { ...live, given: code, origin })).outcome;
  };
  for (let i = 0; i < 8; i++) assert.equal(await give("000000", ELSEWHERE), "wrong");
  assert.equal(await give("000000", { ...ELSEWHERE, ip: "198.51.100.1" }), "throttled");
  assert.equal(await give(await codeAt(1), HERE), "open");
});

Deno.test("right passwords are never throttled, however often", async () => {
  await using gateway = await openStillGateway();
  await makeAnn(gateway.deps);
  for (let i = 0; i < 7; i++) assert.equal((await attempt(gateway.deps)).outcome, "open");
});

Deno.test("a session ends after an idle hour, after twelve hours, and at sign-out", async () => {
  await using gateway = await openStillGateway();
  const { deps } = gateway;
  await makeAnn(deps);
  const idle = await tokenOf(deps);
  gateway.moveMs(60 * MINUTE_MS - 1);
  assert.ok(await findSession(deps, idle));
  gateway.moveMs(60 * MINUTE_MS - 1);
  assert.ok(await findSession(deps, idle), "it was used meanwhile");
  gateway.moveMs(60 * MINUTE_MS);
  assert.equal(await findSession(deps, idle), undefined);
  const busy = await tokenOf(deps);
  for (let i = 0; i < 24; i++) {
    assert.ok(await findSession(deps, busy), `half hour ${i}`);
    gateway.moveMs(30 * MINUTE_MS);
  }
  assert.equal(await findSession(deps, busy), undefined);
  const mine = await tokenOf(deps);
  const { session, user } = (await findSession(deps, mine))!;
  const end = (userId: number) => endSession(deps, { id: session.id, userId, actor: "test" });
  assert.equal(await end(user.id + 1), false);
  assert.ok(await findSession(deps, mine));
  assert.equal(await end(user.id), true);
  assert.equal(await findSession(deps, mine), undefined);
  assert.equal(await findSession(deps, "nonsense"), undefined);
});

Deno.test("a reset or a disabled user ends every session, and a new password all but one's own", async () => {
  await using gateway = await openStillGateway();
  const { deps } = gateway;
  const { id } = await makeAnn(deps);
  const [own, other] = [await tokenOf(deps), await tokenOf(deps)];
  const live = (await findSession(deps, own))!;
  const next = "another horse battery";
  const change = (current: string) =>
    changePassword(deps, { ...live, current, next, origin: HERE });
  await assert.rejects(change("wrong horse battery"), /is wrong/);
  await change(PASSWORD);
  assert.ok(await findSession(deps, own));
  assert.equal(await findSession(deps, other), undefined);
  assert.equal((await attempt(deps)).outcome, "wrong");
  assert.equal((await attempt(deps, { password: next })).outcome, "open");
  await resetUser(deps, { id, password: PASSWORD, actor: "test" });
  assert.equal(await findSession(deps, own), undefined);
  const again = await tokenOf(deps);
  await setUserDisabled(deps, { id, isDisabled: true, actor: "test" });
  assert.equal(await findSession(deps, again), undefined);
  await setUserDisabled(deps, { id, isDisabled: false, actor: "test" });
  assert.equal(await findSession(deps, again), undefined, "enabled again is not signed in again");
});

Deno.test("with a second factor the password alone opens nothing, and no code works twice", async () => {
  await using gateway = await openStillGateway();
  const { deps } = gateway;
  const user = await makeAnn(deps);
  const step = () => Math.floor(deps.clock.nowMs() / 30_000);
  const { sealed, secret, uri } = await offerSecondFactor(deps, user);
  assert.ok(uri.includes(secret));
  const confirm = (code: string) =>
    confirmSecondFactor(deps, { user, sealed, code, actor: "test" });
  await assert.rejects(confirm("000000"), /is wrong/);
  const recovery = await confirm(totpAt(secret, step()));
  assert.equal(new Set(recovery).size, 10);
  const stored = JSON.stringify(await deps.db.query("SELECT * FROM users"));
  for (const text of [secret, ...recovery]) assert.equal(stored.includes(text), false);

  const pending = async () => {
    const signed = await attempt(deps);
    assert.equal(signed.outcome, "code");
    return (await findSession(deps, (signed as { token: string }).token))!;
  };
  const first = await pending();
  assert.equal(first.session.stage, "code");
  const give = async (code: string, live = first) =>
    (await signInWithCode(deps, { ...live, given: code, origin: HERE })).outcome;
  assert.equal(await give(totpAt(secret, step())), "wrong", "it was used to switch it on");
  gateway.moveMs(30_000);
  const code = totpAt(secret, step());
  const kept = await deps.db.query("SELECT totp_step, seal FROM users WHERE id = ?", [user.id]);
  assert.equal(await give(code), "open");
  assert.equal(await give(code, await pending()), "wrong");
  const { totp_step, seal } = kept[0]!;
  const [sql, args] = ["UPDATE users SET totp_step = ?, seal = ?", [totp_step!, seal!]];
  await deps.db.execute([{ sql, args }]);
  const elsewhere = { ...deps, memory: createMemory(deps.db) };
  const asBefore = await pending();
  const answer = await signInWithCode(elsewhere, { ...asBefore, given: code, origin: HERE });
  assert.equal(answer.outcome, "wrong", "on another instance, with its owner's old row put back");
  assert.equal(await give(recovery[0]!.toUpperCase().replace("-", " "), await pending()), "open");
  assert.equal(await give(recovery[0]!, await pending()), "wrong");
  const late = await pending();
  for (let i = 0; i < 8; i++) await give("999999", late);
  assert.equal(await give(recovery[1]!, late), "throttled");
  gateway.moveMs(5 * MINUTE_MS);
  const { token } = await attempt(deps) as { token: string };
  gateway.moveMs(5 * MINUTE_MS);
  assert.equal(await findSession(deps, token), undefined, "the code has to come in time");
});

Deno.test("a proof is valid for ten minutes, and can be repeated", async () => {
  await using gateway = await openStillGateway();
  const { deps } = gateway;
  await makeAnn(deps);
  const token = await tokenOf(deps);
  const isNowProven = async () =>
    isProven((await findSession(deps, token))!.session, deps.clock.nowMs());
  gateway.moveMs(10 * MINUTE_MS - 1);
  assert.equal(await isNowProven(), true);
  gateway.moveMs(1);
  assert.equal(await isNowProven(), false);
  const live = (await findSession(deps, token))!;
  const prove = (secret: string) => proveAgain(deps, { ...live, given: secret, origin: HERE });
  assert.deepEqual(await prove("wrong horse battery"), { isRight: false });
  assert.equal(await isNowProven(), false);
  assert.deepEqual(await prove(PASSWORD), { isRight: true });
  assert.equal(await isNowProven(), true);
  for (let i = 0; i < 7; i++) await prove("wrong horse battery");
  assert.deepEqual(await prove(PASSWORD), { isRight: false, retryAfterS: 120 });
});

Deno.test("the first operator's link works once, and not if somebody can sign in already", async () => {
  await using gateway = await openStillGateway();
  const { deps } = gateway;
  const older = (await firstOperatorLink(deps))!;
  const link = (await firstOperatorLink(deps))!;
  const take = (token: string, password = PASSWORD) =>
    useLink(deps, { token, email: EMAIL, password, origin: HERE });
  await assert.rejects(take(older), /been used or has expired/);
  await assert.rejects(take(link, "too short"), /at least 12 characters/);
  assert.deepEqual(await findLink(deps, link), { user: null });
  const outcomes = await Promise.allSettled([take(link), take(link)]);
  assert.deepEqual(outcomes.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
  const done = outcomes.find((outcome) => outcome.status === "fulfilled")!;
  assert.equal((await findSession(deps, done.value))?.user.role, "operator");
  assert.equal(await firstOperatorLink(deps), undefined);
  await assert.rejects(take(link), /been used or has expired/);
});

Deno.test("an operator created on the command line makes the first operator's link useless", async () => {
  await using gateway = await openStillGateway();
  const { deps } = gateway;
  const link = (await firstOperatorLink(deps))!;
  await makeAnn(deps);
  assert.equal(await findLink(deps, link), undefined);
});

Deno.test("a merchant's login leaves the first operator's link as it is", async () => {
  await using gateway = await openStillGateway();
  const { deps } = gateway;
  const link = (await firstOperatorLink(deps))!;
  const { id: accountId } = await createAccount(deps, { name: "Acme", actor: "test" });
  const order = { email: EMAIL, role: "merchant", accountId, actor: "test" } as const;
  await createUser(deps, order, PASSWORD);
  assert.deepEqual(await findLink(deps, link), { user: null });
  assert.ok(await firstOperatorLink(deps));
});

Deno.test("a user's link sets the password once, within a day, and not for a disabled user", async () => {
  await using gateway = await openStillGateway();
  const { deps } = gateway;
  const { id: accountId } = await createAccount(deps, { name: "Acme", actor: "test" });
  const order = { email: EMAIL, role: "merchant", accountId, actor: "test" } as const;
  const user = await createUser(deps, order, null);
  assert.equal((await attempt(deps)).outcome, "wrong");
  const take = (token: string) =>
    useLink(deps, { token, email: "other@example.com", password: PASSWORD, origin: HERE });
  const old = await userLink(deps, { user, actor: "test" });
  gateway.moveMs(24 * 60 * MINUTE_MS);
  await assert.rejects(take(old), /been used or has expired/);
  const link = await userLink(deps, { user, actor: "test" });
  assert.equal((await findSession(deps, await take(link)))?.user.email, EMAIL);
  await assert.rejects(take(link), /been used or has expired/);
  assert.equal((await attempt(deps)).outcome, "open");
  const last = await userLink(deps, { user, actor: "test" });
  await setUserDisabled(deps, { id: user.id, isDisabled: true, actor: "test" });
  await assert.rejects(take(last), /been used or has expired/);
});
