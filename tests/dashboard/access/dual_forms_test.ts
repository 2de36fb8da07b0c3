import assert from "node:assert/strict";
import {
  confirmSecondFactor,
  offerSecondFactor,
} from "../../../src/access/manage_second_factor.ts";
import { setUserDisabled } from "../../../src/access/change_user.ts";
import { setAccount } from "../../../src/accounts/set_account.ts";
import { ROUTES } from "../../../src/dashboard/pages.ts";
import { addSource } from "../../../src/rates/manage.ts";
import { totpAt } from "../../../src/base/secrets/totp.ts";
import { csrfOf } from "../../../src/dashboard/cookies.ts";
import { CHANGES } from "../../../src/proposals/changes.ts";
import { Proposals } from "../../../src/proposals/table.ts";
import { apiClient } from "../../support/api_client.ts";
import { dashboardFetch, makeLogin } from "../../support/dashboard/dashboard.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { STRANGER } from "../../support/payers.ts";
import { fundGasWallet } from "../../support/sweeping.ts";
import { addOwnRule, startPayingWorld } from "../../support/payouts.ts";
import { guardedRows, makePerson } from "../../support/people/proposals.ts";

const STEP_MS = 30_000;
/** What only commands and the management API ask for. */
const WITHOUT_FORM = ["key.set", "policy.accept", "role_key.create", "row.accept"];

Deno.test("under dual control, every form of what it covers only makes a proposal", async () => {
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
  await fundGasWallet(world);
  const account = String(accountId);
  type Sent = readonly [kind: string, path: string, form: Record<string, string>];
  /** But for passkeys, which take a browser: its proposal is that of the app. */
  const forms: Readonly<Record<string, Sent>> = {
    "/wallets/receiving/set": ["receiving_wallet.set", "/wallets/receiving/set", {
      ...{ account, network: "ETH", address: STRANGER, last: STRANGER.slice(-6) },
    }],
    "/accounts/:id{[0-9]+}/settings": ["account.set", `/accounts/${account}/settings`, {}],
    "/keys/new": ["key.create", "/keys/new", {
      ...{ account, label: "x", preset: "payouts", rate_limit: "5" },
    }],
    "/users": ["user.create", "/users", { email: "new@example.com", role: "operator" }],
    "/users/:id{[0-9]+}/reset": ["user.reset", `/users/${annId}/reset`, {}],
    "/users/:id{[0-9]+}/enable": ["user.enable", `/users/${eveId}/enable`, {}],
    "/users/:id{[0-9]+}/role": ["user.set_role", `/users/${annId}/role`, {
      [`role_${annId}`]: "operator",
    }],
    "/payees/new": ["payee.add", "/payees/new", {
      ...{ account, network: "ETH", address: STRANGER, label: "x" },
    }],
    "/rules/:id{[0-9]+}": ["policy.edit", `/rules/${rule}`, {
      ...{ label: "x", cap: "5", outcome: "approve", approvals: "1", expires: "24h" },
    }],
    "/rules/:id{[0-9]+}/switch": ["policy.switch_off", `/rules/${rule}/switch`, { active: "off" }],
    "/rules/:id{[0-9]+}/remove": ["policy.remove", `/rules/${rule}/remove`, {}],
    "/rates/new": ["rate_source.add", "/rates/new", {
      base: "ETH",
      quote: "USD",
      kind: "manual",
      value: "1",
    }],
    "/rates/:id/remove": ["rate_source.remove", `/rates/${source.id}/remove`, {}],
    "/networks/:code/gas-wallet/withdraw": [
      "gas_wallet.withdraw",
      "/networks/ETH/gas-wallet/withdraw",
      { to: STRANGER, amount: "1" },
    ],
    "/settings": ["setting.set", "/settings", {}],
    "/profile/second-factor/off": ["second_factor.off", "/profile/second-factor/off", {}],
  };
  const routes = ROUTES.filter((route) => route.kind === "act").map(({ path }) => path);
  assert.deepEqual(Object.keys(forms).filter((way) => !routes.includes(way)), []);
  const kinds = new Set([...Object.values(forms).map(([kind]) => kind), ...WITHOUT_FORM]);
  assert.deepEqual(CHANGES.map(({ kind }) => kind).filter((kind) => !kinds.has(kind)), []);
  const seen = await guardedRows(deps);
  let start = "";
  for (const [way, [kind, path, form]] of Object.entries(forms)) {
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
  assert.equal(rows.length, Object.keys(forms).length, "one each");
  assert.equal(await guardedRows(deps), seen, "nothing has changed");
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
