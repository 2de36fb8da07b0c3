import assert from "node:assert/strict";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { setAccount } from "../../../src/accounts/set_account.ts";
import { addSource } from "../../../src/rates/manage.ts";
import { balanceRead, postEntry, recordAudit } from "../../../src/books/records.ts";
import { Amount } from "../../../src/domain/money/amount.ts";
import { LEDGER_KINDS, type LedgerKind } from "../../../src/domain/money/balance.ts";
import { LedgerEntries, type LedgerEntryRow } from "../../../src/books/table.ts";
import { seededRandom } from "../../domain/random.ts";
import { enable, makeNetwork, makeToken } from "../../support/gateway.ts";
import { DEAD_NODE, makeClockedMerchant, startClockedGateway } from "../clocked_gateway.ts";
import { choices, type ListedRow, walk } from "./walking.ts";

const gateway = await startClockedGateway();
Deno.test.afterAll(() => gateway.stop());
const { deps, clock } = gateway;
for (const [code, chainId] of [["ETH", "1"], ["BSC", "56"]] as const) {
  await makeNetwork(deps, { code, rpcUrls: [DEAD_NODE], chainId });
  await makeToken(deps, { network: code, contract: "0xdAC17F958D2ee523a2206206994597C13D831ec7" });
}
const PATH = "/v1/ledger";
const ETHER = { network: "ETH", currency: "ETH" };

async function makeHolder(amount: string) {
  const merchant = await makeClockedMerchant(gateway);
  const { accountId } = merchant;
  await enable(deps, { accountId, ...ETHER });
  await adjustBalance(deps, { accountId, ...ETHER, amount, note: "=start", actor: "test" });
  return merchant;
}

/** Entries as the gateway books them. */
async function post(accountId: number, entries: readonly [LedgerKind, string][]): Promise<void> {
  const asset = { accountId, ...ETHER };
  for (const [kind, amount] of entries) {
    await deps.db.write({
      reads: [balanceRead(asset)],
      decide: (view) => {
        const nowMs = clock.nowMs();
        postEntry(view, { ...asset, kind, amount: Amount.parse(amount, "ETH/ETH"), nowMs });
        recordAudit(view, { actor: "test", action: "note.added", subject: "test", nowMs });
      },
    });
  }
}

function sum(rows: readonly ListedRow[], field: string): string {
  return rows.reduce(
    (total, row) => total.plus(Amount.parse(row[field], "")),
    Amount.zero(""),
  ).toString();
}

Deno.test("each entry has its changes, what they led to, and what it belongs to", async () => {
  const { accountId, api } = await makeHolder("10");
  const to_address = `0x${"1".repeat(40)}`;
  const order = { ...ETHER, to_address, amount: "1.5", client_reference: "a" };
  const { body: { data } } = await api.post("/v1/withdrawals", order);
  await setAccount(deps, { id: accountId, change: { reporting: "EUR" }, actor: "test" });
  const price = { base: "ETH", quote: "EUR", kind: "manual", value: "2000.5" } as const;
  await addSource(deps, { ...price, actor: "test" });
  await post(accountId, [["credit", "0.000000000000000001"], ["hold", "0.1"], ["debit", "0.1"]]);
  const rows = await walk(api, PATH);
  const created_at = "2026-01-31T12:00:00+00:00";
  const unvalued = { value: null, held_value: null, value_currency: null };
  const unasked = {
    ...{ transaction_id: null, withdrawal_id: null, note: null, created_at },
    ...{ client_reference: null, invoice_id: null, tx_hash: null },
  };
  const about = { ...ETHER, ...unasked, ...unvalued };
  const euros = { value_currency: "EUR" };
  const withdrawal = {
    ...about,
    withdrawal_id: data.withdrawal_id ?? data.id,
    client_reference: "a",
  };
  assert.deepEqual(rows.map(({ id: _, ...row }) => row).toReversed(), [
    {
      ...about,
      kind: "adjust",
      amount: "10",
      held_amount: "0",
      balance_after: "10",
      held_after: "0",
      note: "=start",
    },
    {
      ...withdrawal,
      kind: "hold",
      amount: "0",
      held_amount: "1.5076",
      balance_after: "10",
      held_after: "1.5076",
    },
    {
      ...withdrawal,
      kind: "release",
      amount: "0",
      held_amount: "-1.5076",
      balance_after: "10",
      held_after: "0",
    },
    {
      ...about,
      kind: "credit",
      amount: "0.000000000000000001",
      held_amount: "0",
      balance_after: "10.000000000000000001",
      held_after: "0",
      ...{ ...euros, value: "0.0000000000000020005", held_value: "0" },
    },
    {
      ...about,
      kind: "hold",
      amount: "0",
      held_amount: "0.1",
      balance_after: "10.000000000000000001",
      held_after: "0.1",
      ...{ ...euros, value: "0", held_value: "200.05" },
    },
    {
      ...about,
      kind: "debit",
      amount: "-0.1",
      held_amount: "-0.1",
      balance_after: "9.900000000000000001",
      held_after: "0",
      ...{ ...euros, value: "-200.05", held_value: "-200.05" },
    },
  ]);
});

for (const seed of [1, 2, 3]) {
  Deno.test(`each column adds up to its figure, to the last digit (seed ${seed})`, async () => {
    const random = seededRandom(seed);
    const { accountId, api } = await makeHolder(`1000000${random.digits(20)}.${random.digits(18)}`);
    await post(
      accountId,
      Array.from({ length: 60 }, () => {
        const amount = `${random.below(9)}.${random.digits(30)}1`;
        const kinds = ["credit", "reversal", "hold", "adjust", "hold"] as const;
        const kind = random.pick(kinds);
        return [kind, kind === "adjust" && random.chance(0.5) ? `-${amount}` : amount];
      }),
    );
    await post(accountId, [["release", "0.1"], ["debit", "0.05"]]);
    const rows = await walk(api, PATH, { limit: "7" });
    const { body: { data: [figures] } } = await api.get("/v1/balances");
    assert.equal(sum(rows, "amount"), figures.balance);
    assert.equal(sum(rows, "held_amount"), figures.held);
    assert.equal(rows[0].balance_after, figures.balance);
    assert.equal(rows[0].held_after, figures.held);
    for (const [i, row] of rows.entries()) {
      const earlier = rows.slice(i);
      assert.equal(row.balance_after, sum(earlier, "amount"));
      assert.equal(row.held_after, sum(earlier, "held_amount"));
    }
  });
}

const COUNT = 2_600;
const HOUR_MS = 3_600_000;

Deno.test("any choice of filters shows exactly the rows it asks for, also if clocks disagreed", async () => {
  const random = seededRandom(7);
  const [mine, other] = [await makeClockedMerchant(gateway), await makeClockedMerchant(gateway)];
  const startMs = Date.parse("2026-02-01T00:00:00Z");
  const rows: LedgerEntryRow[] = await deps.db.write({
    reads: [],
    decide: (view) => {
      recordAudit(view, { actor: "test", action: "note.added", subject: "test", nowMs: 0 });
      return Array.from({ length: COUNT }, (_, i) =>
        view.insert(LedgerEntries, {
          accountId: random.chance(0.8) ? mine.accountId : other.accountId,
          network: random.pick(["ETH", "ETH", "ETH", "BSC"]),
          currency: random.pick(["ETH", "USDT", "USDT"]),
          kind: random.chance(0.95) ? "credit" : random.pick(LEDGER_KINDS),
          amount: "1",
          balanceAfter: "1",
          heldAfter: "0",
          transactionId: null,
          withdrawalId: null,
          note: null,
          value: null,
          valueCurrency: null,
          // A minute each; some clocks are wrong by days.
          createdAtMs: startMs + i * 60_000 + (random.chance(0.01) ? 90 : 0) * HOUR_MS -
            (i > 1_100 && i < 1_300 ? 200 * HOUR_MS : 0),
        }));
    },
  });
  const times = ["2026-02-01T12:00:00Z", "2026-02-02T00:00:00Z", "2026-02-03T09:17:00Z"];
  const all = choices(random, {
    network: ["eth", "NONE"],
    currency: ["usdt"],
    kind: ["credit", "hold", "adjust"],
    from: [times[0]!, times[2]!],
    until: [times[1]!, times[2]!],
  });
  for (const query of all) {
    const { network, currency, kind, from, until } = query;
    const expected = rows.filter((row) =>
      row.accountId === mine.accountId &&
      (!network || row.network === network.toUpperCase()) &&
      (!currency || row.currency === currency.toUpperCase()) &&
      (!kind || row.kind === kind) &&
      (!from || row.createdAtMs >= Date.parse(from)) &&
      (!until || row.createdAtMs < Date.parse(until))
    ).map(({ id }) => id).toReversed();
    const found = await walk(mine.api, PATH, { ...query, limit: "200" });
    assert.deepEqual(found.map(({ id }) => id), expected, JSON.stringify(query));
  }
});
