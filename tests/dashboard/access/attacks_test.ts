import assert from "node:assert/strict";
import { createAccount } from "../../../src/accounts/manage_accounts.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { mayUse } from "../../../src/dashboard/routes.ts";
import { csrfOf } from "../../../src/dashboard/cookies.ts";
import { GUEST_ROUTES, ROUTES } from "../../../src/dashboard/pages.ts";
import type { Route } from "../../../src/dashboard/routes.ts";
import { auditPage } from "../../../src/audit/reads/page.ts";
import type { AuditRow } from "../../../src/audit/table.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import {
  dashboardFetch,
  makeLogin,
  makeUser,
  PASSWORD,
} from "../../support/dashboard/dashboard.ts";
import { startGateway } from "../../support/gateway.ts";
import { startPayingWorld } from "../../support/payouts.ts";
import { livedIn, sweptOn } from "../lived_in.ts";
import { filled, lasting } from "./route_paths.ts";

const auditOf = (deps: Deps): Promise<AuditRow[]> =>
  auditPage(deps.db, { actor: null, subject: null, cursor: null, limit: 1_000 });

Deno.test("another account's ids get the same answers as missing ones on every route, and change nothing", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  await livedIn(world);
  await sweptOn(world);
  const { deps, url, merchant } = world;
  // So that session 1 belongs to the other account too.
  await makeLogin(deps, { accountId: merchant.accountId, email: "them@example.com" });
  const mine = await world.addMerchant("Mine");
  const { token } = await makeLogin(deps, { accountId: mine.accountId });
  const csrf = csrfOf(token);
  const before = await auditOf(deps);
  const theirs = { id: "1", code: "ETH", network: "ETH", symbol: "ETH", event: "1" };
  const theirKey = { ...theirs, id: merchant.credentials.keyId };
  const theirDeposit = { ...theirs, id: "2" };
  const nothing = { ...theirs, id: "987654321" };
  let tried = 0;
  // Balances are named by their asset, and are the visitor's own.
  const named = ROUTES.filter(({ path }) => path.includes(":") && !path.startsWith("/balances"));
  for (const route of named) {
    const ids = route.path.startsWith("/keys")
      ? theirKey
      : /^\/(deposits|addresses)/.test(route.path)
      ? theirDeposit
      : theirs;
    const form = route.kind === "act" ? { form: { csrf, amount: "1", note: "x" } } : {};
    const ask = async (id: Record<string, string>) => {
      const answer = await dashboardFetch(url, { path: filled(route, id), token, ...form });
      const text = lasting(await answer.text());
      return { status: answer.status, location: answer.headers.get("location"), text };
    };
    const [got, expected] = [await ask(ids), await ask(nothing)];
    assert.deepEqual(got, expected, route.path);
    // They name a currency, and show the merchant's own balance.
    const isOwn = route.path.startsWith("/balances/");
    assert.equal(got.status, isOwn ? 200 : 404, route.path);
    tried++;
  }
  assert.ok(tried > 15, `${tried} routes`);
  assert.deepEqual(await auditOf(deps), before);
});

Deno.test("operators' pages don't exist for a merchant, whichever way they are requested", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps, url } = gateway;
  const { id: accountId } = await createAccount(deps, { name: "Acme", actor: "test" });
  const { token } = await makeLogin(deps, { accountId });
  const ids = { id: String(accountId), code: "ETH", network: "ETH", symbol: "ETH", event: "1" };
  const guarded = ROUTES.filter((route) => !mayUse("merchant", route));
  assert.ok(guarded.length > 20, `${guarded.length} routes`);
  for (const route of guarded) {
    const form = route.kind === "act" ? { form: { csrf: csrfOf(token) } } : {};
    const answer = await dashboardFetch(url, { path: filled(route, ids), token, ...form });
    assert.equal(answer.status, 404, `${route.kind} ${route.path}`);
    await answer.body?.cancel();
  }
});

Deno.test("a form without its token, with another's, or from another site is refused on every route", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps, url } = gateway;
  const { token } = await makeLogin(deps);
  const before = await auditOf(deps);
  const ids = { id: "1", code: "ETH", network: "ETH", symbol: "ETH", event: "1", token: "x" };
  const acts = [...ROUTES, ...GUEST_ROUTES as readonly Route[]].filter((it) => it.kind === "act");
  assert.ok(acts.length > 30, `${acts.length} routes`);
  for (const route of acts) {
    const path = `${url}/dashboard${filled(route, ids)}`;
    const post = (csrf: string | undefined, headers: Record<string, string>) =>
      fetch(path, {
        method: "POST",
        redirect: "manual",
        headers: { cookie: `cpg=${token}`, ...headers },
        body: new URLSearchParams(csrf === undefined ? {} : { csrf }),
      });
    const right = csrfOf(token);
    for (
      const [csrf, headers] of [
        [undefined, { origin: url }],
        [csrfOf("another"), { origin: url }],
        [right, { origin: "https://evil.example" }],
        [right, { origin: "null" }],
        [right, { origin: url, "sec-fetch-site": "cross-site" }],
        [right, { origin: url, "sec-fetch-site": "same-site" }],
        [right, {}],
      ] as const
    ) {
      const answer = await post(csrf, headers);
      assert.equal(answer.status, 403, `${route.path} ${csrf} ${JSON.stringify(headers)}`);
      await answer.body?.cancel();
    }
  }
  assert.deepEqual(await auditOf(deps), before);
});

Deno.test("without a session every route leads to the sign-in page, and so does an old cookie", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps, url } = gateway;
  const { token } = await makeLogin(deps);
  const out = await dashboardFetch(url, {
    path: "/sign-out",
    token,
    form: { csrf: csrfOf(token) },
  });
  assert.equal(out.headers.get("location"), "/dashboard/sign-in");
  const ids = { id: "1", code: "ETH", network: "ETH", symbol: "ETH", event: "1" };
  for (const route of ROUTES) {
    for (const cookie of [{}, { token }]) {
      const form = route.kind === "act" ? { form: { csrf: csrfOf(token) } } : {};
      const answer = await dashboardFetch(url, { path: filled(route, ids), ...cookie, ...form });
      await answer.body?.cancel();
      const isForgery = route.kind === "act" && !("token" in cookie);
      assert.equal(answer.status, isForgery ? 403 : 303, route.path);
      if (!isForgery) assert.match(answer.headers.get("location")!, /^\/dashboard\/sign-in/);
    }
  }
});

Deno.test("every answer forbids inline scripts, frames and sniffing, and cookies are out of reach", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps, url } = gateway;
  const { token } = await makeLogin(deps);
  for (const path of ["", "/sign-in", "/transactions/export.csv", "/nowhere"]) {
    const { headers, body } = await dashboardFetch(url, { path, token });
    await body?.cancel();
    const policy = headers.get("content-security-policy")!;
    assert.match(policy, /default-src 'none'.*frame-ancestors 'none'/);
    assert.equal(/unsafe|\*|data:|http/.test(policy), false);
    assert.equal(headers.get("x-frame-options"), "DENY");
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.equal(headers.get("cache-control"), "no-store");
  }
  const { headers, body } = await dashboardFetch(url, { path: "/sign-in" });
  await body?.cancel();
  assert.match(headers.get("set-cookie")!, /^cpg=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
});

Deno.test("over https the cookie is Secure and bound to the host", async () => {
  const env = { CPG_WORKER: "false", CPG_DASHBOARD_URL: "https://ops.example.com" };
  await using gateway = await startGateway(env);
  const { headers, body } = await dashboardFetch(gateway.url, { path: "/sign-in" });
  await body?.cancel();
  assert.match(headers.get("set-cookie")!, /^__Host-cpg=.*; HttpOnly; SameSite=Strict; Secure$/);
  assert.equal(headers.get("strict-transport-security"), "max-age=31536000");
});

Deno.test("guessing a password stops after five tries, and even the right one is refused meanwhile", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps, url } = gateway;
  const email = "ann@example.com";
  await makeUser(deps, { email, role: "operator", accountId: null, actor: "test" });
  const first = await dashboardFetch(url, { path: "/sign-in" });
  await first.body?.cancel();
  const token = /cpg=([\w-]{43})/.exec(first.headers.get("set-cookie")!)![1]!;
  const attempt = async (password: string) => {
    const form = { csrf: csrfOf(token), email, password };
    const answer = await dashboardFetch(url, { path: "/sign-in", token, form });
    return { status: answer.status, text: await answer.text() };
  };
  for (let i = 0; i < 5; i++) {
    const { status, text } = await attempt(`guess number ${i}`);
    assert.equal(status, 422);
    assert.match(text, /Wrong email or password/);
  }
  for (const password of ["another guess", PASSWORD]) {
    const { status, text } = await attempt(password);
    assert.equal(status, 429);
    assert.match(text, /Too many attempts\. Try again in 3 minutes/);
    assert.equal(text.includes(password), false);
  }
});
