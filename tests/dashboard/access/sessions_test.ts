import assert from "node:assert/strict";
import { changePassword } from "../../../src/access/change_password.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { createAccount } from "../../../src/accounts/manage_accounts.ts";
import { userLink } from "../../../src/access/manage_links.ts";
import { endSession, findSession } from "../../../src/access/manage_sessions.ts";
import { resetUser, setUserDisabled } from "../../../src/access/change_user.ts";
import { mayUse } from "../../../src/dashboard/routes.ts";
import { csrfOf } from "../../../src/dashboard/cookies.ts";
import { ROUTES } from "../../../src/dashboard/pages.ts";
import type { ActRoute, Route } from "../../../src/dashboard/routes.ts";
import { Sessions, type UserRow, Users } from "../../../src/access/tables/users.ts";
import { read } from "../../../src/store/engine/workspace.ts";
import {
  dashboardFetch,
  makeLogin,
  makeSession,
  makeUser,
  PASSWORD,
} from "../../support/dashboard/dashboard.ts";
import { startGateway } from "../../support/gateway.ts";
import { noteTest } from "../../support/stage.ts";

const STILL = { CPG_WORKER: "false" };
const EMAIL = "ann@example.com";
const HERE = { ip: "127.0.0.1", userAgent: "test" };
const IDS = { id: "1", code: "ETH", network: "ETH", symbol: "ETH", event: "1" };

const makeAnn = (deps: Deps): Promise<UserRow> =>
  makeUser(deps, { email: EMAIL, role: "operator", accountId: null, actor: "test" });

const filled = ({ path }: Route) =>
  path.replace(/:(\w+)(\{[^}]*\})?/g, (_, name: keyof typeof IDS) => IDS[name]);

const cookieOf = ({ headers }: Response): string =>
  /(?:__Host-)?cpg=([\w-]{43})/.exec(headers.get("set-cookie") ?? "")?.[1] ?? "";

async function leadsTo(url: string, path: string, token: string): Promise<string> {
  const answer = await dashboardFetch(url, { path, token });
  await answer.body?.cancel();
  return `${answer.status} ${answer.headers.get("location") ?? ""}`.trim();
}

Deno.test("signing in by password or link gives a new cookie, and a planted one opens nothing", async () => {
  await using gateway = await startGateway(STILL);
  const { deps, url } = gateway;
  const user = await makeAnn(deps);
  const planted = "p".repeat(43);
  const link = await userLink(deps, { user, actor: "test" });
  for (
    const [path, fields] of [
      ["/sign-in", { email: EMAIL, password: PASSWORD }],
      [`/set-up/${link}`, { password: PASSWORD, again: PASSWORD }],
    ] as const
  ) {
    const form = { ...fields, csrf: csrfOf(planted) };
    const answer = await dashboardFetch(url, { path, token: planted, form });
    await answer.body?.cancel();
    const token = cookieOf(answer);
    assert.equal(answer.status, 303);
    assert.match(token, /^[\w-]{43}$/);
    assert.notEqual(token, planted);
    assert.equal(await leadsTo(url, "/profile", token), "200");
    assert.match(await leadsTo(url, "/profile", planted), /^303 .*\/sign-in/);
  }
});

Deno.test("whose session has ended signs in and is back at the page, or at the form that was sent", async () => {
  await using gateway = await startGateway(STILL);
  const { deps, url } = gateway;
  await makeAnn(deps);
  const token = "e".repeat(43);
  const csrf = csrfOf(token);
  const asked = await dashboardFetch(url, { path: "/invoices/new?account=1", token });
  assert.equal(asked.headers.get("location"), LATER("/invoices/new?account=1"));
  const sent = await dashboardFetch(url, { path: "/profile/password", token, form: { csrf } });
  assert.equal(sent.headers.get("location"), LATER("/profile"));
  const path = asked.headers.get("location")!.slice("/dashboard".length);
  const page = await dashboardFetch(url, { path, token });
  assert.match(await page.text(), /Sign in to go on where you were\./);
  const plain = await dashboardFetch(url, { path: "/sign-in", token });
  assert.doesNotMatch(await plain.text(), /go on where/);
  const form = { email: EMAIL, password: PASSWORD, csrf, next: "/invoices/new?account=1" };
  const signed = await dashboardFetch(url, { path: "/sign-in", token, form });
  assert.equal(signed.headers.get("location"), "/dashboard/invoices/new?account=1");
});

const LATER = (path: string) => `/dashboard/sign-in?next=${encodeURIComponent(path)}`;

Deno.test("over https the session's cookie is Secure, HttpOnly, SameSite=Strict and the host's alone", async () => {
  await using gateway = await startGateway({
    ...STILL,
    CPG_DASHBOARD_URL: "https://ops.example.com",
  });
  const { deps, url } = gateway;
  await makeAnn(deps);
  const visitor = "v".repeat(43);
  const answer = await fetch(`${url}/dashboard/sign-in`, {
    method: "POST",
    redirect: "manual",
    headers: { cookie: `__Host-cpg=${visitor}`, origin: "https://ops.example.com" },
    body: new URLSearchParams({ csrf: csrfOf(visitor), email: EMAIL, password: PASSWORD }),
  });
  await answer.body?.cancel();
  assert.equal(answer.status, 303);
  const cookie = answer.headers.getSetCookie().find((it) => it.startsWith("__Host-cpg="))!;
  assert.deepEqual(cookie.split("; ").slice(1).toSorted(), [
    "HttpOnly",
    "Path=/",
    "SameSite=Strict",
    "Secure",
  ]);
  assert.ok(await findSession(deps, cookieOf(answer)));
});

Deno.test("a stolen cookie opens nothing after sign-out, a new password, a reset or a disabled login", async () => {
  await using gateway = await startGateway(STILL);
  const { deps, url } = gateway;
  const user = await makeAnn(deps);
  const actor = "test";
  const ways: Record<string, (stolen: string) => Promise<unknown>> = {
    "sign-out": (stolen) =>
      dashboardFetch(url, { path: "/sign-out", token: stolen, form: { csrf: csrfOf(stolen) } })
        .then((answer) => answer.body?.cancel()),
    "a new password": async () => {
      const live = (await findSession(deps, await makeSession(deps, user)))!;
      await changePassword(deps, { ...live, current: PASSWORD, next: PASSWORD, origin: HERE });
    },
    "an end from elsewhere": async (stolen) => {
      const { session } = (await findSession(deps, stolen))!;
      await endSession(deps, { id: session.id, userId: user.id, actor });
    },
    "a reset": () => resetUser(deps, { id: user.id, password: PASSWORD, actor }),
    "a disabled login": () => setUserDisabled(deps, { id: user.id, isDisabled: true, actor }),
  };
  for (const [way, end] of Object.entries(ways)) {
    const stolen = await makeSession(deps, (await deps.db.find(Users, [user.id]))!);
    assert.equal(await leadsTo(url, "/profile", stolen), "200", way);
    await end(stolen);
    for (const route of ROUTES) {
      const form = route.kind === "act" ? { form: { csrf: csrfOf(stolen) } } : {};
      const sent = { path: filled(route), token: stolen, ...form };
      const answer = await dashboardFetch(url, sent);
      await answer.body?.cancel();
      const to = answer.headers.get("location") ?? "";
      assert.match(`${answer.status} ${to}`, /^303 \/dashboard\/sign-in/, `${way}: ${route.path}`);
    }
  }
});

Deno.test("a role that was removed is gone with the next request of the same cookie", async () => {
  await using gateway = await startGateway(STILL);
  const { deps, url } = gateway;
  const { id: accountId } = await createAccount(deps, { name: "Acme", actor: "test" });
  const { user, token } = await makeLogin(deps);
  assert.equal(await leadsTo(url, "/users", token), "200");
  await deps.db.write({
    reads: [read(Users, [user.id])],
    decide: (view) => {
      noteTest(view);
      view.update(Users, view.find(Users, [user.id])!, { role: "merchant", accountId });
    },
  });
  for (const route of ROUTES.filter(isForOperators)) {
    const form = route.kind === "act" ? { form: { csrf: csrfOf(token) } } : {};
    const answer = await dashboardFetch(url, { path: filled(route), token, ...form });
    await answer.body?.cancel();
    assert.equal(answer.status, 404, route.path);
  }
});

function isForOperators(route: Route): boolean {
  return !mayUse("merchant", route);
}

/** An open session is enough for these forms. All others ask for the password again. */
const WITHOUT_PROOF = [
  "/deposits/:id{[0-9]+}/notes",
  "/withdrawals/:id{[0-9]+}/notes",
  "/invoices/:id{[0-9]+}/notes",
  "/customers/notes",
  "/invoices/new",
  "/invoices/:id{[0-9]+}/cancel",
  "/invoices/:id{[0-9]+}/extend",
  "/invoices/:id{[0-9]+}/accept",
  "/payment-links/new",
  "/payment-links/:id{[0-9]+}/deactivate",
  "/counter",
  "/withdrawals/:id{[0-9]+}/cancel",
  "/withdrawals/:id{[0-9]+}/bump",
  "/withdrawals/:id{[0-9]+}/resend",
  "/withdrawals/:id{[0-9]+}/revoke",
  "/currencies/switch",
  "/addresses/:id{[0-9]+}/look",
  "/sweeps/:id{[0-9]+}/retry",
  "/reconcile",
  "/audit/verify",
  "/webhooks/:id{[0-9]+}/test",
  "/webhooks/:id{[0-9]+}/sample",
  "/webhooks/:id{[0-9]+}/enable",
  "/webhooks/:id{[0-9]+}/remove",
  "/webhooks/deliveries/dead",
  "/webhooks/deliveries/between",
  "/webhooks/:id{[0-9]+}/deliveries/:event{[0-9]+}/again",
  "/accounts",
  "/networks/:code/gas-wallet",
  "/accounts/:id{[0-9]+}/suspend",
  "/stop",
  "/alerts/:id/resolve",
  "/alerts/sweeps/:id/retry",
  // It asks for the password itself.
  "/profile/password",
  "/profile/sessions/:id/end",
  "/sign-out",
  "/begin/merchant",
  "/begin/invoice",
  "/begin/end/leave-out",
  "/prove",
];

Deno.test("keys, receiving wallets, manual entries and other sensitive forms ask for proof again", async () => {
  await using gateway = await startGateway(STILL);
  const { deps, url } = gateway;
  const { user, token } = await makeLogin(deps);
  const [session] = await deps.db.list(Sessions, { userId: user.id });
  await deps.db.write({
    reads: [read(Sessions, [session!.id])],
    decide: (view) => {
      noteTest(view);
      view.update(Sessions, view.find(Sessions, [session!.id])!, { provenAtMs: 0 });
    },
  });
  const acts = ROUTES.filter((route): route is ActRoute => route.kind === "act");
  const asking = acts.filter(({ path }) => !WITHOUT_PROOF.includes(path));
  assert.equal(asking.length, acts.length - WITHOUT_PROOF.length);
  for (const route of asking) {
    const form = { csrf: csrfOf(token) };
    const answer = await dashboardFetch(url, { path: filled(route), token, form });
    await answer.body?.cancel();
    const shown = `${answer.status} ${answer.headers.get("location") ?? ""}`;
    assert.match(shown, /^303 \/dashboard\/prove/, route.path);
  }
});
