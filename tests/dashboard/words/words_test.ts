import assert from "node:assert/strict";
import { modeOf } from "../../../src/dashboard/mode.ts";
import { READING } from "../../../src/dashboard/assets/scripts/reading.ts";
import { ageText } from "../../../src/dashboard/words/ages.ts";
import { shownAmount, shownText } from "../../../src/dashboard/words/amounts.ts";
import { verdictOf } from "../../../src/dashboard/words/verdict.ts";
import { Amount } from "../../../src/domain/money/amount.ts";
import { DEED_GROUPS } from "../../../src/audit/rules/deeds.ts";
import { whereaboutsOf } from "../../../src/wallets/rules/whereabouts.ts";
import { makeNetwork } from "../../store/reads/make_rows.ts";

Deno.test("amounts have separators, few decimals, and all digits if some are left out, in scripts too", () => {
  const cases: readonly (readonly [text: string, shown: string, exact?: string])[] = [
    ["0", "0"],
    ["1", "1"],
    ["-12.5", "-12.5"],
    ["+1234.5", "+1,234.5"],
    ["46540.15", "46,540.15"],
    ["46540.159", "46,540.15", "46,540.159"],
    ["98.48735", "98.4873", "98.48735"],
    ["0.00001234567", "0.0000123", "0.00001234567"],
    ["0.00000001", "0.00000001"],
    ["0.0000000199", "0.00000001", "0.0000000199"],
    ["0.0000000099", "<0.00000001", "0.0000000099"],
    ["-0.000000000000000001", "-<0.00000001", "-0.000000000000000001"],
    ["0.000000000", "0.00000000", "0.000000000"],
    ["999999999999999", "999,999,999,999,999"],
    ["1234567890123456.5", "1.234 × 10¹⁵", "1,234,567,890,123,456.5"],
    ["unknown", "unknown"],
  ];
  const written = READING.slice(READING.indexOf("function amount("));
  const inScript = new Function(`return ${written}`)();
  for (const [text, shown, exact] of cases) {
    const { whole, fraction, exact: all } = shownAmount(text);
    assert.deepEqual([whole + fraction, all], [shown, exact], text);
    const [part, rest = "", hovered] = inScript(text);
    assert.deepEqual([part + rest, hovered], [shown, exact], `${text} in a script`);
  }
  const cents = ["0.129", "0.009", "+0.00001", "0.00", "12.001"].map((text) => {
    const { whole, fraction } = shownAmount(text, { decimals: 2 });
    return whole + fraction;
  });
  assert.deepEqual(cents, ["0.12", "<0.01", "+<0.01", "0.00", "12.00"]);
  assert.equal(shownAmount("0.009", { decimals: 0 }).whole, "<1");
  const rounded = ["0.00034096", "0.000340949", "0.99996", "1234.995", "-0.5"].map((text) => {
    const { whole, fraction } = shownAmount(text, { decimals: Infinity, isRounded: true });
    return whole + fraction;
  });
  assert.deepEqual(rounded, ["0.000341", "0.000341", "1.0000", "1,235.00", "-0.5"]);
  assert.equal(shownText("0.0000000000123456"), "0.0000000000123", "a sentence has room for it");
});

Deno.test("ages are in the largest whole unit, and a future one is now", () => {
  const ages = [-1, 0, 999, 1_000, 59_999, 60_000, 3_600_000, 86_400_000 * 400].map(ageText);
  assert.deepEqual(ages, [
    ...["just now", "just now", "just now", "1 s ago", "59 s ago", "1 min ago", "1 h ago"],
    "400 d ago",
  ]);
});

Deno.test("the gateway is live as soon as one chain is, and only the demo is a demo", () => {
  const modes = (ids: readonly string[]) => {
    const rows = ids.map((chainId) => ({ ...makeNetwork("ETH", null), chainId, isActive: true }));
    return [false, true].map((isDemo) => modeOf(rows, { isDemo }));
  };
  assert.deepEqual(modes([]), [undefined, undefined]);
  assert.deepEqual(modes(["31337", "3102885452"]), ["test", "demo"]);
  assert.deepEqual(modes(["31337", "11155111"]), ["test", "demo"]);
  assert.deepEqual(modes(["31337", "11155111", "1"]), ["live", "live"]);
  assert.deepEqual(modes(["424242"]), ["live", "live"]);
});

const FINE = {
  ...{ isStopped: false, seesAll: false, troubles: [], alerts: 0, confirming: 2 },
  isAnythingListed: false,
  balances: [{ network: "ETH", currency: "USDT", balance: "46540.15", held: "0" }, {
    ...{ network: "ETH", currency: "ETH", balance: "23.4912", held: "0" },
  }],
  coin: ({ network, currency }: { network: string; currency: string }) =>
    `${currency} (${network})`,
};
const SILENT = { code: "ETH", name: "Ethereum", state: "silent", forS: 55 } as const;

Deno.test("Home's sentence says the worst first, and otherwise whose the money is", () => {
  const said = (change: Partial<Parameters<typeof verdictOf>[0]>) => {
    const { tone, lead, text } = verdictOf({ ...FINE, ...change });
    return `${tone}: ${lead} ${text}`;
  };
  const money = "46,540.15 USDT and 23.4912 ETH are yours, 2 payments confirming.";
  const nothingLost = "Deposits will show up later, payouts wait or fail. Nothing is lost.";
  assert.equal(said({}), `good: All good. ${money}`);
  const alone = [
    ["11.002", "11.002"],
    ["11.00", "11"],
    ["11.00201", "11.002"],
    ["46540.159", "46,540.15"],
    ["0.00000004", "0.00000004"],
    ["0.000000004", "0.000000004"],
    ["-1.00019", "-1.0001"],
  ] as const;
  for (const [balance, amount] of alone) {
    const balances = [{ network: "ETH", currency: "ETH", balance, held: "0" }];
    const text = `good: All good. ${amount} ETH are yours.`;
    assert.equal(said({ balances, confirming: 0 }), text, balance);
  }
  assert.equal(
    said({ alerts: 3, isAnythingListed: true }),
    `under-way: 3 alerts are open. ${money}`,
  );
  assert.equal(said({ alerts: 1 }), `under-way: 1 alert is open. ${money}`);
  assert.equal(said({ alerts: 100 }), `under-way: 99+ alerts are open. ${money}`);
  assert.equal(said({ isAnythingListed: true }), `under-way: Something needs attention. ${money}`);
  assert.equal(
    said({ alerts: 3, troubles: [SILENT] }),
    `bad: The Ethereum node has not answered for 55 s. ${nothingLost}`,
  );
  assert.equal(
    said({ troubles: [{ ...SILENT, forS: null }] }),
    `bad: The Ethereum node has never answered. ${nothingLost}`,
  );
  assert.equal(
    said({ troubles: [{ ...SILENT, state: "halted" }] }),
    `bad: Ethereum has been halted. ${nothingLost}`,
  );
  assert.equal(
    said({ troubles: [{ ...SILENT, state: "stalled", forS: 1_500 }] }),
    `bad: The newest block of Ethereum is 25 min old. ${nothingLost}`,
  );
  assert.equal(
    said({ troubles: [{ ...SILENT, state: "behind" }] }),
    `under-way: Ethereum is behind. Deposits will show up later. ${money}`,
  );
  assert.equal(
    said({ isStopped: true, troubles: [SILENT] }),
    "bad: Payouts are paused. Deposits continue. Nothing is lost.",
  );
  assert.equal(
    said({ balances: [], confirming: 0 }),
    "plain: No money has moved yet. No payments are confirming.",
  );
});

Deno.test("the audit log says that payouts are stopped, because payments go on", () => {
  const { deeds } = DEED_GROUPS.gateway!;
  assert.equal(deeds["gateway.stopped"], "All payouts stopped");
  assert.equal(deeds["gateway.resumed"], "Payouts resumed");
});

Deno.test("the parts of a balance add up to it with what isn't explained", () => {
  const of = (text: string) => Amount.parse(text, "ETH/ETH");
  const none = of("0");
  const nothing = {
    ...{ balance: of("10"), held: of("1"), sweeping: of("0.5"), onDeposits: of("2") },
    ...{ hot: none, free: none, gasWanted: none, swept: none, sweptToHot: none, emptied: none },
    ...{ gas: { deposits: none, hot: none }, fees: { deposits: none, hot: none } },
    ...{ booked: none, charged: none, heldFees: none, gone: none },
  };
  const parts = (change: Partial<Parameters<typeof whereaboutsOf>[0]>) => {
    const found = Object.entries(whereaboutsOf({ ...nothing, ...change }));
    return Object.fromEntries(
      found.flatMap(([name, it]) => it === undefined || it.isZero() ? [] : [[name, `${it}`]]),
    );
  };
  const same = { held: "1", onDeposits: "2", sweeping: "0.5" };
  const swept = { swept: of("3"), emptied: of("3.1"), fees: { deposits: of("0.1"), hot: none } };
  assert.deepEqual(parts({ ...swept, hot: of("4"), free: of("3") }), {
    ...{ ...same, payable: "3", swept: "3", fees: "0.1", unexplained: "0.4" },
  });
  assert.deepEqual(parts({ hot: of("30"), free: of("28"), gasWanted: of("1") }), {
    ...{ ...same, payable: "9", keptForGas: "1", beyond: "19", unexplained: "-22.5" },
  });
  const gas = { deposits: of("0.3"), hot: of("0.2") };
  assert.deepEqual(
    parts({ balance: of("3.5"), gas, fees: { deposits: of("0.1"), hot: of("0.2") } }),
    { ...same, keptForGas: "0.2", fees: "0.3", toppedUp: "-0.5" },
  );
  assert.deepEqual(parts({ hot: undefined, free: undefined }), same);
  const full = { hot: of("7.5"), free: of("6.5") };
  assert.deepEqual(parts({ ...full, booked: of("5") }), { ...same, payable: "6.5" });
  assert.deepEqual(parts({ ...full, booked: of("-1") }), {
    ...{ ...same, payable: "6.5", booked: "-1", unexplained: "1" },
  });
  const waits = { balance: of("9.4"), ...full, heldFees: of("0.1") };
  assert.deepEqual(parts({ ...waits, hot: of("6.9"), free: of("6") }), {
    ...{ ...same, payable: "6", charged: "-0.1" },
  }, "the fee of a payout that waits moves no coins");
  assert.deepEqual(parts({ ...waits, hot: of("6"), free: of("6"), gone: of("0.9") }), {
    ...{ ...same, payable: "6", charged: "-0.1" },
  }, "nor when its amount has left");
  assert.deepEqual(parts({ hot: of("4"), free: of("3"), booked: of("5") }), {
    ...{ ...same, payable: "3", booked: "3.5" },
  });
  assert.deepEqual(parts({ hot: of("30"), free: of("28"), booked: of("5") }), {
    ...{ ...same, payable: "9", beyond: "20", unexplained: "-22.5" },
  });
});
