import { NO_SUMS } from "../../../src/invoices/rules/sums.ts";
import { createApiKey } from "../../../src/access/manage_api_keys.ts";
import { createAccount } from "../../../src/accounts/manage_accounts.ts";
import { raiseAlert } from "../../../src/books/alerts.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { createBatch } from "../../../src/payouts/create_batch.ts";
import { Addresses, DepositRequests } from "../../../src/wallets/tables/addresses.ts";
import { INVOICE_STATUSES } from "../../../src/invoices/rules/status.ts";
import { Invoices } from "../../../src/invoices/tables/invoices.ts";
import { Sweeps } from "../../../src/sweeps/table.ts";
import { Transactions } from "../../../src/deposits/tables/transactions.ts";
import { Withdrawals } from "../../../src/withdrawals/table.ts";
import type { View } from "../../../src/store/engine/workspace.ts";
import { enable } from "../../support/gateway.ts";
import { addOwnRule } from "../../support/payouts.ts";
import { noteTest } from "../../support/stage.ts";
import { makeWebhook, writeEvents } from "../../support/webhooks.ts";
import * as rows from "../../store/reads/make_rows.ts";

const LONG = "x".repeat(120);
const TEXTS = [LONG, "محمد العربي ".repeat(4).trim(), "🚀👩‍👩‍👧", "0"];
const AMOUNTS = [
  "9".repeat(78),
  "0.000000000000000001",
  `${"8".repeat(59)}.${"7".repeat(18)}`,
  "1",
];
const STATES = ["failed", "pending", "broadcasted", "confirmed"] as const;
const FIRST_ID = 500;
const ETH = { network: "ETH", currency: "ETH" };
const TO = `0x${"AbC0".repeat(10)}`;
const ADDRESS = (n: number) => `0x${String(n).padStart(40, "9")}`;
const HASH = (n: number) => `0x${String(n).padStart(64, "7")}`;

/** Where to find some of it, as in `pathsOf`. */
interface Extremes {
  readonly accountId: number;
  readonly ids: Readonly<Record<string, string>>;
}

/** An account whose names and amounts are as long as they can be, with this many rows of each kind. */
export async function addExtremes(deps: Deps, { many }: { many: number }): Promise<Extremes> {
  const by = { actor: "test" };
  const { id: accountId } = await createAccount(deps, { name: LONG.slice(0, 100), ...by });
  await enable(deps, { accountId, ...ETH });
  const key = { accountId, permissions: [], ipList: [], rateLimit: 60, ...by };
  const keys = await Promise.all(
    TEXTS.map((text) => createApiKey(deps, { ...key, label: text.slice(0, 100) })),
  );
  const url = `https://${"shop".repeat(15)}.example.com/${LONG}`;
  const { id: webhookId } = await makeWebhook(deps, { url, accountId });
  const lines = TEXTS.map((text, line) => ({
    ...{ line, ...ETH, toAddress: TO, amount: AMOUNTS[line]!, reference: text },
  }));
  const { id: batchId } = await createBatch(deps, { accountId, lines, ...by });
  const ruleId = await addOwnRule(deps, { accountId, label: LONG.slice(0, 80) });
  await raiseAlert(deps, {
    kind: "account_failing",
    subject: `account:${accountId} ETH/ETH`,
    message: `${LONG}: ${AMOUNTS[2]} ETH are missing`,
  });
  await writeEvents(deps, { accountIds: Array.from({ length: many }, () => accountId) });
  const [event] = await deps.db.query("SELECT max(id) AS id FROM events");
  await deps.db.write({
    reads: [],
    decide: (view) => {
      noteTest(view);
      for (let n = 0; n < many; n++) insertRows(view, { n, accountId, keyId: keys[0]!.row.keyId });
    },
  });
  const first = String(FIRST_ID);
  return {
    accountId,
    ids: {
      ...{ "withdrawals.id": first, "deposits.id": first, "addresses.id": first },
      ...{
        "sweeps.id": first,
        "invoices.id": first,
        "counter.id": first,
        "accounts.id": String(accountId),
        "batches.id": String(batchId),
      },
      ...{ "rules.id": String(ruleId) },
      ...{ "webhooks.id": String(webhookId), "webhooks.event": String(event!.id) },
      ...{ "networks.code": "ETH", "networks.symbol": "ETH" },
      ...{ "balances.network": "ETH", "balances.symbol": "ETH" },
    },
  };
}

function insertRows(
  view: View,
  { n, accountId, keyId }: { n: number; accountId: number; keyId: string },
): void {
  const id = FIRST_ID + n;
  const userIdentifier = `${TEXTS[n % TEXTS.length]}`;
  const amount = AMOUNTS[n % AMOUNTS.length]!;
  const owned = { id, accountId, ...ETH, createdAtMs: rows.NOW_MS + n * 1_000 };
  const address = ADDRESS(n);
  const at = { addressId: id, address, userIdentifier };
  view.insertKeyed(
    Addresses,
    rows.makeAddress({
      ...owned,
      address,
      userIdentifier: n < TEXTS.length ? userIdentifier : null,
    }),
  );
  view.insertKeyed(DepositRequests, rows.makeRequest({ ...owned, keyId, ...at }));
  const sweep = { ...owned, addressId: id, state: "parked" as const, reason: LONG };
  view.insertKeyed(Sweeps, rows.makeSweep({ ...sweep, code: null }));
  const txHash = HASH(n);
  view.insertKeyed(
    Transactions,
    rows.makeTransaction({
      ...{ ...owned, amount, txHash, fromAddress: TO, toAddress: address, addressId: id },
      ...{ status: "confirmed", isBelowMinimum: n % 2 === 0, depositRequestId: id },
    }),
  );
  view.insertKeyed(Invoices, {
    ...{ id, accountId, keyId, idempotencyKey: null, token: `t${id}`, amount, currency: "ETH" },
    ...{ tolerancePercent: "0.5", reference: userIdentifier, description: LONG, customer: LONG },
    ...{ metadata: { [LONG]: LONG }, redirectUrl: `https://shop.example.com/${LONG}` },
    methods: [{ ...ETH, decimals: 18, rate: AMOUNTS[2]!, rateAtMs: 1 }],
    ...{ language: null, status: INVOICE_STATUSES[n % INVOICE_STATUSES.length]! },
    ...{ expiresAtMs: rows.NOW_MS, createdAtMs: rows.NOW_MS + n * 1_000, paidAtMs: null },
    ...{ cancelledAtMs: null, acceptedValue: null, judgeAtMs: null, acceptedCoins: null },
    sums: NO_SUMS,
  });
  view.insertKeyed(
    Withdrawals,
    rows.makeWithdrawal({
      ...{ id, accountId, keyId, ...ETH, amount, fee: AMOUNTS[(n + 1) % AMOUNTS.length]! },
      ...{ toAddress: TO, clientReference: `${n}${userIdentifier}`.slice(0, 128) },
      ...{ status: STATES[n % STATES.length]!, txHash, errorMessage: LONG },
    }),
  );
}
