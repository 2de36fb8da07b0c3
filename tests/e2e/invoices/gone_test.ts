import assert from "node:assert/strict";
import { judgeDue } from "../../../src/invoices/judge_due.ts";
import { isPayable } from "../../../src/invoices/rules/status.ts";
import { orderOf } from "../../../src/pay/order.ts";
import { onEveryFamily, type Scene, unitsOf } from "../../support/grounds/scenario.ts";
import { type Anvil, startAnvil } from "../../support/nodes/anvil.ts";
import { makePayer, mineRaw } from "../../support/payers.ts";
import { depositsOf } from "../../support/views.ts";
import { type BareWorld, startWorld } from "../../support/world.ts";

const UNIT = 10n ** 15n;

/** A gateway whose chain is read and whose invoices are judged by hand, as of so much later. */
interface Desk {
  readonly world: BareWorld;
  readonly network: string;
  round(aheadMs?: number): Promise<void>;
}

function deskOf(world: BareWorld, network = "ETH"): Desk {
  let laterMs = 0;
  return {
    world,
    network,
    round: async (aheadMs = 0) => {
      laterMs += aheadMs;
      await world.round({ aheadMs: laterMs });
      await judgeDue({ ...world.deps, clock: { nowMs: () => Date.now() + laterMs } });
    },
  };
}

async function invoiceOf({ world, network }: Desk, asked: object = {}) {
  const method = { network, currency: network };
  const reply = await world.merchant.api.post("/v1/invoices", {
    ...{ amount: "0.01", currency: network, method },
    ...asked,
  });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  const { invoice_id: id, url, methods: [{ address }] } = reply.body.data;
  return { id, address: String(address), token: String(url).split("/").at(-1)! };
}

async function stands({ world }: Desk, { id }: { id: number }): Promise<string[]> {
  const { data } = (await world.merchant.api.get(`/v1/invoices/${id}`)).body;
  return [data.status, data.paid, data.due];
}

async function inWorld(work: (desk: Desk, anvil: Anvil) => Promise<void>): Promise<void> {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: { CPG_WORKER: "false" } });
  await work(deskOf(world), anvil);
}

Deno.test("checkout 2: a payment gone for longer than forks are believed is asked for again until it returns", async () => {
  await inWorld(async (desk, anvil) => {
    const { deps, merchant: { api } } = desk.world;
    const payer = await makePayer(anvil, 401);
    const invoice = await invoiceOf(desk);
    await desk.round();
    const { raw, height } = await payer.pay({
      nonce: 0,
      to: invoice.address,
      amountRaw: 10n * UNIT,
    });
    await desk.round();
    assert.deepEqual(await stands(desk, invoice), ["processing", "0.01", "0"]);
    await anvil.rpc("anvil_reorg", [1, []]);
    await anvil.mine(1);
    await desk.round();
    await desk.round(60_000);
    assert.deepEqual(await stands(desk, invoice), ["processing", "0.01", "0"]);
    // Anvil calls final what is 64 blocks deep.
    await anvil.mine(height + 63 - Number(await anvil.rpc("eth_blockNumber")));
    await desk.round();
    await desk.round(60_000);
    assert.deepEqual(await stands(desk, invoice), ["processing", "0.01", "0"]);
    await anvil.mine(1);
    await desk.round();
    await desk.round(60_000);
    assert.deepEqual(await stands(desk, invoice), ["open", "0", "0.01"]);
    const [deposit] = await depositsOf(api);
    assert.deepEqual([deposit!.status, deposit!.confirmations], ["detected", 0]);
    const order = await orderOf(deps, invoice.token);
    assert.ok(isPayable(order!.status));
    assert.deepEqual([order!.due, order!.payments], ["0.01", []]);
    assert.equal(order!.coins[0]!.target?.address, invoice.address);

    await mineRaw(anvil, raw);
    await desk.round();
    assert.deepEqual(await stands(desk, invoice), ["processing", "0.01", "0"]);
    await anvil.mine(3);
    await desk.round();
    await desk.round();
    assert.deepEqual(await stands(desk, invoice), ["paid", "0.01", "0"]);
    assert.deepEqual(
      (await depositsOf(api)).map(({ id, status }) => [id, status]),
      [[deposit!.id, "confirmed"]],
    );
  });
});

Deno.test("a payment that left the chain again waits anew, and one paid instead leaves an excess", async () => {
  await inWorld(async (desk, anvil) => {
    const [payer, other] = [await makePayer(anvil, 402), await makePayer(anvil, 403)];
    const invoice = await invoiceOf(desk);
    const { raw } = await payer.pay({ nonce: 0, to: invoice.address, amountRaw: 10n * UNIT });
    await desk.round();
    const lose = async () => {
      await anvil.rpc("anvil_reorg", [1, []]);
      await anvil.mine(1);
      await desk.round();
    };
    const wait = async (blocks: number) => {
      await anvil.mine(blocks);
      await desk.round();
      await desk.round(60_000);
    };
    await lose();
    await wait(70);
    assert.deepEqual(await stands(desk, invoice), ["open", "0", "0.01"]);
    await mineRaw(anvil, raw);
    await desk.round();
    await lose();
    await wait(20);
    assert.deepEqual(await stands(desk, invoice), ["processing", "0.01", "0"]);
    await wait(60);
    assert.deepEqual(await stands(desk, invoice), ["open", "0", "0.01"]);
    await other.pay({ nonce: 0, to: invoice.address, amountRaw: 10n * UNIT });
    await wait(3);
    assert.deepEqual(await stands(desk, invoice), ["paid", "0.01", "0"]);
    await mineRaw(anvil, raw);
    await wait(3);
    const { data } = (await desk.world.merchant.api.get(`/v1/invoices/${invoice.id}`)).body;
    assert.deepEqual([data.status, data.paid, data.overpaid], ["paid", "0.02", "0.01"]);
  });
});

Deno.test("an invoice whose payment was gone before it is updated is looked at again", async () => {
  await inWorld(async (desk, anvil) => {
    const { deps } = desk.world;
    const payer = await makePayer(anvil, 406);
    const invoice = await invoiceOf(desk);
    await payer.pay({ nonce: 0, to: invoice.address, amountRaw: 10n * UNIT });
    await desk.round();
    await anvil.rpc("anvil_reorg", [1, []]);
    await anvil.mine(70);
    await desk.world.round();
    await deps.db.execute([{ sql: "UPDATE invoices SET judge_at_ms = NULL" }]);
    await desk.round(60_000);
    assert.deepEqual(await stands(desk, invoice), ["processing", "0.01", "0"]);
    const migration = await Deno.readTextFile("migrations/0098_payments_in_no_block.sql");
    const sql = migration.slice(migration.indexOf("END;") + 4);
    await deps.db.execute([{ sql }]);
    await desk.round(60_000);
    assert.deepEqual(await stands(desk, invoice), ["open", "0", "0.01"]);
  });
});

Deno.test("an invoice whose payment is gone at its end expires, and the payment still counts as in time", async () => {
  await inWorld(async (desk, anvil) => {
    const payer = await makePayer(anvil, 404);
    const invoice = await invoiceOf(desk, { expires_in: 300 });
    const { raw } = await payer.pay({ nonce: 0, to: invoice.address, amountRaw: 10n * UNIT });
    await desk.round();
    await anvil.rpc("anvil_reorg", [1, []]);
    await anvil.mine(1);
    await desk.round(301_000);
    assert.deepEqual(await stands(desk, invoice), ["processing", "0.01", "0"]);
    await anvil.mine(70);
    await desk.round();
    await desk.round(60_000);
    assert.deepEqual(await stands(desk, invoice), ["expired", "0", "0.01"]);
    await mineRaw(anvil, raw);
    await anvil.mine(3);
    await desk.round();
    const { data } = (await desk.world.merchant.api.get(`/v1/invoices/${invoice.id}`)).body;
    assert.deepEqual([data.status, data.paid, data.is_late], ["paid", "0.01", false]);
  });
});

onEveryFamily(
  "an invoice asks again once its payment has left the chain for good",
  async (scene: Scene) => {
    const { ground, one } = scene;
    const desk = deskOf(scene, ground.code);
    const invoice = await invoiceOf(desk, { amount: unitsOf(one, one) });
    const hash = await ground.pay(invoice.address, one);
    await desk.round();
    assert.deepEqual(await stands(desk, invoice), ["processing", "1", "0"]);
    await ground.reorg(1);
    await ground.mine(2);
    await desk.round();
    await desk.round(60_000);
    assert.deepEqual(await stands(desk, invoice), ["processing", "1", "0"]);
    await ground.mine(70);
    await desk.round();
    await desk.round(60_000);
    assert.deepEqual(await stands(desk, invoice), ["open", "0", "1"]);
    await ground.mineAgain(hash);
    await ground.mine(ground.minConfirmations);
    await desk.round();
    assert.deepEqual(await stands(desk, invoice), ["paid", "1", "0"]);
  },
);
