import assert from "node:assert/strict";
import { setUserDisabled } from "../../../src/access/change_user.ts";
import { createApiKey } from "../../../src/access/manage_api_keys.ts";
import {
  type Ability,
  isAble,
  isGatewayRole,
  type Role,
  ROLES,
} from "../../../src/access/rules/roles.ts";
import { ApiKeys } from "../../../src/access/tables/keys.ts";
import { Users } from "../../../src/access/tables/users.ts";
import { createAccount } from "../../../src/accounts/manage_accounts.ts";
import { csrfOf } from "../../../src/dashboard/cookies.ts";
import { mayFollow, ROUTES } from "../../../src/dashboard/pages.ts";
import { mayUse } from "../../../src/dashboard/routes.ts";
import { ENDPOINTS } from "../../../src/http/endpoints.ts";
import { livedIn, sweptOn } from "../lived_in.ts";
import { dashboardFetch, type Login, makeLogin } from "../../support/dashboard/dashboard.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { startPayingWorld } from "../../support/payouts.ts";
import { writesNothing } from "../../support/stage.ts";

const nameOf = ({ kind, path }: { kind: string; path: string }) =>
  `${kind === "act" ? "POST" : "GET"} ${path}`;

/** Of the lived-in world. Users' ids don't matter to who may use a form. */
const IDS: Readonly<Record<string, string>> = {
  ...{ id: "1", code: "ETH", network: "ETH", symbol: "ETH", event: "1" },
};
const filled = (path: string) =>
  path.replace(/^\/(deposits|addresses)\/:id/, "/$1/2")
    .replace(/:(\w+)(\{[^}]*\})?/g, (_, name) => IDS[name]!).replace("[0-9]+}", "")
    .replace("{", "");

const follows = (role: Role, method: "GET" | "POST", path: string) =>
  mayFollow({ role, mustSetUp: false }, method, path);

Deno.test("a link or form is shown to those who may use the route that it leads to", () => {
  for (const route of ROUTES) {
    const method = route.kind === "act" ? "POST" : "GET";
    const expected = ROLES.filter((role) => mayUse(role, route));
    assert.ok(expected.includes("operator"), nameOf(route));
    const followed = ROLES.filter((role) => follows(role, method, filled(route.path)));
    assert.deepEqual(followed, expected, filled(route.path));
  }
});

Deno.test("whoever only looks can change nothing but their own login", () => {
  const formsOf = (role: Role) =>
    ROUTES.filter((route) => route.kind === "act" && route.ability !== "own_login")
      .filter((route) => mayUse(role, route)).map(({ path }) => path);
  assert.deepEqual(formsOf("viewer"), ["/addresses/:id{[0-9]+}/look"]);
  assert.deepEqual(formsOf("auditor"), ["/addresses/:id{[0-9]+}/look", "/audit/verify"]);
});

/** By how the paths begin. */
const OF_GATEWAY = "accounts alerts audit networks rates recipients reconcile resume settings stop";
const FINANCE =
  "addresses batches counter customers deposits inbox invoices payees payment-links withdrawals";
const DEVELOPER = "addresses keys webhooks";
const FORMS_IN = {
  merchant: `${FINANCE} ${DEVELOPER} checkout currencies rules users wallets`,
  finance: FINANCE,
  developer: DEVELOPER,
};
const BY_OPERATORS =
  /^\/deposits\/.*(reverse|vouch|credit)$|^\/withdrawals\/.*settle$|^\/wallets\/:id.*resume$/;
const BY_APPROVERS =
  /^\/(inbox|withdrawals)\/.*\/(approve|reject)$|\/notes$|\/look$|\/verify$|^\/stop$/;

Deno.test("each role sends the forms of its own work, and no account's people the gateway's", () => {
  const isIn = (sections: string, path: string) =>
    sections.split(" ").includes(path.split("/")[1]!);
  const forms = ROUTES.filter(({ kind, ability }) => kind === "act" && ability !== "own_login");
  const sentBy = (role: Role) =>
    forms.filter((route) => mayUse(role, route)).map(({ path }) => path);
  for (const role of ["merchant", "finance", "developer"] as const) {
    const expected = forms.map(({ path }) => path)
      .filter((path) => isIn(FORMS_IN[role], path) && !BY_OPERATORS.test(path));
    assert.deepEqual(sentBy(role), expected, role);
  }
  const decided = forms.map(({ path }) => path).filter((path) => BY_APPROVERS.test(path));
  assert.deepEqual(sentBy("approver"), decided);
  const gateways = ROUTES.filter(({ path }) => isIn(OF_GATEWAY, path));
  const reached = gateways.filter((route) => mayUse("merchant", route));
  assert.deepEqual(reached.map(nameOf), []);
});

Deno.test("what can pay takes a key that only operators and merchants make", () => {
  const makersOf = (ability: Ability) => ROLES.filter((role) => isAble(role, ability));
  assert.deepEqual(makersOf("manage_withdraw_keys"), ["operator", "merchant"]);
  assert.deepEqual(makersOf("manage_keys"), ["operator", "merchant", "developer"]);
  const paying = ENDPOINTS.filter(({ permission }) => permission === "withdraw");
  assert.deepEqual(paying.map(({ method, path }) => `${method} ${path}`).toSorted(), [
    "POST /v1/invoices/{invoice_id}/refund-links",
    "POST /v1/invoices/{invoice_id}/refunds",
    "POST /v1/withdrawals",
    "POST /v1/withdrawals/check",
  ]);
});

Deno.test("a path that leads nowhere and a role that isn't listed are refused", () => {
  assert.deepEqual(ROLES.filter((role) => follows(role, "GET", "/new")), []);
  for (const role of ["owner", "constructor", "toString", ""]) {
    assert.equal(ROUTES.some((route) => mayUse(role as Role, route)), false, role);
  }
});

async function startRoles() {
  const anvil = await startAnvil();
  const world = await startPayingWorld({ anvil });
  await livedIn(world);
  await sweptOn(world);
  const { deps, merchant: { accountId } } = world;
  const logins = new Map<Role, Login>();
  for (const role of ROLES) {
    const whose = isGatewayRole(role) ? null : accountId;
    logins.set(role, await makeLogin(deps, { role, accountId: whose }));
  }
  return {
    ...{ world, deps, accountId, url: world.url },
    loginOf: (role: Role) => logins.get(role)!,
    [Symbol.asyncDispose]: async () => {
      await world[Symbol.asyncDispose]();
      await anvil[Symbol.asyncDispose]();
    },
  };
}

Deno.test("each role gets the pages it may see, with no link or form that it can't use, and no others", async () => {
  await using gateway = await startRoles();
  const { url, deps } = gateway;
  for (const role of ROLES) {
    const { token } = gateway.loginOf(role);
    for (const route of ROUTES) {
      const path = filled(route.path);
      const isListed = mayUse(role, route);
      if (route.kind === "act") {
        if (isListed) continue;
        const post = async () => {
          const sent = { path, token, form: { csrf: csrfOf(token) } };
          const answer = await dashboardFetch(url, sent);
          await answer.body?.cancel();
          assert.equal(answer.status, 404, `${role} ${nameOf(route)}`);
        };
        assert.ok(await writesNothing(deps, post), `${role} ${nameOf(route)}`);
        continue;
      }
      // A file is of one account, which those who see all have to choose.
      const asked = path.endsWith("/ledger.csv") ? `${path}?account=1` : path;
      const answer = await dashboardFetch(url, { path: asked, token });
      const text = await answer.text();
      // A step that is done leads to the next one.
      const isLedOn = answer.status === 303 && path.startsWith("/begin");
      if (!isLedOn || !isListed) {
        assert.equal(answer.status, isListed ? 200 : 404, `${role} ${path}`);
      }
      if (route.kind === "page" && isListed) assertLinks(text, { role, path });
    }
  }
});

const LINK = /<(a|form|button)\b[^>]*?\b(href|action|formaction)="\/dashboard([^"]*)"[^>]*>/g;

function assertLinks(text: string, { role, path }: { role: Role; path: string }): void {
  for (const [tag, kind, , to] of text.matchAll(LINK)) {
    const isPost = kind === "button" || tag.includes('method="post"');
    const target = (to!.split(/[?#]/)[0] || "/").replaceAll("&amp;", "&");
    if (target.startsWith("/assets/")) continue;
    const isUsable = follows(role, isPost ? "POST" : "GET", target);
    assert.ok(isUsable, `${role} sees ${isPost ? "POST" : "GET"} ${target} on ${path}`);
  }
}

const poster = (url: string, { token }: Login) => async (path: string, form: object = {}) => {
  const answer = await dashboardFetch(url, { path, token, form: { csrf: csrfOf(token), ...form } });
  return { status: answer.status, text: await answer.text() };
};

Deno.test("merchants manage the users of their own account, with roles of an account only", async () => {
  await using gateway = await startRoles();
  const { world, deps, url, accountId, loginOf } = gateway;
  const post = poster(url, loginOf("merchant"));
  const users = async () => (await deps.db.rows(Users, "")).length;
  for (const role of ["operator", "approver", "auditor"]) {
    const before = await users();
    const form = { email: `${role}2@example.com`, role, account: String(accountId) };
    assert.equal((await post("/users", form)).status, 422, role);
    assert.equal(await users(), before);
  }
  const other = await world.addMerchant("Other");
  const form = { email: "new@example.com", role: "viewer", account: String(other.accountId) };
  assert.equal((await post("/users", form)).status, 200);
  const [made] = await deps.db.list(Users, { email: "new@example.com" });
  assert.deepEqual([made?.role, made?.accountId], ["viewer", accountId]);
  const theirs = await makeLogin(deps, { accountId: other.accountId, email: "them@example.com" });
  for (const { user } of [loginOf("operator"), loginOf("auditor"), theirs]) {
    for (const act of ["reset", "disable", "enable"]) {
      assert.equal((await post(`/users/${user.id}/${act}`)).status, 404, `${act} ${user.email}`);
    }
  }
  const answer = await dashboardFetch(url, { path: "/users", token: loginOf("merchant").token });
  const text = await answer.text();
  assert.ok(text.includes("new@example.com"));
  for (const email of ["them@example.com", "operator@example.com", "auditor@example.com"]) {
    assert.equal(text.includes(email), false, email);
  }
});

Deno.test("a merchant who makes a login gets the same answer for emails that have one elsewhere", async () => {
  await using gateway = await startRoles();
  const { world, deps, url, loginOf } = gateway;
  const post = poster(url, loginOf("merchant"));
  const other = await world.addMerchant("Other");
  const theirs = await makeLogin(deps, { accountId: other.accountId, email: "them@example.com" });
  const emails = ["nobody@example.com", theirs.user.email, loginOf("operator").user.email];
  const answers = await Promise.all(emails.map(async (email) => {
    const { status, text } = await post("/users", { email, role: "viewer" });
    return `${status} ${text}`.replaceAll(email, "EMAIL").replaceAll(/[\w-]{32,}/g, "TOKEN")
      .replaceAll(/(name="page_id" value=)"[^"]+"/g, "$1");
  }));
  assert.match(answers[0]!, /^200 /);
  assert.deepEqual(answers, answers.map(() => answers[0]));
  const { token } = loginOf("merchant");
  const text = await (await dashboardFetch(url, { path: "/users", token })).text();
  for (const email of emails) assert.ok(text.includes(email), email);
  const again = await post("/users", { email: emails[1], role: "viewer" });
  assert.match(again.text, /A user them@example\.com already exists/, "in the same account");
});

Deno.test("a user whom an operator disabled can be enabled by no merchant, even if a merchant did it first", async () => {
  await using gateway = await startRoles();
  const { deps, url, loginOf } = gateway;
  const asMerchant = poster(url, loginOf("merchant"));
  const asOperator = poster(url, loginOf("operator"));
  const { id } = loginOf("viewer").user;
  const isDisabled = async () => (await deps.db.find(Users, [id]))?.disabledAtMs !== null;
  await asMerchant(`/users/${id}/disable`);
  assert.equal((await asMerchant(`/users/${id}/enable`)).status, 303);
  assert.equal(await isDisabled(), false);
  await asMerchant(`/users/${id}/disable`);
  await asOperator(`/users/${id}/disable`);
  const refused = await asMerchant(`/users/${id}/enable`);
  assert.match(refused.text, /was disabled by an operator: only an operator can enable it/);
  assert.equal(await isDisabled(), true);
  await asOperator(`/users/${id}/enable`);
  assert.equal(await isDisabled(), false);
  await setUserDisabled(deps, { id, isDisabled: true, actor: "cli" });
  assert.equal((await asMerchant(`/users/${id}/enable`)).status, 422);
});

Deno.test("a developer makes and revokes keys, but none that can pay", async () => {
  await using gateway = await startRoles();
  const { deps, url } = gateway;
  const { id: accountId } = await createAccount(deps, { name: "New", actor: "test" });
  const login = { role: "developer", accountId, email: "new@example.com" } as const;
  const post = poster(url, await makeLogin(deps, login));
  const form = { account: String(accountId), label: "x", rate_limit: "60" };
  assert.equal((await post("/keys/new", { ...form, permissions: "withdraw" })).status, 404);
  const made = await post("/keys/new", { ...form, permissions: "read_balance" });
  const [keyId] = /cpg_[\w-]+/.exec(made.text) ?? assert.fail("No key was made");
  assert.equal((await post(`/keys/${keyId}/revoke`)).status, 303);
  const common = { accountId, label: "x", ipList: [], rateLimit: 1, actor: "test" };
  const { row } = await createApiKey(deps, {
    ...common,
    permissions: ["read_balance", "withdraw"],
  });
  assert.equal((await post(`/keys/${row.keyId}/revoke`)).status, 404);
  assert.equal((await deps.db.find(ApiKeys, [row.keyId]))?.revokedAtMs, null);
});

Deno.test("an approver stops all payouts but doesn't resume them", async () => {
  await using gateway = await startRoles();
  const { url, loginOf } = gateway;
  const post = poster(url, loginOf("approver"));
  assert.equal((await post("/stop")).status, 303);
  assert.equal((await post("/resume")).status, 404);
  assert.equal((await poster(url, loginOf("auditor"))("/stop")).status, 404);
});
