import assert from "node:assert/strict";
import { recordAudit } from "../../../src/books/records.ts";
import { judgeDue } from "../../../src/invoices/judge_due.ts";
import { lookAt } from "../../../src/invoices/look.ts";
import { acceptInvoice, extendInvoice } from "../../../src/invoices/manage.ts";
import { invoiceShape } from "../../../src/invoices/shape.ts";
import { reconcile } from "../../../src/reconcile/reconcile.ts";
import { refundableOf } from "../../../src/refunds/refundable.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { addSource } from "../../../src/rates/manage.ts";
import { NOT_COUNTED } from "../../../src/invoices/rules/sums.ts";
import { LISTED_IN_LISTS_MAX } from "../../../src/invoices/rules/listed.ts";
import { orderOf } from "../../../src/pay/order.ts";
import type { Db } from "../../../src/store/engine/db.ts";
import {
  InvoiceAddresses,
  InvoicePayments,
  Invoices,
} from "../../../src/invoices/tables/invoices.ts";
import { Refunds } from "../../../src/refunds/table.ts";
import { read as readRow, readAll } from "../../../src/store/engine/workspace.ts";
import { Transactions } from "../../../src/deposits/tables/transactions.ts";
import { Withdrawals } from "../../../src/withdrawals/table.ts";
import { addPayments, addRefunds } from "../../support/checkout/crowded.ts";
import { makeInvoice } from "../../support/checkout/invoices.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { sendTx } from "../../support/nodes/contracts.ts";
import { walk } from "../../http/lists/walking.ts";
import { startWorld, type World } from "../../support/world.ts";

const UNIT = 10n ** 15n;
const BY_HAND = { CPG_WORKER: "false" };

async function inWorld(work: (world: World) => Promise<void>): Promise<void> {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: BY_HAND });
  await work(world);
}

const read = async ({ merchant: { api } }: World, id: number) =>
  (await api.get(`/v1/invoices/${id}`)).body.data;

/** The same, with a count of the rows that are read. */
function counted(deps: Deps): { deps: Deps; rows: () => number } {
  let rows = 0;
  const db: Db = {
    ...deps.db,
    find: async (...asked) => {
      const row = await deps.db.find(...asked);
      if (row) rows++;
      return row;
    },
    get: async (...asked) => {
      rows++;
      return await deps.db.get(...asked);
    },
    list: async (...asked) => {
      const all = await deps.db.list(...asked);
      rows += all.length;
      return all;
    },
    query: async (...asked) => {
      const all = await deps.db.query(...asked);
      rows += all.length;
      return all;
    },
  };
  return { deps: { ...deps, db }, rows: () => rows };
}

Deno.test("one look, one truth: status, sums and payments of an invoice change in the same moment", async () => {
  await inWorld(async (world) => {
    const { deps, anvil, merchant: { accountId } } = world;
    const row = await makeInvoice(deps, { accountId });
    const { address } = await deps.db.get(InvoiceAddresses, [row.id, "ETH"]);
    const look = async () => {
      const { status, paid, confirmed, due, payments } = await read(world, row.id);
      const listed = payments.map((one: { status: string; value: string }) => [
        ...[one.status, one.value],
      ]);
      return { status, paid, confirmed, due, listed };
    };
    await sendTx(anvil, { to: address, valueRaw: 10n * UNIT });
    await world.round();
    // It is in the books, and nobody has judged it.
    const open = { status: "open", paid: "0", confirmed: "0", due: "0.01", listed: [] };
    assert.deepEqual(await look(), open);
    assert.equal((await orderOf(deps, row.token))?.status, "open");
    await judgeDue(deps);
    const seen = { status: "processing", paid: "0.01", confirmed: "0", due: "0" };
    const processing = { ...seen, listed: [["detected", "0.01"]] };
    assert.deepEqual(await look(), processing);
    await anvil.mine(3);
    await world.round();
    assert.equal((await deps.db.get(Transactions, [1])).status, "confirmed");
    assert.deepEqual(await look(), processing);
    assert.equal((await orderOf(deps, row.token))?.status, "processing");
    await judgeDue(deps);
    const paid = { ...seen, status: "paid", confirmed: "0.01", listed: [["confirmed", "0.01"]] };
    assert.deepEqual(await look(), paid);
  });
});

Deno.test("a late payment is listed with its value, and not before it has one", async () => {
  await inWorld(async (world) => {
    const { deps, merchant: { accountId } } = world;
    await addSource(deps, { base: "ETH", quote: "EUR", kind: "manual", value: "2500", actor: "t" });
    const row = await makeInvoice(deps, { accountId, amount: "25", currency: "EUR" });
    const createdAtMs = row.expiresAtMs + 60_001;
    await addPayments(deps, { invoiceId: row.id, count: 1, amount: "0.004", createdAtMs });
    assert.deepEqual((await read(world, row.id)).payments, []);
    await judgeDue(deps);
    const { payments, paid, confirmed } = await read(world, row.id);
    assert.deepEqual([payments[0].value, paid, confirmed], ["10", "10", "10"]);
  });
});

Deno.test("however many payments and refunds an invoice has, a look at it reads a bounded number", async () => {
  await inWorld(async (world) => {
    const { deps, merchant: { api, accountId } } = world;
    const few = await makeInvoice(deps, { accountId });
    const many = await makeInvoice(deps, { accountId });
    for (const { id } of [few, many]) {
      const count = id === many.id ? 300 : 1;
      await addPayments(deps, { invoiceId: id, count, amount: "0.002" });
      await judgeDue(deps);
      const failed = { count: 2 * count, status: "failed" as const, amount: "0.0001" };
      await addRefunds(deps, { invoiceId: id, ...failed });
      await addRefunds(deps, { invoiceId: id, count, amount: "0.001" });
    }
    for (let round = 0; round < 5; round++) await judgeDue(deps);
    const whole = await read(world, many.id);
    assert.deepEqual([whole.status, whole.paid, whole.overpaid], ["paid", "0.6", "0.59"]);
    assert.deepEqual([whole.payments.length, whole.payments_count], [100, 300]);
    assert.deepEqual([whole.refunds.length, whole.refunds_count], [100, 900]);
    const [{ left } = assert.fail()] = await refundableOf(
      deps,
      await deps.db.get(Invoices, [many.id]),
    );
    assert.equal(left.toString(), "0.3");
    const { body: { data: [listed] } } = await api.get("/v1/invoices");
    assert.equal(listed.invoice_id, many.id);
    const { payments, refunds, ...rest } = listed;
    assert.deepEqual([payments.length, refunds.length], [LISTED_IN_LISTS_MAX, LISTED_IN_LISTS_MAX]);
    const { payments: _, refunds: __, ...same } = whole;
    assert.deepEqual(rest, same);

    const rowsOf = async (id: number, look: (deps: Deps) => Promise<unknown>) => {
      const counting = counted(deps);
      await look(counting.deps);
      return { id, rows: counting.rows() };
    };
    const invoice = await deps.db.get(Invoices, [many.id]);
    const all = await rowsOf(many.id, (counting) => lookAt(counting, invoice));
    assert.ok(all.rows <= 310, `${all.rows} rows for the API`);
    const receipt = async (query: string) =>
      await (await fetch(`${world.url}/pay/${many.token}?lang=en${query}`)).text();
    const short = await receipt("");
    const link = /href="(\?lang=en&(?:amp;)?payments=all)">\+ 280</.exec(short)?.[1];
    assert.equal(short.match(/<code[^>]*>0x/g)?.length, 20);
    const long = await receipt(link!.replace("?lang=en", "").replace("&amp;", "&"));
    assert.equal(long.match(/<code[^>]*>0x/g)?.length, 100);
    assert.match(long, /\+ 200</);
    const page = await rowsOf(many.id, (counting) => orderOf(counting, many.token));
    assert.ok(page.rows <= 60, `${page.rows} rows for a payer`);
    const inLists = { paymentsMax: LISTED_IN_LISTS_MAX, refundsMax: LISTED_IN_LISTS_MAX };
    const line = await rowsOf(many.id, (counting) => lookAt(counting, invoice, inLists));
    assert.ok(line.rows <= 12, `${line.rows} rows in a list`);
  });
});

Deno.test("all payments and refunds of an invoice are in the lists, page by page, and nobody else's", async () => {
  await inWorld(async (world) => {
    const { deps, merchant: { api, accountId } } = world;
    const [{ id }, other] = [
      await makeInvoice(deps, { accountId }),
      await makeInvoice(deps, { accountId }),
    ];
    for (const invoiceId of [other.id, id, other.id]) {
      await addPayments(deps, { invoiceId, count: 110, amount: "0.001" });
      await addPayments(deps, { invoiceId, count: 10, amount: "0.001", status: "failed" });
    }
    await addRefunds(deps, { invoiceId: id, count: 120, amount: "0.0001" });
    await addRefunds(deps, { invoiceId: id, count: 3, amount: "0.0001", status: "cancelled" });
    await addRefunds(deps, { invoiceId: other.id, count: 3, amount: "0.0001" });
    const payments = await walk(api, "/v1/deposits", { invoice_id: String(id), limit: "50" });
    const links = await deps.db.list(InvoicePayments, { invoiceId: id });
    const newestFirst = links.map((link) => link.transactionId).toSorted((a, b) => b - a);
    assert.deepEqual(payments.map((row) => row.id), newestFirst);
    const count = async (path: string, query: Record<string, string>) =>
      (await walk(api, path, query)).length;
    const ofIt = { invoice_id: String(id) };
    assert.equal(await count("/v1/deposits", { ...ofIt, status: "failed" }), 10);
    assert.equal(await count("/v1/deposits", { ...ofIt, currency: "NONE" }), 0);
    const [{ tx_hash, address }] = payments;
    assert.equal(await count("/v1/deposits", { ...ofIt, tx_hash, address }), 1);
    const elsewhere = { invoice_id: String(other.id), tx_hash };
    assert.equal(await count("/v1/deposits", elsewhere), 0);
    assert.equal(await count("/v1/withdrawals", ofIt), 123);
    assert.equal(await count("/v1/withdrawals", { ...ofIt, status: "cancelled" }), 3);
    const { api: stranger } = await world.addMerchant("Other");
    assert.deepEqual(await walk(stranger, "/v1/deposits", ofIt), []);
    assert.deepEqual(await walk(stranger, "/v1/withdrawals", ofIt), []);
    const { status, body } = await api.get("/v1/deposits?invoice_id=x");
    assert.deepEqual([status, body.error.fields[0].field], [422, "invoice_id"]);
  });
});

Deno.test("a refund is in the answer at once, and its money counts again once it was not paid", async () => {
  await inWorld(async (world) => {
    const { deps, merchant: { accountId } } = world;
    const { id } = await makeInvoice(deps, { accountId });
    await addPayments(deps, { invoiceId: id, count: 1, amount: "0.01" });
    await judgeDue(deps);
    await addRefunds(deps, { invoiceId: id, count: 2, amount: "0.004", status: "pending" });
    const left = async () =>
      (await refundableOf(deps, await deps.db.get(Invoices, [id])))
        .map((one) => one.left.toString());
    assert.deepEqual([(await read(world, id)).refunds.length, await left()], [2, ["0.002"]]);
    const [, { withdrawal_id: failing }] = (await read(world, id)).refunds;
    await deps.db.write({
      reads: [readRow(Withdrawals, [failing])],
      decide: (view) => {
        const row = view.get(Withdrawals, [failing]);
        view.update(Withdrawals, row, { status: "failed" });
        recordAudit(view, {
          ...{ actor: "test", action: "invoice.refunded", subject: `withdrawal:${failing}` },
          ...{ detail: {}, nowMs: view.nowMs },
        });
      },
    });
    await judgeDue(deps);
    const { refunds, refunds_count: count } = await read(world, id);
    assert.deepEqual(refunds.map((one: { status: string }) => one.status), ["pending", "failed"]);
    assert.deepEqual([count, await left()], [2, ["0.006"]]);
    const quiet = await deps.db.get(Invoices, [id]);
    await judgeDue(deps);
    assert.deepEqual(await deps.db.get(Invoices, [id]), quiet);
  });
});

Deno.test("what is refunded is said once it has arrived, also of what arrived in an older version", async () => {
  await inWorld(async (world) => {
    const { deps, merchant: { accountId } } = world;
    const { id, token } = await makeInvoice(deps, { accountId });
    await addPayments(deps, { invoiceId: id, count: 1, amount: "0.01" });
    await judgeDue(deps);
    await addRefunds(deps, { invoiceId: id, count: 1, amount: "0.01", status: "broadcasted" });
    await addRefunds(deps, { invoiceId: id, count: 2, amount: "0.005", status: "broadcasted" });
    const links = await deps.db.list(Refunds, { invoiceId: id });
    const become = async (i: number, status: "confirmed" | "failed") => {
      const { withdrawalId } = links[i]!;
      await deps.db.write({
        reads: [readRow(Withdrawals, [withdrawalId])],
        decide: (view) => {
          view.update(Withdrawals, view.get(Withdrawals, [withdrawalId]), { status });
          recordAudit(view, {
            ...{ actor: "test", action: "invoice.refunded", subject: `withdrawal:${withdrawalId}` },
            ...{ detail: {}, nowMs: view.nowMs },
          });
        },
      });
      await judgeDue(deps);
    };
    const word = async () => (await orderOf(deps, token))?.refunded;
    assert.equal(await word(), undefined);
    await become(0, "failed");
    assert.equal(await word(), undefined);
    await become(1, "confirmed");
    assert.equal(await word(), "partly refunded");
    await become(2, "confirmed");
    assert.equal(await word(), "refunded");
    const kept = await deps.db.get(Invoices, [id]);
    assert.deepEqual(kept.sums?.returned, { "ETH/ETH": "0.01" });
    assert.deepEqual((await reconcile(deps, { network: undefined })).invoices, []);

    await deps.db.write({
      reads: [readRow(Invoices, [id]), ...readAll(Refunds, links.map((one) => [one.withdrawalId]))],
      decide: (view) => {
        const { returned: _, ...sums } = kept.sums!;
        view.update(Invoices, view.get(Invoices, [id]), { sums });
        for (const { withdrawalId } of links) {
          view.update(Refunds, view.get(Refunds, [withdrawalId]), { returned: null });
        }
      },
    });
    const text = await Deno.readTextFile("migrations/0103_refunds_returned.sql");
    const [, past = ""] = text.split("are added up by and by.");
    await deps.db.execute([{ sql: past, args: [] }]);
    assert.deepEqual((await reconcile(deps, { network: undefined })).invoices, []);
    await judgeDue(deps);
    assert.deepEqual(await deps.db.get(Invoices, [id]), kept);
    assert.equal(await word(), "refunded");
  });
});

Deno.test("refunds of an invoice that can't be counted keep no other invoice of its batch marked", async () => {
  await inWorld(async (world) => {
    const { deps, merchant: { accountId } } = world;
    const [bad, good] = [
      await makeInvoice(deps, { accountId }),
      await makeInvoice(deps, { accountId }),
    ];
    for (const { id: invoiceId } of [bad, good]) {
      await addPayments(deps, { invoiceId, count: 1, amount: "0.01" });
    }
    await addRefunds(deps, { invoiceId: bad.id, count: 201, amount: "0.00001" });
    await addRefunds(deps, { invoiceId: good.id, count: 2, amount: "0.001" });
    const sql = "UPDATE refunds SET counted = NULL, returned = NULL WHERE invoice_id = ?";
    await deps.db.execute([{ sql, args: [bad.id] }]);
    await assert.rejects(judgeDue(deps), { name: "TamperedRow" });
    const later = { ...deps, clock: { nowMs: () => Date.now() + 61_000 } };
    await assert.rejects(judgeDue(later), { name: "TamperedRow" });
    const { judgeAtMs, status } = await deps.db.get(Invoices, [good.id]);
    assert.deepEqual([judgeAtMs, status], [null, "paid"]);
  });
});

Deno.test("who changes an invoice does it with everything that has come, and what was late is in time", async () => {
  await inWorld(async (world) => {
    const { deps, merchant: { accountId } } = world;
    const row = await makeInvoice(deps, { accountId, expiresInS: 300 });
    const { id } = row;
    const late = { ...deps, clock: { nowMs: () => row.expiresAtMs + 70_000 } };
    await judgeDue(late);
    await addPayments(late, { invoiceId: id, count: 2, amount: "0.002" });
    const extended = await extendInvoice(late, { id, accountId, expiresInS: 600, actor: "test" });
    assert.deepEqual([extended.status, extended.sums?.paid], ["open", "0.004"]);
    await addPayments(late, { invoiceId: id, count: 1, amount: "0.001" });
    const order = { id, accountId, reason: "Fine", actor: "test" };
    const accepted = await acceptInvoice(late, order);
    assert.deepEqual([accepted.status, accepted.acceptedValue], ["paid", "0.005"]);
    await judgeDue(late);
    const { sums, status } = await deps.db.get(Invoices, [id]);
    assert.deepEqual([status, sums?.paid, sums?.inTime, sums?.extended], [
      ...["paid", "0.005", "0.005", null],
    ]);
  });
});

Deno.test("an invoice from before sums were kept shows the same until they are, and then", async () => {
  await inWorld(async (world) => {
    const { deps, merchant: { accountId } } = world;
    const row = await makeInvoice(deps, { accountId });
    await addPayments(deps, { invoiceId: row.id, count: 3, amount: "0.003" });
    await judgeDue(deps);
    await addRefunds(deps, { invoiceId: row.id, count: 2, amount: "0.001" });
    await addRefunds(deps, { invoiceId: row.id, count: 1, amount: "0.001", status: "failed" });
    await judgeDue(deps);
    const kept = await deps.db.get(Invoices, [row.id]);
    const shown = async (deps: Deps) => {
      const now = await deps.db.get(Invoices, [row.id]);
      const look = await lookAt(deps, now);
      return invoiceShape(now, { look, publicUrl: "", nowMs: deps.clock.nowMs() });
    };
    const before = await shown(deps);
    const refunds = await deps.db.list(Refunds, { invoiceId: row.id });
    const keys = refunds.map(({ withdrawalId }) => [withdrawalId]);
    await deps.db.write({
      reads: [readRow(Invoices, [row.id]), ...readAll(Refunds, keys)],
      decide: (view) => {
        view.update(Invoices, view.get(Invoices, [row.id]), { sums: null, judgeAtMs: 1 });
        for (const key of keys) view.update(Refunds, view.get(Refunds, key), NOT_COUNTED);
      },
    });
    assert.deepEqual(await shown(deps), before);
    await judgeDue(deps);
    assert.deepEqual(await deps.db.get(Invoices, [row.id]), kept);
    assert.deepEqual(kept.sums?.refunded, { "ETH/ETH": "0.002" });
    assert.deepEqual(await shown(deps), before);
  });
});

Deno.test("reconcile finds sums that differ from their payments and refunds, and puts them right", async () => {
  await inWorld(async (world) => {
    const { deps, merchant: { accountId } } = world;
    const [one, two, fresh] = await Promise.all(
      Array.from({ length: 3 }, () => makeInvoice(deps, { accountId })),
    );
    const ids = [one!.id, two!.id];
    for (const invoiceId of ids) {
      await addPayments(deps, { invoiceId, count: 3, amount: "0.003" });
      await addPayments(deps, { invoiceId, count: 1, amount: "0.001", status: "failed" });
      await addRefunds(deps, { invoiceId, count: 2, amount: "0.001" });
    }
    await judgeDue(deps);
    await addPayments(deps, { invoiceId: fresh!.id, count: 1, amount: "0.003" });
    assert.deepEqual((await reconcile(deps, { network: undefined })).invoices, []);
    const right = await deps.db.get(Invoices, [ids[0]!]);
    await deps.db.write({
      reads: [readRow(Invoices, [ids[0]!])],
      decide: (view) => {
        const now = view.get(Invoices, [ids[0]!]);
        const sums = { ...now.sums!, confirmed: "1", refunds: 7 };
        view.update(Invoices, now, { sums });
      },
    });
    const { invoices, differences } = await reconcile(deps, { network: undefined });
    const wrong = { invoiceId: ids[0], accountId, currency: "ETH", expected: "0.009", found: "1" };
    assert.deepEqual([invoices, differences], [[wrong], []]);
    await judgeDue(deps);
    assert.deepEqual((await deps.db.get(Invoices, [ids[0]!])).sums, right.sums);
    assert.deepEqual((await reconcile(deps, { network: undefined })).invoices, []);
  });
});
