import assert from "node:assert/strict";
import { resetUser, setUserDisabled } from "../../../src/access/change_user.ts";
import { revokeApiKey } from "../../../src/access/manage_api_keys.ts";
import {
  confirmSecondFactor,
  offerSecondFactor,
} from "../../../src/access/manage_second_factor.ts";
import { findSession } from "../../../src/access/manage_sessions.ts";
import { createUser } from "../../../src/access/manage_users.ts";
import { proveUser } from "../../../src/access/prove_user.ts";
import { signIn } from "../../../src/access/sign_in.ts";
import { Users } from "../../../src/access/tables/users.ts";
import { setReceivingWallet } from "../../../src/accounts/receiving_wallet.ts";
import { ReceivingWallets } from "../../../src/accounts/tables/accounts.ts";
import { alertShape } from "../../../src/alerts/shapes.ts";
import { AuditLog } from "../../../src/audit/table.ts";
import { totpAt } from "../../../src/base/secrets/totp.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { acceptRow } from "../../../src/integrity/manage_integrity.ts";
import { isNewestReceiver } from "../../../src/integrity/newest.ts";
import { resumeTampered } from "../../../src/integrity/resume.ts";
import { makeMerchant, makeNetwork, startGateway } from "../../support/gateway.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { ETHER } from "../../support/payers.ts";
import { receivedBy } from "../../support/payouts.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { payIn, RECEIVER, startSweepingWorld, sweepTo } from "../../support/sweeping.ts";
import { alertsOf, allocate } from "../../support/views.ts";

const NO_NODE = "http://127.0.0.1:9";
const NEW_RECEIVER = "0x00000000000000000000000000000000000bEEf2";
const PASSWORD = "correct horse battery";
const ORIGIN = { ip: "192.0.2.1", userAgent: "test" };

/** Writes like an attacker who has only the database. */
function sql({ db }: Deps, ...statements: readonly string[]): Promise<void> {
  return db.execute(statements.map((text) => ({ sql: text })));
}

const keep = (table: string) => `CREATE TABLE thief AS SELECT * FROM ${table}`;
const putBack = (table: string) => `INSERT OR REPLACE INTO ${table} SELECT * FROM thief`;

async function tamperedRows(deps: Deps): Promise<string[]> {
  return (await alertsOf(deps)).filter(({ kind }) => kind === "tampered")
    .map(({ subject }) => subject);
}

Deno.test("a revoked API key whose old row is put back opens nothing, and an operator is alerted", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps } = gateway;
  const { api, credentials: { keyId } } = await makeMerchant(gateway);
  await sql(deps, keep("api_keys"));
  assert.equal((await api.get("/v1/balances")).status, 200);
  await revokeApiKey(deps, { keyId, actor: "test" });
  await sql(
    deps,
    "PRAGMA foreign_keys = OFF",
    "UPDATE api_keys SET (revoked_at_ms, seal) = (SELECT revoked_at_ms, seal FROM thief)",
    "UPDATE write_clock SET config_version = config_version + 1",
  );
  await eventually(() => api.get("/v1/balances"), { until: ({ status }) => status === 401 });
  assert.deepEqual(await tamperedRows(deps), [`account:1 api_keys:${keyId}`]);
  const why =
    `Row ${keyId} of api_keys is out of date: the audit log says that the key was revoked`;
  assert.equal(
    alertShape((await alertsOf(deps))[0]!).message,
    `${why}: it is not used and account 1 pays nothing until the change is made again; ` +
      '"key revoke" does that',
  );
  const resume = () => resumeTampered(deps, { accountId: 1, actor: "test" });
  await assert.rejects(resume(), {
    message: `${why}. It is not used until the change is made again`,
  });
  await revokeApiKey(deps, { keyId, actor: "test" });
  await resume();
  assert.equal((await api.get("/v1/balances")).status, 401);
  assert.deepEqual(await tamperedRows(deps), []);
});

Deno.test("nobody accepts a receiving wallet in vain that the log contradicts", async () => {
  await using anvil = await startAnvil();
  await using world = await startSweepingWorld({ anvil });
  const { deps, merchant: { accountId } } = world;
  await sql(deps, `UPDATE receiving_wallets SET address = '${NEW_RECEIVER}'`);
  const row = { table: "receiving_wallets", key: `${accountId}/ETH`, actor: "test" };
  await assert.rejects(acceptRow(deps, row), {
    message: "Row 1/ETH of receiving_wallets is out of date: the audit log says that another " +
      "wallet was set after this one. Accepting it has no effect until the change is made again",
  });
  await setReceivingWallet(deps, {
    accountId,
    network: "ETH",
    address: NEW_RECEIVER,
    isNow: true,
    actor: "test",
  });
  await acceptRow(deps, row);
  const { address } = await allocate(world.merchant.api);
  await payIn(world, { to: address, raw: ETHER });
  await world.turn(4);
  assert.ok(await receivedBy(anvil, NEW_RECEIVER) > 0n);
});

Deno.test("nothing is swept to a former receiving wallet that is put back", async () => {
  await using anvil = await startAnvil();
  await using world = await startSweepingWorld({ anvil });
  const { deps, merchant: { accountId } } = world;
  await sql(deps, keep("receiving_wallets"));
  const order = { accountId, network: "ETH", address: NEW_RECEIVER, isNow: true, actor: "test" };
  await setReceivingWallet(deps, order);
  const { address } = await allocate(world.merchant.api);
  await payIn(world, { to: address, raw: ETHER });
  await sql(deps, putBack("receiving_wallets"));
  await world.turn(4);
  assert.equal(await receivedBy(anvil, RECEIVER), 0n);
  assert.deepEqual(await tamperedRows(deps), ["account:1 receiving_wallets:1/ETH"]);
  // Set once more, it is the log's last word again.
  await sweepTo(world, NEW_RECEIVER);
  await world.turn(4);
  assert.ok(await receivedBy(anvil, NEW_RECEIVER) > 0n);
});

Deno.test("the log's word on a receiving wallet counts however often others were set since", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps } = gateway;
  const { accountId } = await makeMerchant(gateway);
  for (const code of ["ETH", "BSC"]) await makeNetwork(deps, { code, rpcUrls: [NO_NODE] });
  const set = (network: string, address: string, isNow = true) =>
    setReceivingWallet(deps, { accountId, network, address, isNow, actor: "test" });
  await set("ETH", RECEIVER);
  await sql(deps, keep("receiving_wallets"));
  await set("ETH", NEW_RECEIVER);
  for (let i = 0; i < 101; i++) await set("BSC", i % 2 === 0 ? RECEIVER : NEW_RECEIVER);
  await sql(deps, putBack("receiving_wallets"));
  const old = await deps.db.get(ReceivingWallets, [accountId, "ETH"]);
  assert.equal(old.address, RECEIVER);
  assert.equal(await isNewestReceiver(deps, old), false);
  await sql(deps, "DELETE FROM receiving_wallets");
  await assert.rejects(set("ETH", RECEIVER, false), { code: "receiver_tampered" });
});

const CHANGES = {
  "the user was disabled": (deps: Deps, id: number) =>
    setUserDisabled(deps, { id, isDisabled: true, actor: "test" }),
  "the password was set anew": (deps: Deps, id: number) =>
    resetUser(deps, { id, password: "another password entirely", actor: "test" }),
};

for (const [what, change] of Object.entries(CHANGES)) {
  Deno.test(`a user's old row that is put back opens nothing, nor does an old session: ${what}`, async () => {
    await using gateway = await startGateway({ CPG_WORKER: "false" });
    const { deps } = gateway;
    const { accountId } = await makeMerchant(gateway);
    const email = "a@example.com";
    const order = { email, role: "merchant", accountId, actor: "test" } as const;
    const { id } = await createUser(deps, order, PASSWORD);
    const enter = () => signIn(deps, { email, password: PASSWORD, origin: ORIGIN });
    const open = await enter();
    assert.equal(open.outcome, "open");
    const { token } = open as { token: string };
    await sql(deps, keep("users"));
    await change(deps, id);
    const columns = "password_hash, generation, disabled_at_ms, seal";
    await sql(deps, `UPDATE users SET (${columns}) = (SELECT ${columns} FROM thief)`);
    assert.equal((await enter()).outcome, "wrong");
    assert.equal(await findSession(deps, token), undefined);
    assert.deepEqual(await tamperedRows(deps), [`account:1 users:${id}`]);
  });
}

Deno.test("a second factor can't be removed by an old row without it", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps } = gateway;
  const order = {
    email: "a@example.com",
    role: "operator",
    accountId: null,
    actor: "test",
  } as const;
  const user = await createUser(deps, order, PASSWORD);
  await sql(deps, keep("users"));
  const { sealed, secret } = await offerSecondFactor(deps, user);
  const code = totpAt(secret, Math.floor(deps.clock.nowMs() / 30_000));
  await confirmSecondFactor(deps, { user, sealed, code, actor: "test" });
  const columns = "totp_sealed, totp_step, recovery_hashes, seal";
  await sql(deps, `UPDATE users SET (${columns}) = (SELECT ${columns} FROM thief)`);
  const { email } = order;
  assert.equal(
    (await signIn(deps, { email, password: PASSWORD, origin: ORIGIN })).outcome,
    "wrong",
  );
  assert.deepEqual(await tamperedRows(deps), [`users:${user.id}`]);
});

Deno.test("a code that was used doesn't count again because the user's old row is put back", async () => {
  await using gateway = await startGateway({ CPG_WORKER: "false" });
  const { deps } = gateway;
  const email = "a@example.com";
  const order = { email, role: "operator", accountId: null, actor: "test" } as const;
  const user = await createUser(deps, order, PASSWORD);
  const { sealed, secret } = await offerSecondFactor(deps, user);
  const step = Math.floor(deps.clock.nowMs() / 30_000);
  const code = totpAt(secret, step);
  const [used = ""] = await confirmSecondFactor(deps, { user, sealed, code, actor: "test" });
  await sql(deps, keep("users"));
  const columns = "totp_step, recovery_hashes, seal";
  const putBackUser = `UPDATE users SET (${columns}) = (SELECT ${columns} FROM thief)`;
  const prove = async (given: string) =>
    await proveUser(deps, { user: await deps.db.get(Users, [user.id]), secret: given });
  const next = totpAt(secret, step + 1);
  await prove(next);
  await sql(deps, putBackUser);
  await assert.rejects(prove(next), { code: "proof_wrong" });
  assert.deepEqual(await tamperedRows(deps), []);

  await prove(used);
  await sql(deps, putBackUser);
  await assert.rejects(prove(used), { code: "proof_wrong" });
  assert.deepEqual(await tamperedRows(deps), [`users:${user.id}`]);
  const [row] = await deps.db.list(AuditLog, { action: "user.recovery_code_used" });
  assert.deepEqual(row?.detail.after, { left: 9 });
});
