import assert from "node:assert/strict";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { COMMAND_LINE } from "../../../src/approvals/decider.ts";
import { approveWithdrawal } from "../../../src/approvals/approve.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { addPolicy } from "../../../src/policies/manage.ts";
import { metersNow } from "../../../src/policies/meter_now.ts";
import { testPolicies } from "../../../src/policies/try_rule.ts";
import { addSource, removeSource } from "../../../src/rates/manage.ts";
import { cancelWithdrawal } from "../../../src/withdrawals/cancel.ts";
import { createWithdrawal } from "../../../src/withdrawals/create.ts";
import { Refused } from "../../../src/domain/refusal.ts";
import { Alerts } from "../../../src/alerts/table.ts";
import { PolicyMeters } from "../../../src/policies/table.ts";
import { Withdrawals } from "../../../src/withdrawals/table.ts";
import { enable, makeNetwork } from "../../support/gateway.ts";
import { makePolicy, makeRuled, OUTSIDE, type Ruled } from "./_ruled.ts";

const IN_USD = { currency: null, quote: "usd" };
const DAY_MS = 86_400_000;

interface Valued extends Ruled {
  price(base: string, value: string): Promise<number>;
  unprice(id: number): Promise<void>;
  /** Pays in another currency than ETH. */
  payBnb(amount: string, on?: Deps): Promise<string>;
}

/** Two coins on two networks. */
async function makeValued(): Promise<Valued> {
  const ruled = await makeRuled();
  const { deps, accountId, keyId } = ruled;
  const coin = { code: "BSC", isTest: true, symbol: "BNB", rpcUrls: ["http://127.0.0.1:9"] };
  await makeNetwork(deps, coin);
  const asset = { accountId, network: "BSC", currency: "BNB" };
  await enable(deps, asset);
  await adjustBalance(deps, { ...asset, amount: "1000000", note: "test", actor: "test" });
  let requests = 0;
  const payBnb = async (amount: string, on = deps) => {
    const caller = { accountId, keyId, actor: "user:99", signature: null } as const;
    const order = { network: "BSC", currency: "BNB", toAddress: OUTSIDE, amount };
    const clientReference = `b${++requests}`;
    try {
      const { row } = await createWithdrawal(on, { ...order, caller, clientReference });
      return row.approval ?? row.status;
    } catch (error) {
      if (error instanceof Refused) return error.code;
      throw error;
    }
  };
  const price = async (base: string, value: string) => {
    const source = { base, quote: "USD", kind: "manual", value, actor: "test" } as const;
    return (await addSource(deps, source)).id;
  };
  const unprice = async (id: number) => {
    await removeSource(deps, { id, actor: "test" });
  };
  return { ...ruled, price, unprice, payBnb };
}

Deno.test("a limit in USD adds up what several currencies are worth when they are requested", async () => {
  await using valued = await makeValued();
  const eth = await valued.price("ETH", "3000.1");
  await valued.price("BNB", "600");
  await makePolicy(valued, { ...IN_USD, condition: "max_day", cap: "10000" });
  assert.equal(await valued.pay("2"), "pending");
  assert.equal(await valued.payBnb("6.66"), "pending");
  assert.equal(await valued.payBnb("0.006333333333333334"), "policy_refused", "10,000.00…4");
  assert.equal(await valued.payBnb("0.006333333333333333"), "pending", "9,999.99…8");
  await valued.unprice(eth);
  await valued.price("ETH", "1");
  assert.equal(await valued.pay("1"), "policy_refused", "earlier ones keep their value");
  valued.clock.ms += DAY_MS;
  assert.equal(await valued.pay("10000"), "pending");
  assert.equal(await valued.payBnb("0.001"), "policy_refused");
});

Deno.test("a payment that ends unpaid is taken out with the value that it was counted with", async () => {
  await using valued = await makeValued();
  const eth = await valued.price("ETH", "3000");
  await makePolicy(valued, { ...IN_USD, condition: "max_day", cap: "9000" });
  assert.equal(await valued.pay("2"), "pending");
  await valued.unprice(eth);
  await valued.price("ETH", "4000");
  assert.equal(await valued.pay("0.75"), "pending");
  assert.equal(await valued.pay("0.001"), "policy_refused");
  await cancelWithdrawal(valued.deps, { id: 1, actor: "test" });
  assert.equal(await valued.pay("1.5001"), "policy_refused");
  assert.equal(await valued.pay("1.5"), "pending");
  const [meter] = await valued.deps.db.rows(PolicyMeters, "");
  assert.deepEqual([meter!.added, meter!.removed], ["15000", "6000"]);
});

Deno.test("without a fresh rate a rule in that currency matches, and somebody is told", async () => {
  await using valued = await makeValued();
  const eth = await valued.price("ETH", "3000");
  await makePolicy(valued, { ...IN_USD, condition: "max_payment", cap: "5000" });
  assert.equal(await valued.pay("1"), "pending");
  assert.equal(await valued.pay("1.7"), "policy_refused");
  assert.equal(await valued.payBnb("0.001"), "policy_refused");
  await valued.unprice(eth);
  assert.equal(await valued.pay("0.001"), "policy_refused");
  const open = await valued.deps.db.rows(Alerts, "WHERE open = 1 ORDER BY id");
  assert.deepEqual(open.map(({ subject }) => subject), ["rate:BNB/USD", "rate:ETH/USD"]);
});

Deno.test("a new rule values earlier payments by the rates of that moment, and takes them out alike", async () => {
  await using valued = await makeValued();
  assert.equal(await valued.pay("2"), "pending");
  assert.equal(await valued.payBnb("5"), "pending");
  const eth = await valued.price("ETH", "3000");
  await valued.price("BNB", "600");
  valued.clock.ms += 5;
  await makePolicy(valued, { ...IN_USD, condition: "max_day", cap: "9500" });
  assert.equal(await valued.payBnb("1"), "policy_refused", "6,000 and 3,000 and 600");
  await valued.unprice(eth);
  await valued.price("ETH", "100");
  await cancelWithdrawal(valued.deps, { id: 1, actor: "test" });
  assert.equal(await valued.payBnb("10.8334"), "policy_refused");
  assert.equal(await valued.payBnb("10.8333"), "pending");
  const rows = await valued.deps.db.rows(Withdrawals, "ORDER BY id");
  assert.deepEqual(rows.map(({ policyValues }) => policyValues?.USD ?? null), [
    null,
    null,
    "6499.98",
  ]);
});

Deno.test("an approved payment counts from its approval on, still at the value of its request", async () => {
  await using valued = await makeValued();
  const eth = await valued.price("ETH", "3000");
  const ask = { ...IN_USD, condition: "max_day", cap: "2000", outcome: "approve" } as const;
  await makePolicy(valued, ask);
  await makePolicy(valued, { ...IN_USD, condition: "max_day", cap: "4000" });
  assert.equal(await valued.pay("1"), "waiting");
  await valued.unprice(eth);
  await valued.price("ETH", "1000");
  valued.clock.ms += DAY_MS / 2;
  await approveWithdrawal(valued.deps, {
    id: 1,
    decider: { person: COMMAND_LINE, actor: "cli", user: undefined },
  });
  const [meter] = await valued.deps.db.rows(PolicyMeters, "");
  assert.deepEqual([meter!.added, meter!.removed], ["6000", "3000"]);
  assert.equal(await valued.pay("1.001"), "policy_refused");
  assert.equal(await valued.pay("1"), "waiting");
});

Deno.test("testing a payment tells the same and writes nothing, and a currency needs rates", async () => {
  await using valued = await makeValued();
  const { deps, accountId } = valued;
  const rule = { ...IN_USD, condition: "max_day", cap: "100" } as const;
  await assert.rejects(makePolicy(valued, rule), /No source has rates in usd/);
  await valued.price("ETH", "100");
  await makePolicy(valued, rule);
  const asked = {
    accountId,
    keyId: undefined,
    network: "ETH",
    currency: "ETH",
    toAddress: OUTSIDE,
  };
  const outcome = async (amount: string) =>
    (await testPolicies(deps, { ...asked, amount })).outcome;
  assert.equal(await outcome("1"), "allow");
  assert.equal(await outcome("1.000000000000000001"), "refuse");
  assert.equal(
    (await testPolicies(deps, { ...asked, network: "BSC", currency: "BNB", amount: "1" })).outcome,
    "refuse",
  );
  assert.deepEqual(await deps.db.rows(PolicyMeters, ""), []);
  const nobody = { ...asked, amount: "1", toAddress: "nope" };
  await assert.rejects(
    testPolicies(deps, nobody),
    /^OperatorError: nope is not an address of ETH$/,
  );
});

Deno.test("64 requests at once in two currencies, from two programs, stay within a limit in USD", async () => {
  await using valued = await makeValued();
  const other = await valued.open();
  await valued.price("ETH", "3000");
  await valued.price("BNB", "600");
  await addPolicy(valued.deps, {
    ...{ label: "x", accountId: null, keyId: null, network: null, each: null, ...IN_USD },
    ...{ condition: "max_hour", cap: "72000", outcome: "refuse", approvals: 1 },
    ...{ expiresMs: DAY_MS, setBy: "operator", actor: "test" },
  });
  const answers = await Promise.all(Array.from({ length: 64 }, (_, i) => {
    const on = i % 4 < 2 ? valued.deps : other;
    return i % 2 === 0 ? valued.pay("1", { on }) : valued.payBnb("5", on);
  }));
  assert.equal(answers.filter((answer) => answer === "pending").length, 24);
});

Deno.test("a payment without a rate leaves no room: what comes after it has to wait, too", async () => {
  await using valued = await makeValued();
  const { deps } = valued;
  await valued.price("ETH", "1");
  await valued.payBnb("7");
  const rule = await makePolicy(valued, {
    ...{ ...IN_USD, condition: "max_day", cap: "10000", outcome: "approve" },
  });
  assert.equal(await valued.pay("1"), "waiting", "what was paid before it is unknown");
  valued.clock.ms += DAY_MS + 1;
  assert.equal(await valued.pay("1"), "pending", "it has left the window");
  assert.equal(await valued.payBnb("1"), "waiting");
  const [{ id } = assert.fail()] = await deps.db.rows(Withdrawals, "ORDER BY id DESC LIMIT 1");
  const decider = { person: COMMAND_LINE, actor: "cli", user: undefined };
  await approveWithdrawal(deps, { id, decider });
  assert.equal(await valued.pay("1"), "waiting", "an approved payment of unknown value counts");
  const usedOf = async (one: typeof rule) =>
    (await metersNow(deps, [one], { most: 1 })).get(one.id);
  const shown = { split: "", cap: "10000", isAmount: true, used: null, share: 100 };
  assert.deepEqual(await usedOf(rule), [{ ...shown, countsFromMs: null }]);
  // As rules were set before unknown values counted.
  const { createdAtMs } = rule;
  const old = { ...rule, rates: { ETH: "3000" } };
  assert.equal((await usedOf(old))?.[0]?.countsFromMs, null, "its window begins later");
  const young = { ...old, createdAtMs: createdAtMs + DAY_MS };
  assert.equal((await usedOf(young))?.[0]?.countsFromMs, createdAtMs + DAY_MS);
});
