import assert from "node:assert/strict";
import { setAccount } from "../../../src/accounts/set_account.ts";
import { judgeDue } from "../../../src/invoices/judge_due.ts";
import { linkOfSlug, startInvoice } from "../../../src/invoices/payment_links.ts";
import { recordAttempts } from "../../../src/webhooks/record_attempts.ts";
import { Refused } from "../../../src/domain/refusal.ts";
import { Events } from "../../../src/webhooks/tables/events.ts";
import { StorageUses } from "../../../src/accounts/tables/storage.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { sendTx } from "../../support/nodes/contracts.ts";
import { ETHER, STRANGER } from "../../support/payers.ts";
import { sentId, settleAll, startPayingWorld, statusOf } from "../../support/payouts.ts";
import { balanceOf, depositsOf, withdraw } from "../../support/views.ts";
import type { World } from "../../support/world.ts";

const ETH = { network: "ETH", currency: "ETH" };
const HOUR_MS = 3_600_000;

async function fill(
  { deps, merchant: { accountId } }: World,
  megabytes: number,
  column = "bytes",
) {
  const row = await deps.db.get(StorageUses, [accountId]);
  await deps.db.execute([{
    sql: `UPDATE storage_uses SET ${column} = ? WHERE account_id = ?`,
    args: [megabytes * 1_000_000, row.accountId],
  }]);
}

async function makeLink({ merchant: { api }, deps, url }: World) {
  const asked = { title: "Tea", currency: "ETH", amount: "0.01" };
  const { body: { data } } = await api.post("/v1/payment-links", asked);
  const { pathname } = new URL(data.url);
  const link = (await linkOfSlug(deps, pathname.slice("/buy/".length)))!;
  const post = async () => {
    const answer = await fetch(url + pathname, {
      method: "POST",
      body: new URLSearchParams(),
      headers: { "accept-language": "de" },
      redirect: "manual",
    });
    return { answer, text: await answer.text() };
  };
  return { link, post };
}

Deno.test("contract 1: with the quota used up, payments are credited, invoices are paid, and payouts go on", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, url, merchant: { api, accountId } } = world;
  const asked = { amount: "0.5", currency: "ETH" };
  const { body: { data: invoice } } = await api.post("/v1/invoices", asked);
  const { post } = await makeLink(world);
  await setAccount(deps, { id: accountId, change: { quotaMb: 1 }, actor: "cli" });
  await fill(world, 1);
  assert.equal((await api.post("/v1/invoices", asked)).body.error.code, "quota_exceeded");
  const { answer, text } = await post();
  assert.equal(answer.status, 429);
  assert.match(text, /in der letzten Stunde zu viele Bestellungen/);
  assert.ok(Number(answer.headers.get("retry-after")) > 0);

  const page = new URL(invoice.url).pathname;
  const chosen = await fetch(url + page, {
    method: "POST",
    body: new URLSearchParams({ coin: "ETH.ETH" }),
    redirect: "manual",
  });
  assert.equal(chosen.status, 303, "a payer can choose a coin");
  await chosen.body?.cancel();
  const shown = (await api.get(`/v1/invoices/${invoice.invoice_id}`)).body.data;
  const before = Number((await balanceOf(api)).balance);
  await sendTx(anvil, { to: shown.methods[0].address, valueRaw: ETHER / 2n });
  await settleAll(world);
  await judgeDue(deps);
  assert.equal(Number((await balanceOf(api)).balance) - before, 0.5);
  assert.equal((await depositsOf(api)).at(0)!.status, "confirmed");
  const paid = (await api.get(`/v1/invoices/${invoice.invoice_id}`)).body.data;
  assert.equal(paid.status, "paid");

  const id = sentId(await withdraw(api, { to: STRANGER, amount: "0.1" }));
  await settleAll(world);
  assert.equal(await statusOf(api, id), "confirmed");
  const use = await deps.db.get(StorageUses, [accountId]);
  assert.ok(use.payoutBytes > 500, `a payout, its events and log: ${use.payoutBytes}`);
  await fill(world, 100);
  sentId(await withdraw(api, { to: STRANGER, amount: "0.1" }));
  assert.equal((await deps.db.get(StorageUses, [accountId])).bytes, 100_000_000, "counted apart");
  await fill(world, 0);
  await fill(world, 1, "payout_bytes");
  assert.equal((await api.post("/v1/invoices", asked)).status, 200);
  const refused = await withdraw(api, { to: STRANGER, amount: "0.2" });
  assert.deepEqual([refused.status, refused.body.error.code], [429, "quota_exceeded"]);
});

Deno.test("contract 1: what a link's visitors, payers and the clock cause isn't counted", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, url, merchant: { api, accountId } } = world;
  const { body: { data: hook } } = await api.post("/v1/webhooks", {
    url: "https://shop.example.com/x",
  });
  const { post } = await makeLink(world);
  const used = async () => {
    const { bytes, payoutBytes } = await deps.db.get(StorageUses, [accountId]);
    return bytes + payoutBytes;
  };
  const before = await used();
  for (let i = 0; i < 3; i++) {
    const { answer } = await post();
    const chosen = await fetch(url + answer.headers.get("location")!, {
      method: "POST",
      body: new URLSearchParams({ coin: "ETH.ETH" }),
      redirect: "manual",
    });
    await chosen.body?.cancel();
    assert.equal(chosen.status, 303);
  }
  const later = { nowMs: () => deps.clock.nowMs() + HOUR_MS };
  await judgeDue({ ...deps, clock: later });
  const events = await deps.db.rows(Events, "WHERE type = 'invoice.expired'");
  assert.equal(events.length, 3);
  const endpointId = hook.webhook_id;
  const attempt = { latencyMs: 1, status: 200, error: null, response: "x", retryAfter: null };
  const reports = events.map(({ id, eventId, type }) => ({
    ...{ eventId: id, publicId: eventId, type, endpointId, atMs: deps.clock.nowMs(), attempt },
  }));
  const recorded = await recordAttempts(deps, { endpointId, reports });
  assert.deepEqual(recorded.map(({ result }) => result), Array(3).fill("delivered"));
  assert.equal(await used(), before);
});

Deno.test("contract 1: a payment link has 1,000 unpaid starts an hour, and what was paid doesn't count", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { api } } = world;
  const { link, post } = await makeLink(world);
  const other = await makeLink(world);
  const shift = { ms: 0 };
  const clock = { nowMs: () => deps.clock.nowMs() + shift.ms };
  const start = () =>
    startInvoice({ ...deps, clock }, { link, amount: "0.01", language: "en" })
      .then((row) => row!, (error: Error) => {
        if (!(error instanceof Refused)) throw error;
        return error;
      });
  const rows = [];
  for (let i = 0; i < 11; i++) rows.push(...await Promise.all(Array.from({ length: 100 }, start)));
  const refused = rows.filter((row) => row instanceof Refused);
  assert.deepEqual([...new Set(refused.map(({ code }) => code))], ["rate_limited"]);
  assert.equal(refused.length, 100);
  const { answer, text } = await post();
  assert.equal(answer.status, 429);
  assert.match(text, /hat über diesen Link in der letzten Stunde zu viele Bestellungen bekommen/);
  const waitS = Number(answer.headers.get("retry-after"));
  assert.ok(waitS > 3_000 && waitS <= 3_600, `${waitS}`);
  assert.equal((await other.post()).answer.status, 303, "another link has its own");

  const [first] = rows;
  assert.ok(first && !(first instanceof Refused));
  const given = await api.post(`/v1/invoices/${first.id}/methods`, ETH);
  await sendTx(anvil, { to: given.body.data.methods[0].address, valueRaw: ETHER / 100n });
  await settleAll(world);
  await judgeDue(deps);
  assert.equal((await api.get(`/v1/invoices/${first.id}`)).body.data.status, "paid");
  assert.equal((await post()).answer.status, 303, "one was paid, so there is room for one");
  assert.equal((await post()).answer.status, 429);
});

Deno.test("contract 1: a payment link's unpaid starts count again after an hour", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps } = world;
  const { link, post } = await makeLink(world);
  await startInvoice(deps, { link, amount: "0.01", language: "en" });
  const since = (ms: number) =>
    deps.db.execute([{
      sql: "UPDATE payment_link_starts SET unpaid = 1000, since_ms = ?",
      args: [deps.clock.nowMs() - ms],
    }]);
  await since(HOUR_MS - 60_000);
  assert.equal((await post()).answer.status, 429);
  await since(HOUR_MS);
  assert.equal((await post()).answer.status, 303);
});
