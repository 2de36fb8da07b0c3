import assert from "node:assert/strict";
import { type Deed, DEED_GROUPS } from "../../src/audit/rules/deeds.ts";
import { freezeWhatDiffers } from "../../src/integrity/freeze.ts";
import { haltWallet } from "../../src/wallets/halt.ts";
import { recordAudit } from "../../src/books/records.ts";
import { raiseAlert } from "../../src/books/alerts.ts";
import { createWithdrawal } from "../../src/withdrawals/create.ts";
import type { Deps } from "../../src/deps/deps.ts";
import { haltNetwork } from "../../src/following/rewind_network.ts";
import { present } from "../../src/base/assert.ts";
import type { AuditRow } from "../../src/audit/table.ts";
import { auditPage } from "../../src/audit/reads/page.ts";
import { Addresses } from "../../src/wallets/tables/addresses.ts";
import { Alerts } from "../../src/alerts/table.ts";
import { SignedPayments, SignedTransactions } from "../../src/transfers/table.ts";
import { Sweeps } from "../../src/sweeps/table.ts";
import { WebhookDeliveries } from "../../src/webhooks/tables/webhooks.ts";
import { read, type View } from "../../src/store/engine/workspace.ts";
import { STRANGER } from "./payers.ts";
import { sentId, settleAll } from "./payouts.ts";
import { allocate } from "./views.ts";
import { makeWebhook, writeEvents } from "./webhooks.ts";
import type { World } from "./world.ts";

const SHOP = "https://shop.example.com/hooks";
const ETHER_HEX = "0xde0b6b3a7640000";

/** First in the unit of a test's changes without the actions, which need no second person. */
export function noteTest(view: View): void {
  view.guardPassed();
  noteAudit(view);
}

/** One that no page knows. */
const ARRANGED = "test.arranged" as Deed;

export function noteAudit(view: View): void {
  const detail = { before: null, after: null };
  recordAudit(view, { actor: "test", action: ARRANGED, subject: "test", detail, nowMs: 0 });
}

/** Watches how often the database is written, and by which actors. */
export async function watchBooks({ db }: Pick<Deps, "db">) {
  const epochOf = async () => Number((await db.query("SELECT epoch FROM write_clock"))[0]!.epoch);
  const query = { actor: null, subject: null, cursor: null, limit: 1_000 };
  const [epoch, [last]] = [await epochOf(), await auditPage(db, { ...query, limit: 1 })];
  return async (): Promise<{ isWritten: boolean; rows: AuditRow[] }> => ({
    isWritten: await epochOf() !== epoch,
    rows: (await auditPage(db, query)).filter(({ id }) => id > (last?.id ?? 0)),
  });
}

const FACTS = Object.values(DEED_GROUPS).flatMap(({ deeds }) =>
  Object.entries(deeds).flatMap(([action, deed]) => typeof deed === "string" ? [] : [action])
);

/** Whatever isn't listed as a mere fact says what was there before, and what is there since. */
export function assertBothSides(rows: readonly AuditRow[]): void {
  for (const { action, detail } of rows) {
    if (FACTS.includes(action) || action.startsWith("test.")) continue;
    const { before, after, change, from, to } = detail;
    const said = JSON.stringify({ action, detail });
    const isMove = from !== undefined && to !== undefined;
    assert.ok(isMove || before !== undefined, `${said} has no before`);
    assert.ok(isMove || after !== undefined || change !== undefined, `${said} has no after`);
  }
}

const LOOKS_MAX = 30;

/** Looks several times: a serving program writes now and then that it is alive. */
export async function writesNothing(
  deps: Pick<Deps, "db">,
  look: () => Promise<void>,
): Promise<boolean> {
  for (let looks = 0; looks < LOOKS_MAX; looks++) {
    const seen = await watchBooks(deps);
    await look();
    if (!(await seen()).isWritten) return true;
  }
  return false;
}

/** One of each object that operators can act on. The world's chain mines on request. */
export function makeStage(world: World) {
  const { deps, anvil, merchant: { api, accountId, hotWallet, credentials } } = world;
  const asset = { accountId, network: "ETH", currency: "ETH" };
  let count = 0;
  const withdraw = async (): Promise<number> => {
    await anvil.rpc("evm_setAutomine", [false]);
    const order = { network: "ETH", currency: "ETH", to_address: STRANGER, amount: "1" };
    return sentId(await api.post("/v1/withdrawals", { ...order, client_reference: `${count++}` }));
  };
  const pay = async (): Promise<void> => {
    const { address } = await allocate(api);
    const paid = { from: anvil.accounts[0], to: address, value: ETHER_HEX };
    await anvil.rpc("eth_sendTransaction", [paid]);
    await anvil.mine(1);
    await world.round();
  };
  const firstOf = async (table: "transactions" | "alerts", where: string): Promise<number> => {
    const sql = `SELECT id FROM ${table} WHERE ${where} ORDER BY id DESC LIMIT 1`;
    return Number(present((await deps.db.query(sql))[0], where).id);
  };
  return {
    deps,
    asset,
    accountId,
    hotWallet,
    waitingWithdrawal: async (): Promise<number> => {
      const { row } = await createWithdrawal(deps, {
        caller: { accountId, keyId: credentials.keyId, actor: "test", signature: null },
        ...{ network: "ETH", currency: "ETH", toAddress: STRANGER, amount: "1" },
        clientReference: `waiting ${count++}`,
      });
      return row.id;
    },
    /** Broadcast, but not mined. */
    sentWithdrawal: withdraw,
    /** A mined withdrawal whose token logs no payment. */
    unpaidWithdrawal: async (): Promise<number> => {
      const id = await withdraw();
      const [row] = await deps.db.rows(SignedPayments, "WHERE withdrawal_id = ?", [id]);
      await deps.db.write({
        reads: [read(SignedPayments, [row!.id]), read(SignedTransactions, [row!.signedId])],
        decide: (view) => {
          const tx = view.get(SignedTransactions, [row!.signedId]);
          view.update(SignedTransactions, tx, { state: "settled", isSuccessful: true });
          const payment = view.get(SignedPayments, [row!.id]);
          view.update(SignedPayments, payment, { isSuccessful: true, arrivedRaw: "0" });
        },
      });
      return id;
    },
    /** The newest row of the audit log is lost, so nothing proves that it was not credited. */
    unprovenDeposit: async (): Promise<number> => {
      await pay();
      await deps.db.execute([
        { sql: "DROP TRIGGER audit_log_no_delete" },
        { sql: "DELETE FROM audit_log WHERE id = (SELECT max(id) FROM audit_log)" },
      ]);
      return await firstOf("transactions", "direction = 'deposit' AND status = 'detected'");
    },
    confirmedDeposit: async (): Promise<number> => {
      await pay();
      await settleAll(world);
      await settleAll(world);
      return await firstOf("transactions", "direction = 'deposit' AND status = 'confirmed'");
    },
    /** An address with a coin that came without a transaction. */
    surplus: async (): Promise<string> => {
      const { address } = await allocate(api);
      await anvil.rpc("anvil_setBalance", [address, ETHER_HEX]);
      await settleAll(world);
      return address;
    },
    /** Two payments to it cost gas and moved nothing. */
    failingRecipient: async (): Promise<string> => {
      const address = `0x${(++count).toString(16).padStart(40, "0")}`;
      for (let failed = 0; failed < 2; failed++) {
        await deps.db.write({
          reads: [],
          decide: (view) => {
            const nowMs = deps.clock.nowMs();
            const tx = view.insert(SignedTransactions, {
              ...{ network: "ETH", sender: hotWallet, place: 0, isLive: false, isForeign: false },
              paymentCount: 1,
              ...{ txHash: crypto.randomUUID(), raw: "0x", nativeCostMaxRaw: "1" },
              ...{ state: "settled", blockNumber: 1, blockHash: "0x1", isSuccessful: false },
              ...{ feeRaw: "1", signedAtHeight: 1, createdAtMs: nowMs, sentAtMs: nowMs },
            });
            view.insert(SignedPayments, {
              ...{ signedId: tx.id, position: 0, network: "ETH", purpose: "withdrawal" },
              ...{ withdrawalId: null, sweepId: null, transactionId: null },
              ...{ fromAddress: hotWallet, toAddress: address, contractAddress: null },
              ...{
                amountRaw: "1",
                isSuccessful: false,
                blockHash: "0x1",
                arrivedRaw: "0",
                callsCode: null,
                unsettled: null,
              },
            });
          },
        });
      }
      return address;
    },
    frozen: () =>
      freezeWhatDiffers(deps, [{ ...asset, detail: "test", expected: "1", found: "0" } as never]),
    haltedNetwork: () => haltNetwork(deps, { network: "ETH", reason: "test" }),
    haltedWallet: async () => {
      const row = await deps.db.find(Addresses, ["ETH", hotWallet], "address");
      await haltWallet(deps, row!, "test");
    },
    parkedSweep: async (): Promise<number> => {
      const { address } = await allocate(api);
      const row = present(await deps.db.find(Addresses, ["ETH", address], "address"), address);
      const sweep = {
        state: "parked",
        open: 1,
        code: null,
        reason: "test",
        failures: 0,
        batchFailures: 0,
      } as const;
      const times = { nextTryAtMs: 0, createdAtMs: 0 };
      const parked = { ...asset, addressId: row.id, ...sweep, ...times };
      return (await deps.db.write({ reads: [], decide: (view) => view.insert(Sweeps, parked) })).id;
    },
    alert: async (): Promise<number> => {
      await raiseAlert(deps, {
        kind: "deposit_surplus",
        subject: `test ${count++}`,
        message: "a test",
      });
      return (await deps.db.rows(Alerts, "ORDER BY id DESC LIMIT 1"))[0]!.id;
    },
    webhook: async (): Promise<number> => (await makeWebhook(deps, { url: SHOP, accountId })).id,
    /** A delivery that was given up: its event's two ids, and the webhook. */
    deadDelivery: async () => {
      const { id: endpointId } = await makeWebhook(deps, { url: SHOP, accountId });
      await writeEvents(deps, { accountIds: [accountId] });
      const tail = "WHERE endpoint_id = ? ORDER BY event_id DESC LIMIT 1";
      const [row] = await deps.db.rows(WebhookDeliveries, tail, [endpointId]);
      const key = [row!.eventId, endpointId];
      await deps.db.write({
        reads: [read(WebhookDeliveries, key)],
        decide: (view) =>
          view.update(WebhookDeliveries, view.find(WebhookDeliveries, key)!, { state: "dead" }),
      });
      const [event] = await deps.db.query("SELECT event_id FROM events WHERE id = ?", [
        row!.eventId,
      ]);
      return { endpointId, id: row!.eventId, eventId: String(event!.event_id) };
    },
  };
}

export type Stage = ReturnType<typeof makeStage>;
