import assert from "node:assert/strict";
import { newKeySecret, revokeApiKey } from "../../../src/access/manage_api_keys.ts";
import { createRoleKey } from "../../../src/access/role_keys.ts";
import { setApiKey } from "../../../src/access/set_api_key.ts";
import { RoleKeys } from "../../../src/access/tables/keys.ts";
import { createAccount } from "../../../src/accounts/manage_accounts.ts";
import { ApiKeyUses } from "../../../src/accounts/tables/volumes.ts";
import { csrfOf } from "../../../src/dashboard/cookies.ts";
import { apiKeys } from "../../../src/store/reads/pages/lists.ts";
import { apiClient } from "../../support/api_client.ts";
import { dashboardFetch, makeLogin } from "../../support/dashboard/dashboard.ts";
import { startGateway } from "../../support/gateway.ts";
import { eventually } from "../../support/programs/eventually.ts";

Deno.test("a key without permissions isn't created, and the input stays", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps, url } = gateway;
  const { id } = await createAccount(deps, { name: "Acme", actor: "test" });
  const { token } = await makeLogin(deps, { accountId: id });
  const form = { csrf: csrfOf(token), account: String(id), label: "shop", rate_limit: "600" };
  const send = async (more: Record<string, string>) => {
    const sent = { path: "/keys/new", token, form: { ...form, ...more } };
    const answer = await dashboardFetch(url, sent);
    return { status: answer.status, text: await answer.text() };
  };

  const refused = await send({});
  assert.equal(refused.status, 422);
  assert.match(refused.text, /Choose at least one/);
  assert.match(refused.text, /name="label"[^>]* value="shop"/);
  assert.deepEqual(await apiKeys(deps.db, id), []);

  assert.equal((await send({ permissions: "withdraw" })).status, 200);
  assert.deepEqual((await apiKeys(deps.db, id)).map((row) => row.permissions), [["withdraw"]]);
});

Deno.test("all keys that a merchant made together are limited to 12,000 requests a minute", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps, url } = gateway;
  const { id } = await createAccount(deps, { name: "Acme", actor: "test" });
  const merchant = (await makeLogin(deps, { accountId: id })).token;
  const operator = (await makeLogin(deps)).token;
  const ask = async (token: string, rate: string) => {
    const csrf = csrfOf(token);
    const key = { account: String(id), label: "shop", permissions: "withdraw", rate_limit: rate };
    return await dashboardFetch(url, { path: "/keys/new", token, form: { csrf, ...key } });
  };
  const sum = async () =>
    (await apiKeys(deps.db, id)).reduce((all, { rateLimit }) => all + rateLimit, 0);

  const refused = await ask(merchant, "1000000");
  assert.equal(refused.status, 422);
  assert.match(await refused.text(), /together may make 12000 requests a minute/);
  assert.equal((await ask(operator, "1000000")).status, 200, "an operator's is none of them");
  await Promise.all(Array.from({ length: 10 }, () => ask(merchant, "5000")));
  assert.equal(await sum(), 1_010_000);
  assert.equal((await ask(merchant, "2000")).status, 200);
  assert.equal((await ask(merchant, "1")).status, 422);
  assert.equal((await ask(operator, "1000000")).status, 200);
  assert.equal(await sum(), 2_012_000);

  const [own] = (await apiKeys(deps.db, id)).filter(({ rateLimit }) => rateLimit === 2_000);
  const { keyId } = own!;
  await setApiKey(deps, { keyId, change: { rateLimit: 90_000 }, actor: "cli" });
  assert.equal((await ask(merchant, "1")).status, 422, "what an operator adds to it isn't theirs");
  await setApiKey(deps, { keyId, change: { rateLimit: 500 }, actor: "cli" });
  assert.equal(
    (await ask(merchant, "1500")).status,
    200,
    "and what an operator takes away is free",
  );
  await revokeApiKey(deps, { keyId, actor: "cli" });
  assert.equal((await ask(merchant, "501")).status, 422);
  assert.equal((await ask(merchant, "500")).status, 200);
});

Deno.test("an operator sees and revokes keys with a role, and an account's people only see theirs", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps, url } = gateway;
  const [acme, other] = await Promise.all(
    ["Acme", "Other"].map((name) => createAccount(deps, { name, actor: "test" })),
  );
  const make = (label: string, role: "operator" | "finance", accountId: number | null) =>
    createRoleKey(deps, {
      ...{ label, role, accountId, ipList: [], rateLimit: 600, actor: "cli", made: undefined },
    });
  const platform = await make("platform", "operator", null);
  const till = await make("till", "finance", acme!.id);
  await make("elsewhere", "finance", other!.id);
  const operator = (await makeLogin(deps)).token;
  const merchant = (await makeLogin(deps, { accountId: acme!.id })).token;
  const seen = async (token: string, path = "/keys") => {
    const text = await (await dashboardFetch(url, { path, token })).text();
    const named = ["platform", "till", "elsewhere"].filter((label) => text.includes(label));
    return { named, ids: text.includes(platform.keyId), buttons: text.split("/revoke").length - 1 };
  };
  const all = ["platform", "till", "elsewhere"];
  assert.deepEqual(await seen(operator), { named: all, ids: true, buttons: 3 });
  assert.deepEqual(await seen(operator, `/keys?account=${acme!.id}`), {
    ...{ named: ["platform", "till"], ids: true, buttons: 2 },
  });
  assert.deepEqual(await seen(merchant), { named: ["till"], ids: false, buttons: 0 });

  const revoke = async (token: string, keyId: string) => {
    const form = { csrf: csrfOf(token) };
    return (await dashboardFetch(url, { path: `/keys/${keyId}/revoke`, token, form })).status;
  };
  assert.equal(await revoke(merchant, till.keyId), 404, "the operator made it");
  assert.equal((await deps.db.get(RoleKeys, [till.keyId])).revokedAtMs, null);
  assert.equal(await revoke(operator, platform.keyId), 303);
  assert.notEqual((await deps.db.get(RoleKeys, [platform.keyId])).revokedAtMs, null);
  assert.equal((await seen(operator)).buttons, 2);
});

Deno.test("the page says when a key with a role was used last", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps, url } = gateway;
  const { secret, ...made } = await newKeySecret(deps);
  await createRoleKey(deps, {
    ...{ label: "platform", role: "operator", accountId: null, ipList: [], rateLimit: 600 },
    ...{ actor: "cli", made },
  });
  const { token } = await makeLogin(deps);
  const page = async () => await (await dashboardFetch(url, { path: "/keys", token })).text();
  assert.match(await page(), />never</);
  const { get } = apiClient(url, { keyId: made.keyId, secret });
  assert.equal((await get("/admin/v1/account/list")).status, 200);
  // No request waits for the note.
  const until = (use?: { usedAtMs: number }) => use !== undefined;
  await eventually(() => deps.db.find(ApiKeyUses, [made.keyId]), { until, withinMs: 10_000 });
  assert.doesNotMatch(await page(), />never</);
});
