import assert from "node:assert/strict";
import { addPasskey } from "../../../src/access/manage_passkeys.ts";
import {
  confirmSecondFactor,
  offerSecondFactor,
} from "../../../src/access/manage_second_factor.ts";
import { findSession, type LiveSession } from "../../../src/access/manage_sessions.ts";
import { signIn } from "../../../src/access/sign_in.ts";
import { signInWithCode } from "../../../src/access/sign_in_with_code.ts";
import { askToCreate, askToProve } from "../../../src/access/passkeys/offer.ts";
import { present } from "../../../src/base/assert.ts";
import { totpAt } from "../../../src/base/secrets/totp.ts";
import { Notices } from "../../../src/alerts/table.ts";
import { Users } from "../../../src/access/tables/users.ts";
import { Authenticator, type Said } from "../../support/dashboard/authenticator.ts";
import { makeSession, makeUser, PASSWORD } from "../../support/dashboard/dashboard.ts";
import { openStillGateway } from "../gateway.ts";

export const EMAIL = "ann@example.com";
export const HERE = { ip: "192.0.2.1", userAgent: "a browser" };
const SITE = { id: "pay.example.com", origin: "https://pay.example.com" };
const MINUTE_MS = 60_000;
const STEP_MS = 30_000;
const [actor, site] = ["test", SITE];

/** Ann is signed in, on a gateway whose clock only tests move. */
export async function startWithAnn() {
  const gateway = await openStillGateway();
  const { deps } = gateway;
  const made = await makeUser(deps, { email: EMAIL, role: "operator", accountId: null, actor });
  const token = await makeSession(deps, made);
  const find = async (token: string) => present(await findSession(deps, token), "a session");
  const live = () => find(token);

  async function add(authenticator: Authenticator, said: Said = {}, name = "Phone") {
    gateway.moveMs(1_000);
    const { session, user } = await live();
    const answer = authenticator.create(await askToCreate(deps, { session, user, site }), said);
    return await addPasskey(deps, { user, session, site, name, answer, actor });
  }

  async function addApp() {
    const user = await deps.db.get(Users, [made.id]);
    const { sealed, secret } = await offerSecondFactor(deps, user);
    const code = totpAt(secret, Math.floor(deps.clock.nowMs() / STEP_MS));
    return await confirmSecondFactor(deps, { user, sealed, code, actor });
  }

  /** The password was right, and the second factor is missing. */
  async function half() {
    gateway.moveMs(3 * MINUTE_MS);
    const signed = await signIn(deps, { email: EMAIL, password: PASSWORD, origin: HERE });
    assert.equal(signed.outcome, "code");
    return await find("token" in signed ? signed.token : "");
  }

  async function give(to: LiveSession, answer: string) {
    const given = answer.startsWith("{") ? { answer, session: to.session, site } : answer;
    return (await signInWithCode(deps, { ...to, given, origin: HERE })).outcome;
  }

  return {
    ...{ deps, add, addApp, live, half, give, site },
    moveMs: gateway.moveMs,
    user: () => deps.db.get(Users, [made.id]),
    device: (counter = 0) => new Authenticator(SITE.origin, { counter }),
    asked: async (to: LiveSession) => present(await askToProve(deps, { ...to, site }), "a passkey"),
    password: async () =>
      (await signIn(deps, { email: EMAIL, password: PASSWORD, origin: HERE })).outcome,
    notices: async () => (await deps.db.rows(Notices, "ORDER BY id")).map(({ title }) => title),
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  };
}
