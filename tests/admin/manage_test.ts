import assert from "node:assert/strict";
import { keyRoleOf } from "../../src/access/key_maker.ts";
import { newKeySecret } from "../../src/access/manage_api_keys.ts";
import { createRoleKey } from "../../src/access/role_keys.ts";
import { isAble, isGatewayRole, type Role, ROLES } from "../../src/access/rules/roles.ts";
import { createAccount } from "../../src/accounts/manage_accounts.ts";
import { suspendAccount } from "../../src/accounts/suspend.ts";
import { Accounts } from "../../src/accounts/tables/accounts.ts";
import { fieldsOf, inputOf } from "../../src/admin/input.ts";
import { refusalOf } from "../../src/admin/manage.ts";
import { methodOf, operations, pathOf } from "../../src/admin/table.ts";
import { AuditLog } from "../../src/audit/table.ts";
import { NodeError } from "../../src/chains/faults.ts";
import type { Deps } from "../../src/deps/deps.ts";
import type { Operation } from "../../src/operations/operation.ts";
import { saysWhose } from "../../src/operations/owners.ts";
import { askerOf } from "../../src/policies/ask_for_approval.ts";
import { Unavailable } from "../../src/store/connection/faults.ts";
import type { Unit } from "../../src/store/engine/group_commit.ts";
import { TamperedRow } from "../../src/store/engine/tampered_row.ts";
import { RepeatedRequests } from "../../src/store/tables/signatures.ts";
import { cliOn } from "../cli/cli_host.ts";
import { type ApiClient, apiClient } from "../support/api_client.ts";
import { makePlace } from "../support/database/database.ts";
import { makeMerchant, makeNetwork, startGateway, type TestGateway } from "../support/gateway.ts";
import { makePerson } from "../support/people/proposals.ts";

const NOBODY = () => Promise.resolve();

async function keyFor(
  { deps, url }: Pick<TestGateway, "deps" | "url">,
  { role, accountId = null }: { role: Role; accountId?: number | null },
): Promise<ApiClient & { keyId: string }> {
  const { secret, ...made } = await newKeySecret(deps);
  const terms = { accountId, role, label: role, ipList: [], rateLimit: 100_000 };
  await createRoleKey(deps, { ...terms, actor: "user:7", made });
  return { ...apiClient(url, { keyId: made.keyId, secret }), keyId: made.keyId };
}

async function lastAudit({ db }: Deps) {
  const [row] = await db.rows(AuditLog, "ORDER BY id DESC LIMIT 1");
  return row!;
}

Deno.test("control 7: a GET answers the document that the command prints with --json", async () => {
  await using place = await makePlace({ isMigrated: true });
  await using gateway = await startGateway(place.env);
  const { deps } = gateway;
  await createAccount(deps, { name: "Acme", actor: "test" });
  const { get } = await keyFor(gateway, { role: "operator" });
  await using cli = cliOn({ env: place.env, remove: NOBODY });
  let compared = 0;
  for (const one of (await operations()).values()) {
    const isWhole = one.positionals.length === 0 &&
      Object.values(one.flags).every(({ need }) => need !== "required");
    // Its times differ from one moment to the next.
    if (methodOf(one) !== "GET" || !isWhole || one.words[0] === "status") continue;
    const printed = await cli.json(...one.words);
    const { status, body } = await get(pathOf(one));
    assert.equal(status, 200, pathOf(one));
    assert.deepEqual(body.data, printed, pathOf(one));
    assert.equal(body.data_count, Array.isArray(printed) ? printed.length : undefined);
    compared++;
  }
  assert.ok(compared > 20, `${compared} were compared`);
  const status = await get("/admin/v1/status");
  assert.deepEqual([status.status, typeof status.body.data.ok], [200, "boolean"]);
});

Deno.test("control 7: a role is needed, and what it may not do is refused before the fields", async () => {
  await using gateway = await startGateway();
  const { api: merchant } = await makeMerchant(gateway);
  const auditor = await keyFor(gateway, { role: "auditor" });
  const without = await merchant.get("/admin/v1/account/list");
  assert.deepEqual([without.status, without.body.message], [403, "Missing role"]);
  assert.equal(without.body.error.code, "role_denied");
  const denied = await auditor.post("/admin/v1/account/create", { nonsense: 1 });
  assert.deepEqual([denied.status, denied.body.message], [403, "The role auditor may not do this"]);
  assert.equal(denied.body.error.code, "role_denied");
  assert.equal((await auditor.get("/v1/_ping")).body.data.key_id, auditor.keyId);
  const other = await auditor.get("/v1/balances");
  assert.deepEqual([other.status, other.body.error.code], [403, "permission_denied"]);
});

Deno.test("control 7: each role is refused every operation that it may not ask for, and no other", async () => {
  await using gateway = await startGateway();
  const { accountId } = await makeMerchant(gateway);
  const all = [...(await operations()).values()];
  assert.ok(all.length > 100, `${all.length} operations`);
  for (const role of ROLES.filter((one) => one !== "approver")) {
    const isWide = isGatewayRole(role);
    const key = await keyFor(gateway, { role, accountId: isWide ? null : accountId });
    for (const one of all) {
      const path = pathOf(one);
      const { status } = methodOf(one) === "GET"
        ? await key.get(`${path}?nonsense=1`)
        : await key.post(path, { nonsense: 1 });
      const isAllowed = isAble(role, one.reads ?? one.changes!) && (isWide || saysWhose(one));
      assert.equal(status, isAllowed ? 422 : 403, `${role} ${path}`);
    }
  }
  const deciding = all.filter((one) => (one.reads ?? one.changes) === "approve");
  assert.deepEqual(deciding.map(pathOf), [], "it takes a person");
});

Deno.test("control 7: unknown paths, methods and fields are refused, and names are suggested", async () => {
  await using gateway = await startGateway();
  const operator = await keyFor(gateway, { role: "operator" });
  for (const path of ["account", "account/nonsense", "backup", "user/create", "seed/show"]) {
    assert.equal((await operator.post(`/admin/v1/${path}`, {})).status, 404, path);
  }
  const wrong = await operator.get("/admin/v1/account/create");
  assert.deepEqual([wrong.status, wrong.headers.get("allow")], [405, "POST"]);
  const created = await operator.post("/admin/v1/account/create", { nam: "Acme" });
  assert.equal(created.status, 422);
  assert.deepEqual(created.body.error.fields, [
    { field: "nam", message: "Unknown field; did you mean name?" },
    { field: "name", message: "Required" },
  ]);
  const list = await operator.get("/admin/v1/key/list?acount=1");
  assert.equal(list.body.error.fields[0].message, "Unknown parameter; did you mean account?");
  const missing = await operator.get("/admin/v1/key/list?account=99");
  assert.deepEqual([missing.status, missing.body.error.code], [404, "account_unknown"]);
  const both = await operator.post("/admin/v1/key/create", { label: "x", role: "operator" });
  assert.deepEqual([both.status, both.body.error.fields[0].field], [422, "role"]);
});

Deno.test("control 7: a platform opens an account, and the log says which key did it", async () => {
  await using gateway = await startGateway();
  const operator = await keyFor(gateway, { role: "operator" });
  const account = await operator.post("/admin/v1/account/create", { name: "Acme" });
  assert.equal(account.status, 200);
  const { account_id } = account.body.data;
  assert.equal((await lastAudit(gateway.deps)).actor, `api:${operator.keyId}`);
  const key = await operator.post("/admin/v1/key/create", {
    account: account_id,
    label: "shop",
    permissions: ["withdraw", "read_balance"],
    ip: ["127.0.0.1"],
    rate_limit: 60,
  });
  const { key_id: keyId, secret } = key.body.data;
  const shop = apiClient(gateway.url, { keyId, secret });
  assert.equal((await shop.get("/v1/_ping")).status, 200);
  const set = await operator.post("/admin/v1/account/set", {
    account: account_id,
    may_push: true,
    quota_mb: 128,
  });
  assert.deepEqual([set.status, set.body.data.may_push], [200, true]);
});

Deno.test("control 7: for one account's key, no other account exists", async () => {
  await using gateway = await startGateway();
  const one = await makeMerchant(gateway);
  const other = await makeMerchant(gateway, { name: "Other" });
  const { accountId } = one;
  const own = await keyFor(gateway, { role: "merchant", accountId });
  const listed = await own.get("/admin/v1/key/list");
  assert.deepEqual(listed.body.data.map((key: { account_id: number }) => key.account_id), [
    accountId,
    accountId,
  ]);
  const theirs = await own.get(`/admin/v1/key/list?account=${other.accountId}`);
  assert.deepEqual([theirs.status, theirs.body.error.code], [404, "not_found"]);
  const { keyId } = other.credentials;
  assert.equal((await own.post("/admin/v1/key/revoke", { key_id: keyId })).status, 404);
  assert.equal((await other.api.get("/v1/_ping")).status, 200);
  const mine = await own.post("/admin/v1/key/revoke", { key_id: one.credentials.keyId });
  assert.equal(mine.status, 200);
  assert.equal((await own.get("/admin/v1/network/list")).status, 403);
  const developer = await keyFor(gateway, { role: "developer", accountId });
  const paying = { label: "x", permissions: ["withdraw"] };
  assert.equal((await developer.post("/admin/v1/key/create", paying)).status, 403);
  const managing = { label: "x", role: "merchant", account: accountId, any_ip: true };
  assert.equal((await own.post("/admin/v1/key/create", managing)).status, 403);
  await suspendAccount(gateway.deps, { accountId, reason: "unpaid", actor: "cli" });
  const suspended = await own.post("/admin/v1/key/create", {
    label: "y",
    permissions: ["withdraw"],
  });
  assert.deepEqual([suspended.status, suspended.body.error.code], [403, "account_suspended"]);
  assert.equal((await own.get("/admin/v1/key/list")).status, 200);
});

Deno.test("control 7: an account's key sets rules of its own, and sees nobody else's", async () => {
  await using gateway = await startGateway();
  const { accountId } = await makeMerchant(gateway);
  const other = await makeMerchant(gateway, { name: "Other" });
  const operator = await keyFor(gateway, { role: "operator" });
  const own = await keyFor(gateway, { role: "merchant", accountId });
  const theirs = await keyFor(gateway, { role: "merchant", accountId: other.accountId });
  const rule = { label: "Mine", always: true, then: "approve" };
  const mine = await own.post("/admin/v1/policy/add", rule);
  const { policy_id: id, account_id, set_by } = mine.body.data;
  assert.deepEqual([mine.status, account_id, set_by], [200, accountId, "merchant"]);
  const everybodys = await operator.post("/admin/v1/policy/add", { ...rule, label: "All" });
  const about = { ...rule, label: "About one", account: accountId };
  const aboutOne = await operator.post("/admin/v1/policy/add", about);
  const listed = await own.get("/admin/v1/policy/list");
  assert.deepEqual(listed.body.data.map(({ label }: { label: string }) => label), ["Mine"]);
  assert.equal((await theirs.get("/admin/v1/policy/list")).body.data_count, 0);
  for (const [key, of] of [[own, everybodys], [own, aboutOne], [theirs, mine]] as const) {
    const { policy_id } = of.body.data;
    assert.equal((await key.post("/admin/v1/policy/remove", { id: policy_id })).status, 404);
    const off = await key.post("/admin/v1/policy/set", { id: policy_id, active: false });
    assert.equal(off.status, 404);
  }
  const { keyId } = other.credentials;
  const keyed = { ...rule, label: "Theirs", key: keyId };
  for (const path of ["add", "preview"]) {
    const asked = path === "add"
      ? await own.post("/admin/v1/policy/add", keyed)
      : await own.get(`/admin/v1/policy/preview?label=x&always=true&then=refuse&key=${keyId}`);
    assert.equal(asked.status, 404, path);
  }
  assert.equal((await own.post("/admin/v1/policy/set", { id, label: "Ours" })).status, 200);
  assert.equal((await own.post("/admin/v1/policy/remove", { id })).status, 200);
  const viewer = await keyFor(gateway, { role: "viewer", accountId });
  assert.equal((await viewer.post("/admin/v1/policy/add", rule)).status, 403);
});

Deno.test("control 7: an account's key lists its own users, wallets, sweeps and approvals only", async () => {
  await using gateway = await startGateway();
  const { deps } = gateway;
  await makeNetwork(deps, { rpcUrls: ["http://127.0.0.1:9"] });
  const { accountId } = await makeMerchant(gateway);
  const other = await makeMerchant(gateway, { name: "Other" });
  const operator = await keyFor(gateway, { role: "operator" });
  for (const account of [accountId, other.accountId]) {
    const coin = { account, network: "ETH", currency: "ETH" };
    assert.equal((await operator.post("/admin/v1/account/enable", coin)).status, 200);
    await makePerson(deps, { role: "finance", name: `user${account}`, accountId: account });
  }
  await makePerson(deps, { role: "operator", name: "ops", accountId: null });
  const own = await keyFor(gateway, { role: "merchant", accountId });
  for (const path of ["user/list", "wallet/list"]) {
    const { body: { data } } = await own.get(`/admin/v1/${path}`);
    const owners = data.map(({ account_id }: { account_id: number }) => account_id);
    assert.deepEqual(owners, [accountId], path);
  }
  for (const path of ["sweep/list", "approval/list"]) {
    const { status, body } = await own.get(`/admin/v1/${path}`);
    assert.deepEqual([status, body.data], [200, []], path);
  }
  for (const user of ["ops@example.com", `user${other.accountId}@example.com`, "nobody@x.com"]) {
    const { status, body } = await own.post("/admin/v1/user/set", { user, role: "viewer" });
    assert.deepEqual([status, body.message, body.error.code], [404, "Not found", "not_found"]);
  }
  const user = `user${accountId}@example.com`;
  const raised = await own.post("/admin/v1/user/set", { user, role: "operator" });
  assert.deepEqual([raised.status, raised.body.error.code], [400, "user_role_misfit"]);
  assert.equal((await own.post("/admin/v1/user/set", { user, role: "viewer" })).status, 200);
  for (const path of ["version", "role/list"]) {
    assert.equal((await own.get(`/admin/v1/${path}`)).status, 200, path);
  }
});

Deno.test("control 7: an account's key may no more than its people on the dashboard", async () => {
  await using gateway = await startGateway();
  await makeNetwork(gateway.deps, { rpcUrls: ["http://127.0.0.1:9"] });
  const { accountId, credentials } = await makeMerchant(gateway);
  const operator = await keyFor(gateway, { role: "operator" });
  const own = await keyFor(gateway, { role: "merchant", accountId });
  const coin = { network: "ETH", currency: "ETH" };
  assert.equal((await own.post("/admin/v1/account/enable", coin)).status, 200);
  const off = { ...coin, account: accountId, withdrawal: false };
  assert.equal((await operator.post("/admin/v1/account/enable", off)).status, 200);
  const barred = await own.post("/admin/v1/account/enable", { ...coin, account: null });
  assert.deepEqual([barred.status, barred.body.error.code], [400, "currency_barred"]);
  const payee = { network: "ETH", address: `0x${"77".repeat(20)}`, label: "x" };
  const soon = await own.post("/admin/v1/payee/add", { ...payee, usable_after: "1h" });
  assert.deepEqual([soon.status, soon.body.error.fields[0].field], [422, "usable_after"]);
  assert.equal((await own.post("/admin/v1/payee/add", payee)).status, 200);
  const developer = await keyFor(gateway, { role: "developer", accountId });
  const revoked = await developer.post("/admin/v1/key/revoke", { key_id: credentials.keyId });
  assert.deepEqual([revoked.status, revoked.body.error.code], [403, "role_denied"]);
});

Deno.test("control 7: with its share of the day used up, an account's key still ends things", async () => {
  await using gateway = await startGateway();
  const { db } = gateway.deps;
  const { accountId, credentials } = await makeMerchant(gateway);
  const own = await keyFor(gateway, { role: "merchant", accountId });
  await own.post("/admin/v1/key/create", { label: "x", permissions: ["read_balance"] });
  const operator = await keyFor(gateway, { role: "operator" });
  await operator.post("/admin/v1/account/set", { account: accountId, quota_mb: 1 });
  await db.execute([{ sql: "UPDATE storage_uses SET bytes = 1500000" }]);
  const another = { label: "y", permissions: ["read_balance"] };
  assert.equal((await own.post("/admin/v1/key/create", another)).status, 429);
  const revoked = await own.post("/admin/v1/key/revoke", { key_id: credentials.keyId });
  assert.equal(revoked.status, 200);
});

Deno.test("control 7: what a GET has in its body, and a POST in its query, is unknown", async () => {
  await using gateway = await startGateway();
  const operator = await keyFor(gateway, { role: "operator" });
  const method = "POST";
  const post = await operator.send({
    ...{ method, target: "/admin/v1/account/create?dry_run=true", body: '{"name":"Acme"}' },
  });
  assert.deepEqual([post.status, post.body.error.fields[0].field], [422, "dry_run"]);
  assert.equal((await operator.get("/admin/v1/account/list")).body.data_count, 0);
});

Deno.test("control 7: every operation that an account's key may ask for says whose it is", async () => {
  await using gateway = await startGateway();
  const one = await makeMerchant(gateway);
  await makeMerchant(gateway, { name: "Other" });
  const own = await keyFor(gateway, { role: "merchant", accountId: one.accountId });
  for (const operation of (await operations()).values()) {
    if (!operation.flags.account) continue;
    const isRead = methodOf(operation) === "GET";
    const path = pathOf(operation);
    const asked = isRead
      ? await own.get(`${path}?account=2`)
      : await own.post(path, { account: 2 });
    assert.ok([403, 404, 422].includes(asked.status), `${path}: ${asked.status}`);
  }
  const isOwnable = ({ reads, changes, positionals, of, flags }: Operation) =>
    isAble("merchant", reads ?? changes!) && positionals.length > 0 && !of && flags.account;
  const checkedInside = [...(await operations()).values()].filter(isOwnable);
  assert.deepEqual(checkedInside.map(pathOf), ["/admin/v1/webhook/redeliver"]);
  const many = await own.get("/admin/v1/withdrawal/list?limit=10001");
  assert.deepEqual([many.status, many.body.error.fields[0].field], [422, "limit"]);
});

Deno.test("control 7: the same idempotency key and body get the first answer, and do nothing", async () => {
  await using gateway = await startGateway();
  const operator = await keyFor(gateway, { role: "operator" });
  const post = (body: object, key = "one") =>
    operator.send({
      method: "POST",
      target: "/admin/v1/account/create",
      body: JSON.stringify(body),
      headers: { "Idempotency-Key": key },
    });
  const answers = await Promise.all(Array.from({ length: 5 }, () => post({ name: "Acme" })));
  assert.deepEqual(new Set(answers.map(({ body }) => JSON.stringify(body))).size, 1);
  const replays = answers.filter(({ headers }) => headers.get("x-cpg-replay") === "same");
  assert.equal(replays.length, 4);
  const conflict = await post({ name: "Other" });
  assert.deepEqual([conflict.status, conflict.body.error.code], [409, "idempotency_conflict"]);
  const fault = await post({ nam: "Acme" }, "two");
  assert.equal(fault.status, 422);
  const faultAgain = await post({ nam: "Acme" }, "two");
  assert.deepEqual([faultAgain.body, faultAgain.headers.get("x-cpg-replay")], [fault.body, "same"]);
  assert.equal((await post({ name: "Second" }, "two")).status, 409);
  assert.equal((await post({ name: "Second" }, "three")).status, 200);
  assert.equal((await post({ name: "x" }, "k".repeat(129))).status, 422);
  const { body } = await operator.get("/admin/v1/account/list");
  assert.deepEqual(body.data.map(({ name }: { name: string }) => name), ["Acme", "Second"]);
});

Deno.test("control 7: no copy is carried out under another idempotency key, or without one", async () => {
  await using gateway = await startGateway();
  const operator = await keyFor(gateway, { role: "operator" });
  const copyOf = (name: string) => {
    const body = JSON.stringify({ name });
    const timestamp = String(Math.floor(Date.now() / 1000));
    return (headers: Record<string, string>) =>
      operator.send({
        ...{ method: "POST", target: "/admin/v1/account/create", body, timestamp, headers },
      });
  };
  const acme = copyOf("Acme");
  assert.equal((await acme({ "Idempotency-Key": "one" })).status, 200);
  assert.equal((await acme({ "Idempotency-Key": "one" })).headers.get("x-cpg-replay"), "same");
  const conflicting = copyOf("Conflicting");
  assert.equal((await conflicting({ "Idempotency-Key": "one" })).status, 409);
  for (const copy of [acme, conflicting]) {
    for (const headers of [{ "Idempotency-Key": "two" }, {}]) {
      const { status, body } = await copy(headers);
      assert.deepEqual([status, body.message], [401, "Request already processed"]);
    }
  }
  const { body } = await operator.get("/admin/v1/account/list");
  assert.equal(body.data_count, 1);
});

Deno.test("control 7: no copy of a repeat is carried out either", async () => {
  await using gateway = await startGateway();
  const operator = await keyFor(gateway, { role: "operator" });
  const body = JSON.stringify({ name: "Acme" });
  const nowS = Math.floor(Date.now() / 1000);
  const send = (atS: number, headers: Record<string, string>) =>
    operator.send({
      ...{ method: "POST", target: "/admin/v1/account/create", body, headers },
      timestamp: String(atS),
    });
  const one = { "Idempotency-Key": "one" };
  assert.equal((await send(nowS, one)).status, 200);
  for (let copy = 0; copy < 2; copy++) {
    assert.equal((await send(nowS - 1, one)).headers.get("x-cpg-replay"), "same");
  }
  for (const headers of [{ "Idempotency-Key": "two" }, {}]) {
    const { status, body } = await send(nowS - 1, headers);
    assert.deepEqual([status, body.message], [401, "Request already processed"]);
  }
  assert.equal((await operator.get("/admin/v1/account/list")).body.data_count, 1);
});

Deno.test("control 7: what may have been done before the database fell silent is not done again", async () => {
  await using gateway = await startGateway();
  const { deps } = gateway;
  const operator = await keyFor(gateway, { role: "operator" });
  const write = deps.db.write.bind(deps.db);
  let isLost = true;
  deps.db.write = async <T>(unit: Unit<T>): Promise<T> => {
    const known = await write(unit);
    const isAccount = (await deps.db.rows(Accounts, "")).length > 0;
    if (!isAccount || !isLost) return known;
    isLost = false;
    throw new Unavailable("The database does not answer");
  };
  const post = () =>
    operator.send({
      ...{
        method: "POST",
        target: "/admin/v1/account/create",
        body: JSON.stringify({ name: "A" }),
      },
      headers: { "Idempotency-Key": "one" },
    });
  assert.equal((await post()).status, 503);
  const again = await post();
  assert.deepEqual([again.status, again.body.error.code], [409, "outcome_unknown"]);
  assert.equal((await operator.get("/admin/v1/account/list")).body.data_count, 1);
});

Deno.test("control 7: what was done is not done again because its answer couldn't be kept", async () => {
  await using gateway = await startGateway();
  const { db } = gateway.deps;
  const operator = await keyFor(gateway, { role: "operator" });
  await db.execute([{
    sql: `CREATE TRIGGER full_disk BEFORE UPDATE ON repeated_requests
BEGIN
  SELECT RAISE(ABORT, 'full');
END`,
  }]);
  const { status } = await operator.send({
    ...{ method: "POST", target: "/admin/v1/account/create", body: JSON.stringify({ name: "A" }) },
    headers: { "Idempotency-Key": "one" },
  });
  assert.equal(status, 200);
  const [row] = await db.rows(RepeatedRequests, "");
  assert.deepEqual([row?.idempotencyKey, row?.status], ["one", null]);
});

Deno.test("control 7: after 24 hours, an idempotency key is as good as new", async () => {
  await using gateway = await startGateway();
  const { db } = gateway.deps;
  const operator = await keyFor(gateway, { role: "operator" });
  const post = (name: string) =>
    operator.send({
      ...{ method: "POST", target: "/admin/v1/account/create", body: JSON.stringify({ name }) },
      headers: { "Idempotency-Key": "one" },
    });
  await post("Acme");
  await db.execute([{
    sql: "UPDATE repeated_requests SET created_at_ms = created_at_ms - 86400000",
  }]);
  assert.equal((await post("Second")).status, 200);
  assert.equal((await post("Second")).headers.get("x-cpg-replay"), "same");
});

Deno.test("control 7: without an idempotency key, an exact copy of a POST is refused", async () => {
  await using gateway = await startGateway();
  const operator = await keyFor(gateway, { role: "operator" });
  const call = {
    method: "POST",
    target: "/admin/v1/account/create",
    body: JSON.stringify({ name: "Acme" }),
    timestamp: String(Math.floor(Date.now() / 1000)),
  };
  assert.equal((await operator.send(call)).status, 200);
  const copy = await operator.send(call);
  assert.deepEqual([copy.status, copy.body.message], [401, "Request already processed"]);
});

Deno.test("control 7: what a key asks for is asked for by whoever made the key", async () => {
  await using gateway = await startGateway();
  const operator = await keyFor(gateway, { role: "operator" });
  await operator.post("/admin/v1/account/create", { name: "Acme" });
  await makePerson(gateway.deps, { role: "operator", name: crypto.randomUUID(), accountId: null });
  await makePerson(gateway.deps, { role: "operator", name: crypto.randomUUID(), accountId: null });
  const on = await operator.post("/admin/v1/account/set", { account: 1, dual_control: true });
  assert.equal(on.status, 200);
  const asked = await operator.post("/admin/v1/account/set", { account: 1, dual_control: false });
  assert.deepEqual([asked.status, asked.body.data.state], [200, "waiting"]);
  assert.equal(asked.body.data.asked_by, "user:7");
});

Deno.test("control 7: what a key's key asks for is asked for by whoever made the first one", async () => {
  await using gateway = await startGateway();
  const { deps } = gateway;
  const { accountId } = await makeMerchant(gateway);
  const operator = await keyFor(gateway, { role: "operator" });
  const made = async (key: ApiClient, body: object) => {
    const { status, body: { data } } = await key.post("/admin/v1/key/create", body);
    assert.equal(status, 200);
    return data as { key_id: string; secret: string };
  };
  const terms = { role: "operator", label: "second", any_ip: true };
  const { key_id: keyId, secret } = await made(operator, terms);
  const second = apiClient(gateway.url, { keyId, secret });
  const shop = { account: accountId, label: "shop", permissions: ["withdraw"] };
  const { key_id: paying } = await made(second, shop);
  const caller = { keyId: paying, signature: "00" };
  assert.equal((await askerOf(deps, caller)).person, "user:7");
});

Deno.test("control 7: a key may no more than the role of the key that made it", async () => {
  await using gateway = await startGateway();
  const { deps } = gateway;
  const { accountId } = await makeMerchant(gateway);
  const developer = await keyFor(gateway, { role: "developer", accountId });
  const permissions = ["manage_invoices"];
  const { body } = await developer.post("/admin/v1/key/create", { label: "shop", permissions });
  assert.equal(await keyRoleOf(deps, body.data.key_id), "developer");
  assert.equal(await keyRoleOf(deps, developer.keyId), "developer");
});

Deno.test("control 7: under dual control, two people get the halves of a managing key's secret", async () => {
  await using place = await makePlace({ isMigrated: true });
  await using gateway = await startGateway(place.env);
  const { deps } = gateway;
  const operator = { role: "operator", accountId: null } as const;
  await makePerson(deps, { ...operator, name: "one" });
  await makePerson(deps, { ...operator, name: "two" });
  const key = await keyFor(gateway, { role: "operator" });
  assert.equal((await key.post("/admin/v1/setting/set", { dual_control: true })).status, 200);
  const terms = { role: "operator", label: "second", any_ip: true };
  const { body: { data } } = await key.post("/admin/v1/key/create", terms);
  await using cli = cliOn({ env: place.env, remove: NOBODY });
  const approved = await cli.json("proposal", "approve", String(data.proposal_id));
  const secret = `${data.secret_start}${approved.secret_end}`;
  const { status } = await apiClient(gateway.url, { keyId: data.key_id, secret })
    .get("/admin/v1/account/list");
  assert.equal(status, 200);
});

Deno.test("control 7: an account's key learns nothing of nodes and of changed rows", () => {
  const node = new NodeError("10.0.0.7:8545: refused");
  const row = new TamperedRow("payees", { key: "1", accountId: 1 });
  for (const [error, told] of [[node, "8545"], [row, "payees"]] as const) {
    assert.match(refusalOf(error, { isOwn: false })!.message, new RegExp(told));
    assert.doesNotMatch(refusalOf(error, { isOwn: true })!.message, new RegExp(told));
  }
});

Deno.test("control 7: a revoked key that is put back stays revoked, and addresses are checked", async () => {
  await using gateway = await startGateway();
  const { deps, url } = gateway;
  const { db } = deps;
  const operator = await keyFor(gateway, { role: "operator" });
  const victim = await keyFor(gateway, { role: "operator" });
  const before = (await db.query("SELECT * FROM role_keys WHERE key_id = ?", [victim.keyId]))[0]!;
  const revoked = await operator.post("/admin/v1/key/revoke", { key_id: victim.keyId });
  assert.equal(revoked.status, 200);
  assert.equal((await victim.get("/admin/v1/account/list")).status, 401);
  const { seal } = before;
  await db.execute([{
    sql: "UPDATE role_keys SET revoked_at_ms = NULL, seal = ? WHERE key_id = ?",
    args: [String(seal), victim.keyId],
  }]);
  assert.equal((await victim.get("/admin/v1/account/list")).status, 401);
  const alerts = await operator.get("/admin/v1/alert/list");
  assert.ok(alerts.body.data.some(({ kind }: { kind: string }) => kind === "tampered"));
  const { secret, ...made } = await newKeySecret(deps);
  const terms = { accountId: null, label: "far", ipList: ["192.0.2.7"], rateLimit: 60 };
  await createRoleKey(deps, { ...terms, role: "operator", actor: "cli", made });
  const { status, body } = await apiClient(url, { keyId: made.keyId, secret })
    .get("/admin/v1/account/list");
  assert.deepEqual([status, body.error.code], [403, "ip_not_allowed"]);
});

Deno.test("control 7: the document has every operation, and each example is accepted", async () => {
  await using gateway = await startGateway();
  const document = await (await fetch(`${gateway.url}/admin/openapi.json`)).json();
  const all = [...(await operations()).values()];
  assert.deepEqual(Object.keys(document.paths).toSorted(), all.map(pathOf).toSorted());
  for (const operation of all) {
    const described = document.paths[pathOf(operation)];
    const { requestBody, parameters } = described[methodOf(operation).toLowerCase()];
    const body = requestBody?.content["application/json"].example ?? {};
    const query = new URLSearchParams(
      (parameters ?? []).flatMap((one: { in: string; name: string; example?: unknown }) =>
        one.in === "query" && one.example !== undefined ? [[one.name, String(one.example)]] : []
      ),
    );
    const isRead = methodOf(operation) === "GET";
    const state = {
      target: isRead ? `/?${query}` : "/",
      body: new TextEncoder().encode(JSON.stringify(body)),
    };
    inputOf(operation, { state, isRead, defaults: {} });
  }
});

/** As JSON; none of them may cost more than a refusal. */
const ODD_VALUES = [
  ...["1e400", "-1", "1.5", "99999999999999999999", "null", "true", '""', '"__proto__"'],
  ...['["a","b"]', '{"a":1}', '"\\u0000"', '"\\ud800"', `"${"x".repeat(5_000)}"`],
  `[${Array(200).fill('"1"')}]`,
];

Deno.test("control 7: whatever is sent to an operation, the answer is no fault of ours", async () => {
  await using gateway = await startGateway();
  const { deps, url } = gateway;
  await makeNetwork(deps, { rpcUrls: ["http://127.0.0.1:9"] });
  const { accountId } = await makeMerchant(gateway);
  const operator = await keyFor(gateway, { role: "operator" });
  const merchant = await keyFor(gateway, { role: "merchant", accountId });
  const coin = { account: accountId, network: "ETH", currency: "ETH" };
  await operator.post("/admin/v1/account/enable", coin);
  const { paths } = await (await fetch(`${url}/admin/openapi.json`)).json();
  for (const api of [operator, merchant]) {
    for (const operation of (await operations()).values()) {
      if (operation.words[0] === "stop" || operation.words[1] === "remove") continue;
      const path = pathOf(operation);
      const isRead = methodOf(operation) === "GET";
      const { requestBody, parameters } = paths[path][isRead ? "get" : "post"];
      const example: Record<string, unknown> = isRead
        ? Object.fromEntries(
          parameters.map((one: { name: string; example?: unknown }) => [one.name, one.example])
            .filter(([, value]: [string, unknown]) => value !== undefined),
        )
        : requestBody.content["application/json"].example;
      const ask = (values: Record<string, unknown>) => {
        if (!isRead) return api.post(path, values);
        const query = Object.entries(values).map(([name, value]) => [name, String(value)]);
        return api.get(`${path}?${new URLSearchParams(query)}`);
      };
      const statuses = new Set([(await ask(example)).status]);
      if (statuses.has(403)) continue;
      for (const { name } of fieldsOf(operation)) {
        for (const value of ODD_VALUES) {
          const raw = JSON.stringify({ ...example, [name]: "@" }).replace('"@"', () => value);
          const answer = isRead ? ask({ ...example, [name]: value }) : api.post(path, raw);
          statuses.add((await answer).status);
        }
      }
      if (!isRead) {
        for (const raw of ['{"__proto__":1}', "[]", "{", '{"label":"a","label":"b"}']) {
          statuses.add((await api.post(path, raw)).status);
        }
      }
      for (const method of ["HEAD", "OPTIONS", "PUT"]) {
        assert.equal((await api.send({ method, target: path })).status, 405, path);
      }
      // Nodes that don't answer are theirs to answer for.
      const faults = statuses.intersection(new Set([500, 503]));
      assert.deepEqual([...faults], [], `${path}: ${[...statuses]}`);
    }
  }
  for (const path of ["", "account/list/", "account%2Flist", "/account/list", "Account/list"]) {
    assert.equal((await operator.get(`/admin/v1/${path}`)).status, 404, path);
  }
});

Deno.test("control 7: the example opens an account, and again with what it opened", async () => {
  await using gateway = await startGateway({ CPG_WEBHOOK_ALLOW_PRIVATE: "true" });
  const { deps, url } = gateway;
  await makeNetwork(deps, { rpcUrls: ["http://127.0.0.1:9"] });
  const { secret, ...made } = await newKeySecret(deps);
  const terms = { accountId: null, label: "platform", ipList: ["127.0.0.1"], rateLimit: 600 };
  await createRoleKey(deps, { ...terms, role: "operator", actor: "cli", made });
  const open = async () => {
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "--quiet", "--allow-net=127.0.0.1", "--allow-env"],
        new URL("../../docs/examples/platform.ts", import.meta.url).pathname,
        ...["Acme", "ETH", "ETH", "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"],
        "http://127.0.0.1:9000/hook",
      ],
      env: { CPG_URL: url, CPG_KEY_ID: made.keyId, CPG_SECRET: secret },
    }).output();
    assert.ok(success, new TextDecoder().decode(stderr));
    return JSON.parse(new TextDecoder().decode(stdout));
  };
  const opened = await open();
  assert.equal(opened.account_id, 1);
  const shop = apiClient(url, { keyId: opened.key_id, secret: opened.secret });
  const { body } = await shop.get("/v1/currencies");
  assert.equal(body.data[0].currency, "ETH");
  assert.deepEqual(await open(), opened);
});

Deno.test("control 7: long lists have pages, and one account's key sees its own rows only", async () => {
  await using gateway = await startGateway();
  const { deps } = gateway;
  await makeNetwork(deps, { rpcUrls: ["http://127.0.0.1:9"] });
  const one = await makeMerchant(gateway);
  const other = await makeMerchant(gateway, { name: "Other" });
  const operator = await keyFor(gateway, { role: "operator" });
  for (const { accountId: account } of [one, other, one, other, one]) {
    const coin = { account, network: "ETH", currency: "ETH" };
    assert.equal((await operator.post("/admin/v1/account/enable", coin)).status, 200);
    const link = { account, title: "Tea", amount: "4.5", currency: "ETH" };
    assert.equal((await operator.post("/admin/v1/payment-link/create", link)).status, 200);
  }
  const own = await keyFor(gateway, { role: "viewer", accountId: one.accountId });
  const first = await own.get("/admin/v1/payment-link/list?limit=2");
  assert.deepEqual([first.body.data_count, first.body.has_more], [2, true]);
  const rest = await own.get(
    `/admin/v1/payment-link/list?limit=2&cursor=${first.body.next_cursor}`,
  );
  assert.deepEqual(
    [rest.body.data_count, rest.body.has_more, rest.body.next_cursor],
    [1, false, null],
  );
  const wrong = await own.get("/admin/v1/payment-link/list?cursor=x");
  assert.deepEqual([wrong.status, wrong.body.error.fields[0].field], [422, "cursor"]);
  assert.equal((await own.get("/admin/v1/key/list?cursor=1")).status, 422);
});
