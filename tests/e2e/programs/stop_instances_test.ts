import assert from "node:assert/strict";
import { createWithdrawal } from "../../../src/withdrawals/create.ts";
import { resumeSigning, stopSigning } from "../../../src/integrity/manage_stop.ts";
import { suspendAccount, unsuspendAccount } from "../../../src/accounts/suspend.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { apiClient, type ApiReply } from "../../support/api_client.ts";
import { makeServerPlace } from "../../support/database/database.ts";
import { type Fleet, startFleet } from "../../support/fleet.ts";
import { eventually } from "../../support/programs/eventually.ts";
import { ETHER } from "../../support/payers.ts";
import { receivedBy } from "../../support/payouts.ts";
import { cursorOf, withdraw } from "../../support/views.ts";

const PAYEE = "0x00000000000000000000000000000000000cafe1";
const AT_ONCE = 4;
const ANSWERS_BEFORE = 12;

/** Asks every instance at once, again and again, until the test ends it; returns the answers. */
function askAll(fleet: Fleet) {
  const { credentials } = fleet.merchant;
  const apis = fleet.members.map(({ url }) => apiClient(url, credentials));
  const replies: ApiReply[] = [];
  let isOver = false;
  const one = async (api: typeof apis[number]) => {
    while (!isOver) replies.push(await withdraw(api, { to: PAYEE, amount: "0.1" }));
  };
  const done = Promise.all(apis.flatMap((api) => Array.from({ length: AT_ONCE }, () => one(api))));
  const end = async () => {
    isOver = true;
    await done;
    return replies;
  };
  return { replies, end };
}

const countOf = async ({ deps }: Fleet, sql: string) =>
  Number((await deps.db.query(`SELECT count(*) AS n FROM ${sql}`))[0]!.n);
const signedBy = (fleet: Fleet) => countOf(fleet, "signed_transactions");
const OPEN = "withdrawals WHERE status IN ('pending', 'broadcasted')";

Deno.test("two instances sign nothing from a stop on, and later pay once what was accepted", async () => {
  await using place = await makeServerPlace({ isMigrated: true });
  await using anvil = await startAnvil({ args: ["--block-time", "1"] });
  await using fleet = await startFleet({ place, anvil, size: 2, rateLimit: 100_000 });
  const { deps, merchant: { accountId, credentials: { keyId } } } = fleet;
  const asking = askAll(fleet);
  await eventually(() => Promise.resolve(asking.replies.length), {
    until: (count) => count >= ANSWERS_BEFORE,
  });
  await stopSigning(deps, { reason: "drill", actor: "test" });
  const signed = await signedBy(fleet);
  const before = asking.replies.length;
  await eventually(() => Promise.resolve(asking.replies.length), {
    until: (count) => count >= before + 40,
  });
  const replies = await asking.end();
  assert.equal(await signedBy(fleet), signed);
  const accepted = replies.filter(({ status }) => status === 200);
  const refused = replies.filter(({ status }) => status === 503);
  assert.equal(accepted.length + refused.length, replies.length);
  assert.ok(accepted.length > 0 && refused.length >= 40 - 2 * AT_ONCE);
  assert.equal(await countOf(fleet, "withdrawals"), accepted.length, "A 503 leaves no row");

  // A withdrawal whose program died before the signature.
  await resumeSigning(deps, { actor: "test" });
  const { row } = await createWithdrawal(deps, {
    caller: { accountId, keyId, actor: "test", signature: null },
    ...{ network: "ETH", currency: "ETH", toAddress: PAYEE, amount: "0.1" },
    clientReference: "left behind",
  });
  await stopSigning(deps, { reason: "drill", actor: "test" });
  const [killed, alive] = fleet.members;
  await killed!.kill();
  const standing = await signedBy(fleet);
  const api = apiClient(alive!.url, fleet.merchant.credentials);
  const height = async () => (await cursorOf(deps)).scanHeight;
  const killedAt = await height();
  // The other instance has taken over, and the client must have disconnected.
  await eventually(height, { until: (now) => now >= killedAt + 25 });
  assert.equal(await signedBy(fleet), standing);
  assert.equal((await api.get(`/v1/withdrawals/${row.id}`)).body.data.status, "pending");
  assert.equal((await withdraw(api, { to: PAYEE, amount: "0.1" })).status, 503);
  await resumeSigning(deps, { actor: "test" });
  await eventually(() => countOf(fleet, OPEN), { until: (open) => open === 0 });
  const paid = BigInt(accepted.length + 1) * ETHER / 10n;
  assert.equal(await receivedBy(anvil, PAYEE), paid);
  assert.equal(await countOf(fleet, "withdrawals WHERE status = 'confirmed'"), accepted.length + 1);
});

Deno.test("a suspension applies at every instance with its commit, and ends there too", async () => {
  await using place = await makeServerPlace({ isMigrated: true });
  await using anvil = await startAnvil();
  await using fleet = await startFleet({ place, anvil, size: 2 });
  const { deps, merchant: { accountId, credentials } } = fleet;
  const apis = fleet.members.map(({ url }) => apiClient(url, credentials));
  const ask = () => Promise.all(apis.map((api) => withdraw(api, { to: PAYEE, amount: "0.1" })));
  const statuses = async () => (await ask()).map(({ status }) => status);
  await eventually(statuses, { until: (all) => all.every((status) => status === 200) });
  await suspendAccount(deps, { accountId, reason: "test", actor: "test" });
  assert.deepEqual(await statuses(), [403, 403]);
  await unsuspendAccount(deps, { accountId, actor: "test" });
  assert.deepEqual(await statuses(), [200, 200]);
});
