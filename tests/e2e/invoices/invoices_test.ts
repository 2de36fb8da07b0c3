import assert from "node:assert/strict";
import { parseEther } from "viem/utils";
import { chooseMethod } from "../../../src/invoices/choose.ts";
import { judgeDue } from "../../../src/invoices/judge_due.ts";
import { AuditLog } from "../../../src/audit/table.ts";
import { addSource } from "../../../src/rates/manage.ts";
import { Addresses } from "../../../src/wallets/tables/addresses.ts";
import { Invoices } from "../../../src/invoices/tables/invoices.ts";
import { type Anvil, startAnvil } from "../../support/nodes/anvil.ts";
import { sendTx } from "../../support/nodes/contracts.ts";
import { makePayer } from "../../support/payers.ts";
import { balanceOf } from "../../support/views.ts";
import { startWorld, type World } from "../../support/world.ts";

const UNIT = 10n ** 15n;
const BY_HAND = { CPG_WORKER: "false" };

interface Asked {
  readonly amount?: string;
  readonly [field: string]: unknown;
}

interface Entry {
  readonly transaction_id: number | null;
  readonly currency: string;
  readonly amount: string;
}

let asks = 0;

async function invoiceOf({ merchant: { api } }: World, asked: Asked = {}) {
  const reply = await api.post("/v1/invoices", {
    // Two requests with the same signature are one.
    reference: `r${++asks}`,
    ...{ amount: "0.01", currency: "ETH", method: { network: "ETH", currency: "ETH" } },
    ...asked,
  });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body.data;
}

/** Reads the chain and judges, as of so much later. */
async function round(world: World, aheadMs = 0): Promise<void> {
  await world.round({ aheadMs });
  const { deps } = world;
  const clock = { nowMs: () => Date.now() + aheadMs };
  await judgeDue({ ...deps, clock });
  await assertCredited(world);
}

/** In coins of their own currency: no invoice counts more than the ledger credited for it. */
async function assertCredited({ merchant: { api } }: World): Promise<void> {
  const invoices = (await api.get("/v1/invoices")).body.data;
  const entries = (await api.get("/v1/ledger")).body.data;
  for (const { payments, confirmed } of invoices) {
    const ids = new Set(payments.map((one: Entry) => one.transaction_id));
    const ofIt = entries.filter((one: Entry) =>
      one.currency === "ETH" && ids.has(one.transaction_id)
    );
    const credited = ofIt.reduce((sum: bigint, one: Entry) => sum + parseEther(one.amount), 0n);
    assert.ok(parseEther(confirmed) <= credited, `${confirmed} of ${credited}`);
  }
}

async function pay({ anvil }: World, invoice: { methods: { address: string }[] }, units: number) {
  await sendTx(anvil, { to: invoice.methods[0]!.address, valueRaw: BigInt(units) * UNIT });
}

const read = async ({ merchant: { api } }: World, id: number) =>
  (await api.get(`/v1/invoices/${id}`)).body.data;

async function typesOf(world: World): Promise<string[]> {
  const sql = "SELECT type FROM events WHERE type LIKE 'invoice.%' ORDER BY id";
  return (await world.deps.db.query(sql)).map(({ type }) => String(type));
}

async function inWorld(work: (world: World, anvil: Anvil) => Promise<void>): Promise<void> {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: BY_HAND });
  await work(world, anvil);
}

Deno.test("an invoice is processing when its payment is seen and paid when it is credited", async () => {
  await inWorld(async (world, anvil) => {
    const invoice = await invoiceOf(world, { reference: "order-7" });
    assert.equal(invoice.status, "open");
    assert.equal(invoice.methods[0].amount_decimal, "0.01");
    await pay(world, invoice, 10);
    await round(world);
    const seen = await read(world, invoice.invoice_id);
    assert.deepEqual([seen.status, seen.paid, seen.confirmed, seen.due], [
      ...["processing", "0.01", "0", "0"],
    ]);
    await anvil.mine(3);
    await round(world);
    const paid = await read(world, invoice.invoice_id);
    assert.deepEqual([paid.status, paid.confirmed, paid.overpaid, paid.is_late], [
      ...["paid", "0.01", "0"],
      false,
    ]);
    assert.equal(paid.payments[0].value, "0.01");
    assert.equal((await balanceOf(world.merchant.api, "ETH")).balance, "0.01");
    assert.deepEqual(await typesOf(world), ["invoice.processing", "invoice.paid"]);
  });
});

Deno.test("a part leaves an invoice underpaid at its end, and the rest later still pays it", async () => {
  await inWorld(async (world, anvil) => {
    const invoice = await invoiceOf(world, { expires_in: 300 });
    const unpaid = await invoiceOf(world, { expires_in: 300 });
    await pay(world, invoice, 4);
    await anvil.mine(3);
    await round(world);
    assert.equal((await read(world, invoice.invoice_id)).due, "0.006");
    await round(world, 301_000);
    assert.equal((await read(world, invoice.invoice_id)).status, "underpaid");
    assert.equal((await read(world, unpaid.invoice_id)).status, "expired");
    await pay(world, invoice, 6);
    await pay(world, unpaid, 4);
    await anvil.mine(3);
    await round(world, 302_000);
    assert.equal((await read(world, invoice.invoice_id)).status, "paid");
    const { status, due, is_late } = await read(world, unpaid.invoice_id);
    assert.deepEqual([status, due, is_late], ["underpaid", "0.006", false]);
    assert.deepEqual((await typesOf(world)).toSorted(), [
      ...["invoice.expired", "invoice.paid", "invoice.underpaid", "invoice.underpaid"],
    ]);
  });
});

Deno.test("a reorganisation takes a payment back, and the invoice is open again", async () => {
  await inWorld(async (world, anvil) => {
    const invoice = await invoiceOf(world);
    await anvil.mine(1);
    await round(world);
    await pay(world, invoice, 10);
    await round(world);
    assert.equal((await read(world, invoice.invoice_id)).status, "processing");
    await anvil.rpc("anvil_rollback", [1]);
    await anvil.mine(4);
    await round(world);
    await round(world);
    const after = await read(world, invoice.invoice_id);
    assert.equal(after.status, after.payments[0]?.status === "detected" ? "processing" : "open");
  });
});

Deno.test("a credit that is taken back reverses a paid invoice, with the event", async () => {
  await inWorld(async (world, anvil) => {
    await anvil.mine(1);
    const payer = await makePayer(anvil, 302);
    const invoice = await invoiceOf(world);
    const { address: to } = invoice.methods[0];
    await payer.pay({ nonce: 0, to, amountRaw: 10n * UNIT });
    await anvil.mine(3);
    await round(world);
    assert.equal((await read(world, invoice.invoice_id)).status, "paid");
    await anvil.rpc("anvil_reorg", [4, []]);
    await round(world);
    await anvil.mine(50);
    await round(world, 600_000);
    const { status, paid, paid_at, due, payments } = await read(world, invoice.invoice_id);
    assert.deepEqual([status, paid, paid_at, due], ["open", "0", null, "0.01"]);
    assert.deepEqual(payments.map((one: { status: string }) => one.status), ["failed"]);
    assert.deepEqual((await typesOf(world)).slice(-2), ["invoice.paid", "invoice.reversed"]);
  });
});

Deno.test("a payment in another coin of the network is credited and listed with the invoice", async () => {
  await inWorld(async (world, anvil) => {
    const token = await world.addToken();
    const invoice = await invoiceOf(world);
    await token.send("mint", [invoice.methods[0].address, 5_000_000n]);
    await anvil.mine(3);
    await round(world);
    const { status, payments } = await read(world, invoice.invoice_id);
    assert.equal(status, "open");
    assert.deepEqual(
      payments.map((one: Record<string, unknown>) => [one.currency, one.amount_decimal, one.value]),
      [["USDT", "5", null]],
    );
  });
});

Deno.test("the merchant cancels, extends and accepts; what is final stays", async () => {
  await inWorld(async (world, anvil) => {
    const { api } = world.merchant;
    const change = async (id: number, what: string, body: object = {}) => {
      const { status, body: { data, error } } = await api.post(
        `/v1/invoices/${id}/${what}?nonce=${++asks}`,
        body,
      );
      return status === 200 ? data.status : `${status} ${error.code}`;
    };
    const invoice = await invoiceOf(world, { expires_in: 300 });
    const id = invoice.invoice_id;
    assert.equal(await change(id, "accept", { reason: "enough" }), "409 invoice_final");
    const early = await api.post(`/v1/invoices/${id}/accept`, { reason: "still nothing" });
    assert.equal(early.body.message, "Nothing has been credited that could be accepted");
    await pay(world, invoice, 4);
    await anvil.mine(3);
    await round(world);
    await round(world, 301_000);
    assert.equal((await read(world, id)).status, "underpaid");
    assert.equal(await change(id, "extend", { expires_in: 600 }), "open");
    assert.equal(await change(id, "accept", { reason: "enough" }), "paid");
    assert.equal((await read(world, id)).due, "0");
    for (const [what, body] of [["cancel", {}], ["extend", { expires_in: 600 }]] as const) {
      assert.equal(await change(id, what, body), "409 invoice_final");
    }
    const other = await invoiceOf(world);
    for (let time = 0; time < 2; time++) {
      assert.equal(await change(other.invoice_id, "cancel"), "cancelled");
    }
    const noted = await world.deps.db.list(AuditLog, { action: "invoice.cancelled" });
    assert.deepEqual(noted.map(({ subject }) => subject), [`invoice:${other.invoice_id}`]);
    await pay(world, other, 10);
    await anvil.mine(3);
    await round(world);
    const cancelled = await read(world, other.invoice_id);
    assert.deepEqual([cancelled.status, cancelled.confirmed], ["cancelled", "0.01"]);
    const { api: stranger } = await world.addMerchant("Other");
    for (const path of ["", "/cancel"]) {
      const target = `/v1/invoices/${id}${path}`;
      const { status } = path === "" ? await stranger.get(target) : await stranger.post(target, {});
      assert.equal(status, 404);
    }
  });
});

Deno.test("an address isn't given to anybody else before its invoice's last minute has passed", async () => {
  await using anvil = await startAnvil();
  const env = { ...BY_HAND, CPG_DEPOSIT_MONITORING: "1", CPG_DEPOSIT_REUSE: "1" };
  await using world = await startWorld({ anvil, env });
  const invoice = await invoiceOf(world, { expires_in: 300 });
  const other = await invoiceOf(world);
  assert.notEqual(other.methods[0].address, invoice.methods[0].address);
  const rows = await world.deps.db.query("SELECT reusable_at_ms AS at FROM addresses");
  const atMs = rows.map(({ at }) => Number(at)).filter((at) => at > 0).toSorted((a, b) =>
    a - b
  )[0]!;
  assert.ok(atMs >= Date.parse(invoice.expires_at) + 60_000, `${atMs}`);
});

Deno.test("the same idempotency key is the same invoice, and what can't be asked is named", async () => {
  await inWorld(async (world) => {
    const { api } = world.merchant;
    const one = await invoiceOf(world, { idempotency_key: "k" });
    const again = await invoiceOf(world, { idempotency_key: "k" });
    assert.deepEqual(again, one);
    const readAgain = JSON.stringify(await read(world, one.invoice_id));
    assert.equal(JSON.stringify(one), readAgain, "the first answer is made without reading it");
    const eth = { network: "ETH", currency: "ETH" };
    const order = { amount: "2", currency: "ETH", idempotency_key: "m" };
    const replay = async (asked: object) => {
      const { headers, body } = await api.post("/v1/invoices", { ...order, ...asked });
      return [body.data.methods.length, headers.get("x-cpg-replay")];
    };
    const other = { network: "ETH", currency: "OTHER" };
    assert.deepEqual(await replay({ methods: [eth] }), [1, null]);
    assert.deepEqual(await replay({ methods: [{ ...eth, network: "eth" }] }), [1, "same"]);
    assert.deepEqual(await replay({ methods: [other] }), [1, "different"]);
    assert.deepEqual(await replay({ amount: "3", methods: [eth] }), [1, "different"]);
    assert.deepEqual(await replay({}), [1, "same"]);
    const refused = async (asked: object) => {
      const { status, body } = await api.post("/v1/invoices", {
        ...{ amount: "1", currency: "ETH" },
        ...asked,
      });
      return [
        status,
        body.error.code,
        body.error.fields?.map((one: { field: string }) => one.field),
      ];
    };
    assert.deepEqual(await refused({ amount: "0" }), [422, "validation_failed", ["amount"]]);
    assert.deepEqual(await refused({ currency: "NOPE" }), [404, "currency_not_found", undefined]);
    const messageFor = async (currency: string) =>
      (await api.post("/v1/invoices", { amount: "1", currency })).body.message;
    const none = "Currency not found: no rates for GBP, nor for any other currency";
    assert.equal(await messageFor("gbp"), none);
    const price = { base: "ETH", kind: "manual", value: "2500", actor: "test" } as const;
    for (const quote of ["USD", "EUR"]) await addSource(world.deps, { ...price, quote });
    assert.equal(await messageFor("gbp"), "Currency not found: no rates for GBP, but for EUR, USD");
    assert.deepEqual(await refused({ amuont: "1" }), [422, "validation_failed", ["amuont"]]);
    assert.deepEqual(await refused({ redirect_url: "http://x.example" }), [
      ...[422, "validation_failed", ["redirect_url"]],
    ]);
    assert.deepEqual(await refused({ method: { network: "NOPE", currency: "ETH" } }), [
      ...[404, "network_not_found", undefined],
    ]);
    assert.deepEqual(await refused({ metadata: { a: { b: 1 } } }), [
      ...[422, "validation_failed", ["metadata"]],
    ]);
    const kept = await invoiceOf(world, { metadata: { __proto__x: "1", order: "7" } });
    assert.deepEqual(kept.metadata, { __proto__x: "1", order: "7" });
    assert.match(kept.url, /\/pay\/[\w-]{22}$/);
    assert.equal((await api.get("/v1/invoices?status=open")).body.data.length, 3);
  });
});

Deno.test("an address that others have by now is neither shown nor used for an old invoice", async () => {
  await inWorld(async (world) => {
    const { deps, merchant: { api } } = world;
    const invoice = await invoiceOf(world, { expires_in: 300 });
    const { address } = invoice.methods[0];
    const afterMs = 40 * 86_400_000;
    const later = { ...deps, clock: { nowMs: () => Date.now() + afterMs } };
    await judgeDue(later);
    const [row] = await deps.db.list(Invoices, { id: invoice.invoice_id });
    // Long after its end it is still free, so it stays this invoice's, for longer.
    const kept = await chooseMethod(later, {
      row: row!,
      coin: { network: "ETH", currency: "ETH" },
    });
    assert.equal(kept.address, address);
    const held = await deps.db.get(Addresses, [kept.addressId]);
    assert.ok(held.reusableAtMs! > Date.now() + afterMs);
    const takenBy = "UPDATE addresses SET current_request_id = NULL WHERE id = ?";
    await deps.db.execute([{ sql: takenBy, args: [kept.addressId] }]);
    assert.equal((await read(world, invoice.invoice_id)).methods[0].address, null);
    const other = await chooseMethod(later, {
      row: row!,
      coin: { network: "ETH", currency: "ETH" },
    });
    assert.notEqual(other.address, address);
    assert.equal((await read(world, invoice.invoice_id)).methods[0].address, other.address);
    assert.equal((await api.get("/v1/invoices")).status, 200);
  });
});

Deno.test("a payment that is written while its invoice is judged isn't missed", async () => {
  await inWorld(async (world, anvil) => {
    const invoice = await invoiceOf(world, { expires_in: 300 });
    await pay(world, invoice, 10);
    await anvil.mine(3);
    const { deps } = world;
    const clock = { nowMs: () => Date.now() + 301_000 };
    let isRead = false;
    // The chain is read just after the invoice's payments were.
    const list: typeof deps.db.list = async (table, where) => {
      const rows = await deps.db.list(table, where);
      if (table.name === "invoice_payments" && !isRead) {
        isRead = true;
        await world.round();
      }
      return rows;
    };
    await judgeDue({ ...deps, clock, db: { ...deps.db, list } });
    await judgeDue({ ...deps, clock });
    assert.ok(isRead);
    assert.equal((await read(world, invoice.invoice_id)).status, "paid");
  });
});
