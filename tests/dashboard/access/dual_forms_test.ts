import assert from "node:assert/strict";
import {
  confirmSecondFactor,
  offerSecondFactor,
} from "../../../src/actions/access/manage_second_factor.ts";
import { setUserDisabled } from "../../../src/actions/access/change_user.ts";
import { setAccount } from "../../../src/actions/accounts/set_account.ts";
import { GUARDED } from "../../../src/actions/control/guarded.ts";
import { addSource } from "../../../src/actions/rates/manage.ts";
import { totpAt } from "../../../src/base/secrets/totp.ts";
import { csrfOf } from "../../../src/dashboard/cookies.ts";
import { Proposals } from "../../../src/store/tables/control/proposals.ts";
import { apiClient } from "../../support/api_client.ts";
import { dashboardFetch, makeLogin } from "../../support/dashboard/dashboard.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { STRANGER } from "../../support/payers.ts";
import { addOwnRule, startPayingWorld } from "../../support/payouts.ts";
import { makePerson } from "../../support/people/proposals.ts";

const STEP_MS = 30_000;
/** Its proposal is made by the same action as the app's; a browser's test removes passkeys. */
const ELSEWHERE = ["POST /profile/passkeys/remove"];

Deno.test("under dual control, every form of the table only makes a proposal", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, url, merchant: { accountId } } = world;
  const login = await makeLogin(deps);
  const { token, user } = login;
  const { sealed, secret } = await offerSecondFactor(deps, user);
  const code = totpAt(secret, Math.floor(deps.clock.nowMs() / STEP_MS));
  await confirmSecondFactor(deps, { user, sealed, code, actor: "test" });
  const person = (name: string) => makePerson(deps, { role: "approver", name, accountId: null });
  const [ann, eve] = [await person("ann"), await person("eve")];
  await person("bob");
  const { token: second } = await makeLogin(deps, { role: "approver" });
  const [annId, eveId] = [ann.user!.id, eve.user!.id];
  await setUserDisabled(deps, { id: eveId, isDisabled: true, actor: "test" });
  const rule = await addOwnRule(deps, { accountId });
  const priced = { base: "ETH", quote: "USD", kind: "manual", value: "3000" } as const;
  const source = await addSource(deps, { ...priced, actor: "test" });
  const required = { requiresSecondFactor: true, dualControl: true };
  await setAccount(deps, { id: accountId, change: required, actor: "test" });
  const on = { dual_control: "on", csrf: csrfOf(token) };
  assert.equal((await dashboardFetch(url, { path: "/settings", token, form: on })).status, 303);
  const account = String(accountId);
  const forms: Readonly<Record<string, readonly [path: string, form: Record<string, string>]>> = {
    "POST /wallets/receiving/set": ["/wallets/receiving/set", {
      ...{ account, network: "ETH", address: STRANGER, last: STRANGER.slice(-6) },
    }],
    "POST /accounts/:id{[0-9]+}/settings": [`/accounts/${account}/settings`, {}],
    "POST /keys/new": ["/keys/new", {
      ...{ account, label: "x", preset: "payouts", rate_limit: "5" },
    }],
    "POST /users": ["/users", { email: "new@example.com", role: "operator" }],
    "POST /users/:id{[0-9]+}/reset": [`/users/${annId}/reset`, {}],
    "POST /users/:id{[0-9]+}/enable": [`/users/${eveId}/enable`, {}],
    "POST /users/:id{[0-9]+}/role": [`/users/${annId}/role`, { [`role_${annId}`]: "operator" }],
    "POST /payees/new": ["/payees/new", {
      ...{ account, network: "ETH", address: STRANGER, label: "x" },
    }],
    "POST /rules/:id{[0-9]+}": [`/rules/${rule}`, {
      ...{ label: "x", cap: "5", outcome: "approve", approvals: "1", expires: "24h" },
    }],
    "POST /rules/:id{[0-9]+}/switch": [`/rules/${rule}/switch`, { active: "off" }],
    "POST /rules/:id{[0-9]+}/remove": [`/rules/${rule}/remove`, {}],
    "POST /rates/new": ["/rates/new", { base: "ETH", quote: "USD", kind: "manual", value: "1" }],
    "POST /rates/:id/remove": [`/rates/${source.id}/remove`, {}],
    "POST /settings": ["/settings", {}],
    "POST /profile/second-factor/off": ["/profile/second-factor/off", {}],
  };
  const ways = Object.values(GUARDED).flatMap(({ proposes = {} }) => Object.entries(proposes))
    .filter(([way]) => way.startsWith("POST ") && !ELSEWHERE.includes(way));
  assert.deepEqual(Object.keys(forms).toSorted(), ways.map(([way]) => way).toSorted());
  let start = "";
  for (const [way, kind] of ways) {
    const [path, form] = forms[way]!;
    const answer = await dashboardFetch(url, {
      path,
      token,
      form: { ...form, csrf: csrfOf(token) },
    });
    const text = await answer.text();
    assert.ok([200, 303].includes(answer.status), `${way}: ${text}`);
    if (path === "/keys/new") start = secretIn(text);
    const [newest] = await deps.db.rows(Proposals, "ORDER BY id DESC LIMIT 1");
    assert.equal(newest?.kind, kind, way);
    assert.equal(newest?.askedBy, `user:${user.id}`);
  }
  const rows = await deps.db.rows(Proposals, "ORDER BY id");
  assert.equal(rows.length, ways.length, "one each");
  assert.ok(rows.every(({ state }) => state === "waiting"));
  const { id } = rows.find(({ kind }) => kind === "key.create") ?? assert.fail();
  const approval = { path: `/inbox/proposals/${id}/approve`, form: { csrf: csrfOf(second) } };
  const end = secretIn(await (await dashboardFetch(url, { ...approval, token: second })).text());
  const { keyId } = await deps.db.get(Proposals, [id]);
  const ping = (half: string) => apiClient(url, { keyId, secret: half }).get("/v1/_ping");
  assert.deepEqual(
    await Promise.all([start, end, start + end].map(async (one) => (await ping(one)).status)),
    [401, 401, 200],
    "neither knows the secret alone",
  );
});

function secretIn(text: string): string {
  return /id="secret">([\w-]{21,22})</.exec(text)?.[1] ?? assert.fail(text);
}
