import assert from "node:assert/strict";
import { coinsOf } from "../../../src/invoices/rules/accepted.ts";
import { coinsFor } from "../../../src/invoices/rules/coins.ts";
import { isCounted, listedPayments } from "../../../src/invoices/rules/listed.ts";
import {
  addUp,
  extendedSums,
  GRACE_MS,
  type InvoicePayment,
  type InvoiceTerms,
  judge as judgeSums,
  judgedAgainAtMs,
  valueOf,
} from "../../../src/invoices/rules/judge.ts";
import { invoiceEvent, type InvoiceStatus } from "../../../src/invoices/rules/status.ts";
import type { TransactionStatus } from "../../../src/deposits/rules/transaction_moves.ts";

/** From the payments themselves. */
function judge(
  terms: InvoiceTerms,
  { payments, nowMs }: { payments: readonly InvoicePayment[]; nowMs: number },
) {
  return judgeSums(terms, { sums: addUp(terms, payments), nowMs });
}

const END = 1_000_000;
const AMOUNT = "100";
/** Of both coins: 50 a coin of two decimals, 20 a coin of three. */
const COINS = {
  AAA: { network: "ONE", currency: "AAA", decimals: 2, rate: "50" },
  BBB: { network: "ONE", currency: "BBB", decimals: 3, rate: "20" },
};
type Coin = keyof typeof COINS;

const TERMS: InvoiceTerms = {
  amount: AMOUNT,
  currency: "EUR",
  tolerancePercent: "1",
  methods: Object.values(COINS).map((coin) => ({ ...coin, rateAtMs: 0 })),
  expiresAtMs: END,
  cancelledAtMs: null,
  acceptedValue: null,
  acceptedCoins: null,
};

/** In thousandths of the invoice's currency, by hand. */
const WORTH = {
  none: 0,
  dust: 500,
  short: 60_000,
  tolerated: 99_000,
  exact: 100_000,
  unit: 100_500,
  over: 150_000,
} as const;
type Size = keyof typeof WORTH;
const SIZES = Object.keys(WORTH) as Size[];

/** Of an invoice that was extended after its end. */
const SECOND_END = END + 500_000;
const TIMES = {
  before: END - 1,
  grace: END + GRACE_MS,
  after: END + GRACE_MS + 1,
  twice: SECOND_END + GRACE_MS + 1,
};
type Time = keyof typeof TIMES;
const ONCE = ["before", "grace", "after"] as const;

/** What happens to a payment, one step after the other. */
const STORIES: readonly (readonly TransactionStatus[])[] = [
  ["detected"],
  ["detected", "confirmed"],
  ["detected", "confirmed", "sweep_pending", "swept"],
  ["detected", "failed"],
  ["detected", "confirmed", "failed"],
];

function paymentOf(
  { size, coin, time }: { size: Size; coin: Coin; time: Time },
  status: TransactionStatus,
): InvoicePayment {
  const { network, currency, decimals, rate } = COINS[coin];
  const amount = (WORTH[size] / 1_000 / Number(rate)).toFixed(decimals);
  // When it came late, the coin was worth half.
  const laterRate = String(Number(rate) / 2);
  return { network, currency, decimals, amount, status, paidAtMs: TIMES[time], laterRate };
}

interface Case {
  readonly size: Size;
  readonly coin: Coin;
  readonly time: Time;
  readonly status: TransactionStatus;
}

/** The rules once more, in whole numbers. */
function expected(payments: readonly Case[], nowMs: number, endMs: number) {
  const isLate = ({ time }: Pick<Case, "time">) =>
    time === "twice" || (time === "after" && endMs === END);
  const worth = (one: Case) => isLate(one) ? WORTH[one.size] / 2 : WORTH[one.size];
  const total = (some: readonly Case[]) => some.reduce((sum, one) => sum + worth(one), 0);
  const live = payments.filter(({ status }) => status !== "failed");
  const paid = total(live);
  const confirmed = total(live.filter(({ status }) => status !== "detected"));
  const inTime = total(live.filter((one) => !isLate(one)));
  const isCovered = paid >= 99_000;
  let status: InvoiceStatus = "expired";
  if (confirmed >= 99_000) status = "paid";
  else if (isCovered) status = "processing";
  else if (nowMs < endMs) status = "open";
  else if (live.length > 0) status = "underpaid";
  const units = live.map(({ coin, time }) => {
    const whole = coin === "AAA" ? 500 : 20;
    return isLate({ time }) ? whole / 2 : whole;
  });
  const excess = paid - 100_000;
  return {
    status,
    paid,
    confirmed,
    due: isCovered ? 0 : 100_000 - paid,
    overpaid: excess > 0 && excess >= Math.max(...units) ? excess : 0,
    isLate: isCovered && inTime < 99_000,
  };
}

function found(payments: readonly Case[], nowMs: number, expiresAtMs = END) {
  const judged = judge({ ...TERMS, expiresAtMs }, {
    payments: payments.map((one) => paymentOf(one, one.status)),
    nowMs,
  });
  const thousandths = (text: string) => Math.round(Number(text) * 1_000);
  return {
    ...judged,
    paid: thousandths(judged.paid),
    confirmed: thousandths(judged.confirmed),
    due: thousandths(judged.due),
    overpaid: thousandths(judged.overpaid),
  };
}

const EVENTS: Readonly<Record<InvoiceStatus, string | undefined>> = {
  open: undefined,
  processing: "invoice.processing",
  paid: "invoice.paid",
  underpaid: "invoice.underpaid",
  expired: "invoice.expired",
  cancelled: "invoice.cancelled",
};

function eventOf(from: InvoiceStatus, to: InvoiceStatus): string | undefined {
  if (from === to) return undefined;
  return from === "paid" ? "invoice.reversed" : EVENTS[to];
}

Deno.test("an invoice follows from its payments and the time, in every combination of two", () => {
  const coins = Object.keys(COINS) as Coin[];
  let cells = 0;
  for (const [first, second] of pairs(SIZES)) {
    for (const [one, two] of pairs<Time>(ONCE)) {
      for (const coin of coins) {
        for (const [story, other] of pairs(STORIES)) {
          for (const nowMs of [END - 1, END, END + GRACE_MS + 1]) {
            let before: InvoiceStatus = nowMs < END ? "open" : "expired";
            for (let step = 0; step < Math.max(story.length, other.length); step++) {
              const payments: Case[] = [];
              if (first !== "none") {
                payments.push({ size: first, coin: "AAA", time: one, status: at(story, step) });
              }
              if (second !== "none") {
                payments.push({ size: second, coin, time: two, status: at(other, step) });
              }
              const judged = found(payments, nowMs);
              assert.deepEqual(judged, expected(payments, nowMs, END), JSON.stringify(payments));
              assert.equal(invoiceEvent(before, judged.status), eventOf(before, judged.status));
              before = judged.status;
              cells++;
            }
          }
        }
      }
    }
  }
  assert.ok(cells > 50_000, `${cells} cells`);
});

Deno.test("an extended invoice follows from the same rules by its second end", () => {
  const times = Object.keys(TIMES) as Time[];
  const statuses = ["detected", "confirmed", "failed"] as const;
  for (const [first, second] of pairs(SIZES)) {
    for (const [one, two] of pairs(times)) {
      for (const [status, other] of pairs(statuses)) {
        const payments: Case[] = [
          { size: first, coin: "AAA", time: one, status },
          { size: second, coin: "BBB", time: two, status: other },
        ];
        const some = payments.filter(({ size }) => size !== "none");
        for (const nowMs of [END, SECOND_END - 1, SECOND_END, TIMES.twice]) {
          const must = expected(some, nowMs, SECOND_END);
          assert.deepEqual(found(some, nowMs, SECOND_END), must, JSON.stringify(some));
        }
      }
    }
  }
});

Deno.test("what an extension makes of the sums is what its payments add up to then", () => {
  const times = Object.keys(TIMES) as Time[];
  for (const [first, second] of pairs(SIZES)) {
    for (const [one, two] of pairs(times)) {
      for (const [status, other] of pairs(["detected", "confirmed", "failed"] as const)) {
        const late = paymentOf({ size: first, coin: "AAA", time: one }, status);
        const payments = [
          ...[late, paymentOf({ size: second, coin: "BBB", time: two }, other)],
          { ...late, currency: "CCC", laterRate: first === "dust" ? null : "3" },
        ];
        const extended = { ...TERMS, expiresAtMs: TIMES.twice };
        assert.deepEqual(extendedSums(addUp(TERMS, payments)), addUp(extended, payments));
      }
    }
  }
});

Deno.test("a paid invoice stays paid while time passes and more arrives, unless a credit is reversed", () => {
  const paying = { size: "exact", coin: "AAA", time: "before", status: "confirmed" } as const;
  for (const size of SIZES) {
    for (const status of ["detected", "confirmed", "failed"] as const) {
      const more: Case = { size, coin: "BBB", time: "after", status };
      for (const nowMs of [0, END, END + GRACE_MS, Number.MAX_SAFE_INTEGER]) {
        assert.equal(found([paying, more], nowMs).status, "paid");
      }
    }
  }
  assert.equal(found([{ ...paying, status: "failed" }], END).status, "expired");
});

Deno.test("a cancelled invoice stays cancelled, and what arrives is still counted", () => {
  const payments = [paymentOf({ size: "over", coin: "AAA", time: "before" }, "confirmed")];
  const { status, paid, confirmed } = judge({ ...TERMS, cancelledAtMs: 5 }, { payments, nowMs: 9 });
  assert.deepEqual({ status, paid, confirmed }, {
    status: "cancelled",
    paid: "150",
    confirmed: "150",
  });
});

Deno.test("what the merchant accepted is paid for as long as its credits stand", () => {
  const accepted = { ...TERMS, acceptedValue: "60" };
  const asked = { size: "short", coin: "AAA", time: "before" } as const;
  const judged = (status: TransactionStatus) =>
    judge(accepted, { payments: [paymentOf(asked, status)], nowMs: END });
  assert.deepEqual([judged("confirmed").status, judged("confirmed").due], ["paid", "0"]);
  assert.deepEqual([judged("failed").status, judged("failed").due], ["expired", "100"]);
  const unrated = { ...paymentOf(asked, "failed"), currency: "CCC", laterRate: null };
  const nothing = judge({ ...TERMS, acceptedValue: "0" }, { payments: [unrated], nowMs: END });
  assert.equal(nothing.status, "expired");
});

Deno.test("what was accepted without a rate must stay credited too, or come again", () => {
  const rated = paymentOf({ size: "short", coin: "AAA", time: "before" }, "confirmed");
  const unrated = { ...rated, currency: "CCC", amount: "7", laterRate: null };
  const acceptedCoins = coinsOf([rated, unrated]);
  assert.deepEqual(acceptedCoins, { "ONE/AAA": "1.2", "ONE/CCC": "7" });
  const accepted = { ...TERMS, acceptedValue: "60", acceptedCoins };
  const statusOf = (...payments: InvoicePayment[]) =>
    judge(accepted, { payments, nowMs: END }).status;
  const gone = { ...unrated, status: "failed" } as const;
  assert.equal(statusOf(rated, unrated), "paid");
  assert.equal(statusOf(rated, gone), "underpaid");
  assert.equal(statusOf(rated, gone, unrated), "paid");
});

Deno.test("checkout 2: a payment in no block counts while it may return, and not once it is gone", () => {
  const seen = paymentOf({ size: "exact", coin: "AAA", time: "before" }, "detected");
  const judged = (missing: InvoicePayment["missing"]) => {
    const payment = { ...seen, missing };
    const { status, paid, due } = judge(TERMS, { payments: [payment], nowMs: 0 });
    const sums = addUp(TERMS, [payment]);
    return [status, paid, due, judgedAgainAtMs(status, TERMS, { sums, nowMs: 0 })];
  };
  assert.deepEqual(judged(undefined), ["processing", "100", "0", null]);
  assert.deepEqual(judged("may_return"), ["processing", "100", "0", 30_000]);
  assert.deepEqual(judged("gone"), ["open", "0", "100", END]);
});

Deno.test("of many payments those worth most are listed, and all count", () => {
  const dust = paymentOf({ size: "dust", coin: "AAA", time: "before" }, "confirmed");
  const paying = paymentOf({ size: "short", coin: "AAA", time: "before" }, "confirmed");
  const unrated = { ...paying, time: "after", laterRate: null, amount: "3" };
  const payments = [...Array(200).fill(dust), paying, unrated, ...Array(200).fill(dust), paying];
  const { paid } = judge(TERMS, { payments, nowMs: END });
  const listed = listedPayments(TERMS, payments);
  assert.deepEqual(listed.slice(0, 4), [201, 200, 402, 0]);
  assert.equal(listed.length, 100);
  assert.equal(Number(paid), 400 * 0.5 + 2 * 60 + 150);
});

Deno.test("after 100 payments, one counts only if it is worth half a percent, and after 300 none", () => {
  const coin = { network: "ONE", currency: "AAA" };
  const terms = {
    ...TERMS,
    amount: "100",
    methods: [{ ...TERMS.methods[0]!, ...coin, rate: "2" }],
  };
  const isIn = (amount: string, earlier: number, currency = "AAA") =>
    isCounted(terms, { ...coin, currency, amount }, earlier);
  assert.deepEqual([isIn("0.01", 99), isIn("0.01", 99, "BBB")], [true, true]);
  assert.deepEqual([isIn("0.249", 100), isIn("0.25", 100), isIn("9", 100, "BBB")], [
    false,
    true,
    false,
  ]);
  assert.deepEqual([isIn("50", 299), isIn("50", 300)], [true, false]);
});

Deno.test("another coin counts at the rate of its detection, and without one waits for the merchant", () => {
  const other = { network: "ONE", currency: "CCC", decimals: 0, amount: "25", paidAtMs: 0 };
  const judged = (laterRate: string | null) => {
    const payment = { ...other, status: "confirmed", laterRate } as const;
    const { status } = judge(TERMS, { payments: [payment], nowMs: END });
    return [status, valueOf(TERMS, payment), addUp(TERMS, [payment]).unpriced];
  };
  assert.deepEqual(judged("4"), ["paid", "100", 0]);
  assert.deepEqual(judged(null), ["underpaid", null, 1]);
});

Deno.test("once extended, an invoice is open again, and what was late is in time", () => {
  const late = paymentOf({ size: "short", coin: "AAA", time: "after" }, "confirmed");
  const before = judge(TERMS, { payments: [late], nowMs: TIMES.after });
  assert.deepEqual([before.status, before.paid], ["underpaid", "30"]);
  const extended = { ...TERMS, expiresAtMs: TIMES.after + 10 };
  const after = judge(extended, { payments: [late], nowMs: TIMES.after });
  assert.deepEqual([after.status, after.paid], ["open", "60"]);
  const again = judge(extended, { payments: [late], nowMs: TIMES.after + 10 });
  assert.equal(again.status, "underpaid");
});

Deno.test("paying what is asked for always suffices, and a unit less never does, at any rate", () => {
  let state = 1;
  const random = (below: number) => (state = (state * 48_271) % 2_147_483_647) % below;
  for (let i = 0; i < 5_000; i++) {
    const decimals = random(19);
    const rate = `${random(3) === 0 ? 0 : random(90_000)}.${1 + random(999_999)}`;
    const amount = `${random(10_000)}.${1 + random(99)}`;
    const method = { network: "ONE", currency: "AAA", decimals, rate, rateAtMs: 0 };
    const terms = { ...TERMS, amount, tolerancePercent: "0" };
    const coins = coinsFor(amount, { invoiceCurrency: "EUR", method });
    const statusOf = (paid: string, methods = [method]) => {
      const facts = { status: "confirmed", paidAtMs: 0, laterRate: null } as const;
      const payment = { ...method, ...facts, amount: paid };
      return judge({ ...terms, methods }, { payments: [payment], nowMs: 0 });
    };
    const rounded = { ...method, digits: 2 + random(8) };
    const fewer = coinsFor(amount, { invoiceCurrency: "EUR", method: rounded });
    const asked = statusOf(fewer, [rounded]);
    assert.deepEqual([asked.status, asked.overpaid, asked.due], ["paid", "0", "0"], fewer);
    const exact = statusOf(coins);
    assert.deepEqual([exact.status, exact.overpaid, exact.due], ["paid", "0", "0"], coins);
    const raw = BigInt(coins.replace(".", "")) * 10n ** BigInt(decimals - decimalsOf(coins)) - 1n;
    const digits = raw.toString().padStart(decimals + 1, "0");
    const less = decimals === 0
      ? digits
      : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
    assert.equal(statusOf(less).status, "open", `${less} of ${coins}`);
  }
});

function decimalsOf(text: string): number {
  return text.split(".")[1]?.length ?? 0;
}

function at<T>(story: readonly T[], step: number): T {
  return story[Math.min(step, story.length - 1)]!;
}

function pairs<T>(values: readonly T[]): [T, T][] {
  return values.flatMap((one) => values.map((other): [T, T] => [one, other]));
}

Deno.test("a payment that is back in the chain is no longer missing", () => {
  const terms = { amount: "10", currency: "USD", methods: [], expiresAtMs: Infinity };
  const payment = {
    ...{ network: "ETH", currency: "USDT", decimals: 6, amount: "10" },
    ...{ paidAtMs: 1, laterRate: "1" },
  };
  const away = addUp(terms, [{ ...payment, status: "detected", missing: "may_return" }]);
  const back = addUp(terms, [{ ...payment, status: "confirmed" }]);
  const sums = { ...away, ...back };
  assert.equal(judgedAgainAtMs("processing", terms, { sums: away, nowMs: 0 }), 30_000);
  assert.equal(judgedAgainAtMs("paid", terms, { sums, nowMs: 0 }), null);
});
