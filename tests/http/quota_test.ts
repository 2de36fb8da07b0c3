import assert from "node:assert/strict";
import { signIn } from "../../src/access/sign_in.ts";
import { createAccount } from "../../src/accounts/manage_accounts.ts";
import { setAccount } from "../../src/accounts/set_account.ts";
import { Accounts } from "../../src/accounts/tables/accounts.ts";
import { StorageUses } from "../../src/accounts/tables/storage.ts";
import { watchQuotas } from "../../src/accounts/watch_quotas.ts";
import { Notices } from "../../src/alerts/table.ts";
import { storedOf } from "../../src/books/quota.ts";
import { balanceRead, postEntry, recordAudit } from "../../src/books/records.ts";
import { Amount } from "../../src/domain/money/amount.ts";
import { judgeDue } from "../../src/invoices/judge_due.ts";
import { openAlertsOf } from "../../src/notifications/reads/notices.ts";
import { recordAttempts } from "../../src/webhooks/record_attempts.ts";
import { Events } from "../../src/webhooks/tables/events.ts";
import {
  type ClockedGateway,
  DEAD_NODE,
  makeClockedMerchant,
  startClockedGateway,
} from "./clocked_gateway.ts";
import type { ApiReply } from "../support/api_client.ts";
import { makeUser, PASSWORD } from "../support/dashboard/dashboard.ts";
import { enable, makeNetwork } from "../support/gateway.ts";

const ETH = { network: "ETH", currency: "ETH" };
const HOUR_MS = 3_600_000;
const MB = 1_000_000;
/** As large as its fields may be. */
const METADATA = Object.fromEntries(
  Array.from({ length: 20 }, (_, i) => [`k${i}`, "x".repeat(256)]),
);

async function makeShop(gateway: ClockedGateway, name?: string) {
  const shop = await makeClockedMerchant(gateway, {
    rateLimit: 1_000_000,
    ...name === undefined ? {} : { name },
  });
  await enable(gateway.deps, { accountId: shop.accountId, ...ETH });
  let orders = 0;
  const order = (more: object = {}): Promise<ApiReply> => {
    const asked = { amount: "1", currency: "ETH", metadata: METADATA };
    return shop.api.post("/v1/invoices", { ...asked, reference: `r${++orders}`, ...more });
  };
  const stored = async () => (await gateway.deps.db.find(StorageUses, [shop.accountId]))!;
  return { ...shop, order, stored };
}

async function startShops() {
  const gateway = await startClockedGateway();
  await makeNetwork(gateway.deps, { rpcUrls: [DEAD_NODE] });
  return gateway;
}

const setQuota = ({ deps }: ClockedGateway, id: number, quotaMb: number) =>
  setAccount(deps, { id, change: { quotaMb }, actor: "cli" });

function assertFull({ status, body, headers }: ApiReply, what?: string): void {
  assert.deepEqual([status, body.error?.code], [429, "quota_exceeded"], what);
  assert.equal(
    body.message,
    "Storage quota exceeded: 1 MB a day, until 2026-02-01T00:00:00+00:00",
  );
  assert.equal(headers.get("retry-after"), String(12 * 3_600));
}

Deno.test("contract 1: an account stores its quota a day, then 429 with the time when it ends", async () => {
  await using gateway = await startShops();
  const { order, stored, ...shop } = await makeShop(gateway);
  const other = await makeShop(gateway, "Other");
  await setQuota(gateway, shop.accountId, 1);
  const first = await order({ idempotency_key: "first" });
  const replies: ApiReply[] = [];
  while (replies.every(({ status }) => status === 200) && replies.length < 300) {
    replies.push(...await Promise.all(Array.from({ length: 20 }, () => order())));
  }
  const made = replies.filter(({ status }) => status === 200).length;
  assert.ok(made > 100 && made < 200, `${made} invoices of 5 kB`);
  for (const reply of replies.filter(({ status }) => status !== 200)) assertFull(reply);
  const { bytes } = await stored();
  assert.ok(bytes >= MB && bytes < 1.02 * MB, `${bytes}: whatever comes at once`);

  const id = first.body.data.invoice_id;
  const full: readonly [string, object][] = [
    ["/v1/deposit-addresses", ETH],
    ["/v1/payment-links", { title: "Tea", currency: "ETH" }],
    ["/v1/webhooks", { url: "https://shop.example.com/hooks" }],
    [`/v1/invoices/${id}/extend`, { expires_in: 3_000 }],
  ];
  for (const [path, body] of full) assertFull(await shop.api.post(path, body), path);
  const replay = await order({ idempotency_key: "first" });
  assert.deepEqual([replay.status, replay.body.data.invoice_id], [200, id]);
  assert.equal((await shop.api.get(`/v1/invoices/${id}`)).status, 200);
  assert.equal((await shop.api.post(`/v1/invoices/${id}/methods`, ETH)).status, 200);
  assert.equal((await shop.api.post(`/v1/invoices/${id}/cancel`, {})).status, 200);
  assert.equal((await other.order()).status, 200, "nobody else's share");

  await setQuota(gateway, shop.accountId, 2);
  assert.equal((await order()).status, 200, "an operator allows more at once");
  await setQuota(gateway, shop.accountId, 1);
  assertFull(await order());
  gateway.clock.advance(12 * HOUR_MS);
  assert.equal((await order()).status, 200, "the next day");
  assert.ok((await stored()).bytes < MB / 10);
});

Deno.test("contract 1: without a setting, an account's quota is 64 MB", async () => {
  await using gateway = await startShops();
  const { accountId, order } = await makeShop(gateway);
  const { deps: { db } } = gateway;
  const use = (bytes: number) =>
    db.execute([{ sql: "UPDATE storage_uses SET bytes = ?", args: [bytes] }]);
  await order();
  await use(63_990_000);
  assert.equal((await order()).status, 200);
  await use(64 * MB);
  assert.equal((await order()).status, 429);
  const account = await db.get(Accounts, [accountId]);
  assert.equal((await storedOf(gateway.deps, account)).bytesMax, 64 * MB);
});

Deno.test("what is counted for an account is about what the database grows by", async () => {
  await using gateway = await startShops();
  const { order, stored, api } = await makeShop(gateway);
  const { db } = gateway.deps;
  const size = async () => {
    const [row] = await db.query(
      "SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()",
    );
    return Number(row!.bytes);
  };
  let users = 0;
  const address = () =>
    api.post("/v1/deposit-addresses", { ...ETH, user_identifier: `customer ${++users}` });
  const makers = {
    large: () => order(),
    small: () => order({ metadata: {} }),
    "with address": () => order({ metadata: {}, method: ETH }),
    "in Japanese": () => order({ metadata: { note: "注文".repeat(128) } }),
    address,
  };
  for (const [what, make] of Object.entries(makers)) {
    const [sizeBefore, { bytes: before }] = [await size(), await stored()];
    for (let round = 0; round < 10; round++) {
      const replies = await Promise.all(Array.from({ length: 60 }, make));
      for (const { status, body } of replies) assert.equal(status, 200, JSON.stringify(body));
    }
    const [grown, counted] = [await size() - sizeBefore, (await stored()).bytes - before];
    const ratio = counted / grown;
    assert.ok(ratio > 0.75 && ratio < 1.35, `${what}: ${counted} counted, ${grown} grown`);
  }
});

Deno.test("events, attempts to deliver them and sign-ins count too, and payments don't", async () => {
  await using gateway = await startShops();
  const { order, stored, api, accountId } = await makeShop(gateway);
  const { deps } = gateway;
  const grown = async (work: () => Promise<unknown>) => {
    const { bytes } = await stored();
    await work();
    return (await stored()).bytes - bytes;
  };
  const { body: { data } } = await api.post("/v1/webhooks", { url: "https://shop.example.com/x" });
  const id = (await order()).body.data.invoice_id;
  const cancelled = await grown(() => api.post(`/v1/invoices/${id}/cancel`, {}));
  assert.ok(cancelled > 5_000, `the event has the whole invoice: ${cancelled}`);
  const [event] = await deps.db.rows(Events, "WHERE type = 'invoice.cancelled'");
  const attempt = { latencyMs: 1, status: 200, error: null, response: "x".repeat(1_000) };
  const report = {
    ...{
      eventId: event!.id,
      publicId: event!.eventId,
      type: event!.type,
      endpointId: data.webhook_id,
    },
    ...{ atMs: gateway.clock.nowMs(), attempt: { ...attempt, retryAfter: null } },
  };
  const attempted = await grown(() =>
    recordAttempts(deps, { endpointId: data.webhook_id, reports: [report] })
  );
  assert.ok(attempted > 1_000 && attempted < 1_500, `${attempted}`);
  const email = "merchant@example.com";
  const user = await makeUser(deps, { email, accountId, role: "merchant", actor: "test" });
  const given = { email: user.email, password: PASSWORD, origin: { ip: "::1", userAgent: "x" } };
  assert.ok(await grown(() => signIn(deps, given)) > 300);
  const asset = { accountId, ...ETH };
  const credited = await grown(() =>
    deps.db.write({
      reads: [balanceRead(asset)],
      decide: (view) => {
        const amount = Amount.parse("1", "ETH/ETH");
        postEntry(view, { ...asset, kind: "credit", amount, nowMs: view.nowMs });
        const said = {
          action: "deposit.confirmed",
          detail: { before: null, after: null },
        } as const;
        recordAudit(view, { actor: "worker", ...said, subject: "deposit:1", nowMs: 1 });
      },
    })
  );
  assert.equal(credited, 0);
});

Deno.test("contract 1: an ended invoice that is extended counts what its next end stores", async () => {
  await using gateway = await startShops();
  const { order, stored, api } = await makeShop(gateway);
  const { clock, deps } = gateway;
  const id = (await order({ expires_in: 300 })).body.data.invoice_id;
  const extend = async () => {
    const { bytes } = await stored();
    assert.equal((await api.post(`/v1/invoices/${id}/extend`, { expires_in: 300 })).status, 200);
    return (await stored()).bytes - bytes;
  };
  const end = async () => {
    clock.advance(301_000);
    await judgeDue(deps);
  };
  assert.ok(await extend() < 1_000, "its first end is still to come");
  for (const ends of [1, 2, 3]) {
    await end();
    const events = await deps.db.rows(Events, "WHERE type = 'invoice.expired'");
    assert.equal(events.length, ends);
    assert.ok(JSON.stringify(events[0]!.payload).length > 5_000);
    const counted = await extend();
    assert.ok(counted > 5_000 && counted < 10_000, `${counted}`);
  }
});

Deno.test("contract 1: an event that an account sends again counts, whoever caused it", async () => {
  await using gateway = await startShops();
  const { order, stored, api } = await makeShop(gateway);
  const { clock, deps } = gateway;
  for (const i of [1, 2, 3]) {
    const { status } = await api.post("/v1/webhooks", { url: `https://shop.example.com/${i}` });
    assert.equal(status, 200);
  }
  await order({ expires_in: 300 });
  clock.advance(301_000);
  await judgeDue(deps);
  const [event] = await deps.db.rows(Events, "WHERE type = 'invoice.expired'");
  const { bytes } = await stored();
  const reply = await api.post(`/v1/events/${event!.eventId}/redeliver`, {});
  assert.deepEqual([reply.status, reply.body.data?.redelivered], [200, 3]);
  const counted = (await stored()).bytes - bytes;
  assert.ok(counted > 3_600, `three answers of a kilobyte: ${counted}`);
});

Deno.test("an alert tells operators and the account at 80 % of its quota and at all of it", async () => {
  await using gateway = await startShops();
  const { accountId, order } = await makeShop(gateway);
  const { deps, clock } = gateway;
  await createAccount(deps, { name: "Quiet", actor: "test" });
  await setQuota(gateway, accountId, 10);
  await order();
  const open = async () => {
    await watchQuotas(deps);
    const kinds = ["quota_nearly_used", "quota_used_up"] as const;
    const rows = (await Promise.all(kinds.map((kind) => openAlertsOf(deps.db, kind)))).flat();
    return rows.map(({ kind, subject }) => `${kind} ${subject}`);
  };
  const use = (bytes: number) =>
    deps.db.execute([{
      sql: "UPDATE storage_uses SET bytes = ? WHERE account_id = ?",
      args: [bytes, accountId],
    }]);
  await use(7_999_999);
  assert.deepEqual(await open(), []);
  await use(8_000_000);
  assert.deepEqual(await open(), [`quota_nearly_used account:${accountId}`]);
  await use(10_000_000);
  const both = [
    `quota_nearly_used account:${accountId}`,
    `quota_used_up account:${accountId}`,
  ];
  assert.deepEqual(await open(), both);
  assert.deepEqual(await open(), both);
  const notices = await deps.db.rows(Notices, "WHERE topic = 'alerts' ORDER BY id");
  assert.deepEqual(notices.map((row) => row.accountId), [accountId, accountId]);
  assert.match(notices[0]!.text, /has stored 8 of the 10 MB that it may until 2026-02-01T00/);
  assert.match(notices[1]!.text, /has stored its 10 MB of the day.*payments are credited/);
  assert.match(notices[1]!.text, /payouts have a share of their own/);
  await deps.db.execute([{ sql: "UPDATE storage_uses SET payout_bytes = 10000000", args: [] }]);
  const ofPayouts = both.map((subject) => `${subject} payouts`);
  assert.deepEqual(new Set(await open()), new Set([...both, ...ofPayouts]));
  const [last] = await deps.db.rows(Notices, "WHERE topic = 'alerts' ORDER BY id DESC LIMIT 1");
  assert.match(last!.text, /Payouts of account .* have stored their 10 MB.*new ones are refused/);
  clock.advance(12 * HOUR_MS);
  assert.deepEqual(await open(), []);
});
