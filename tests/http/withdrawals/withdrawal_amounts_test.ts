import assert from "node:assert/strict";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { addCurrency } from "../../../src/networks/currencies.ts";
import type { ApiReply } from "../../support/api_client.ts";
import { enable, makeNetwork, makeToken } from "../../support/gateway.ts";
import { DEAD_NODE, makeClockedMerchant, startClockedGateway } from "../clocked_gateway.ts";
import { assertInvalid, assertRefused } from "./refusals.ts";

const gateway = await startClockedGateway();
Deno.test.afterAll(() => gateway.stop());
const { deps } = gateway;
await makeNetwork(deps, { rpcUrls: [DEAD_NODE], chainId: "1" });
await makeToken(deps, { network: "ETH", contract: `0x${"5".repeat(40)}` });

interface Rate {
  readonly symbol: string;
  readonly decimals: number;
  readonly minimum: string;
  readonly percent: string;
  readonly flat: string;
}

let contracts = 0;

async function makeCurrency({ symbol, decimals, minimum, percent, flat }: Rate): Promise<void> {
  await addCurrency(deps, {
    actor: "test",
    currency: {
      network: "ETH",
      symbol,
      name: symbol,
      contractAddress: `0x${(++contracts).toString(16).padStart(40, "0")}`,
      decimals,
      minDepositAmount: "0",
      minWithdrawalAmount: minimum,
      feeFlat: flat,
      feePercent: percent,
    },
  });
}

async function makeRich(currency: string, amount: string) {
  const { api, accountId } = await makeClockedMerchant(gateway);
  const asset = { accountId, network: "ETH", currency };
  await enable(deps, asset);
  await adjustBalance(deps, { ...asset, amount, note: "", actor: "test" });
  return {
    /** `amount` is JSON text, put into the body byte for byte. */
    withdraw: (amountJson: string): Promise<ApiReply> =>
      api.post(
        "/v1/withdrawals",
        `{"currency":"${currency}","network":"ETH","to_address":"0x${"1".repeat(40)}",` +
          `"amount":${amountJson},"client_reference":"${crypto.randomUUID()}"}`,
      ),
    balance: async () => (await api.get("/v1/balances")).body.data[0],
  };
}

/** The node is dead, so a valid request ends as a failed row with amount and fee. */
function priced(reply: ApiReply): { amount: string; fee: string } {
  assertRefused(reply, "broadcast_rejected");
  const { amount, fee } = reply.body.data;
  return { amount, fee };
}

const rich = await makeRich("ETH", "1".padEnd(60, "0"));

const INVALID = [
  ...[".5", "5.", "+1", "-1", "-0.5", "1e-7", "1E5", " 1", "1 ", "1\\n", "", " ", "1,000", "1_000"],
  ...["0x10", "0b1", "NaN", "Infinity", "-Infinity", "abc", "1.2.3", "1..2", "--1", "1-", "½", "١"],
  ...["１", "1\\u0000", "null", "true", "1".repeat(79), `0.${"1".repeat(78)}`],
].map((text) => `"${text}"`);
const INVALID_JSON = [
  "true",
  "false",
  "null",
  "[]",
  "{}",
  '["1"]',
  '{"source":"1"}',
  "-1",
  "-1e-7",
];
const TOO_LONG = ["1e78", "1e400", "1E+999999999999999999999", "9".repeat(79), "1e-400"];

for (const amount of [...INVALID, ...INVALID_JSON, ...TOO_LONG]) {
  Deno.test(`contract 1: an amount of ${amount.slice(0, 30)} is 422 naming amount`, async () => {
    assertInvalid(await rich.withdraw(amount), ["amount"]);
  });
}

const BELOW = [
  '"0"',
  '"0.0"',
  '"000"',
  `"0.${"0".repeat(70)}"`,
  "0",
  "0.000",
  "0e5",
  "0E-5",
  "0.0e99",
];

for (
  const amount of [...BELOW, '"0.000999999999999999"', "9.99e-4", '"0.0009999999999999999999"']
) {
  Deno.test(`spec 4.6, contract 1: an amount of ${amount} is 400, below the minimum`, async () => {
    assertRefused(await rich.withdraw(amount), "amount_below_minimum");
  });
}

/** The JSON text, and the amount that it resolves to with 18 decimals. */
const RESOLVED: Record<string, string> = {
  '"1"': "1",
  '"0.001"': "0.001",
  '"007"': "7",
  '"00.50"': "0.5",
  '"5.000"': "5",
  '"100"': "100",
  '"0.123456789012345678"': "0.123456789012345678",
  '"0.1234567890123456789"': "0.123456789012345678",
  '"1.9999999999999999999999"': "1.999999999999999999",
  '"123456789012345678901234567890.000000000000000001"':
    "123456789012345678901234567890.000000000000000001",
  "1": "1",
  "1.50": "1.5",
  "1e1": "10",
  "1E+1": "10",
  "12e-1": "1.2",
  "100e-2": "1",
  "0.00000000000000001e17": "1",
  "1000000000000000000e-18": "1",
  "0.1": "0.1",
  "123456789012345678901234567890": "123456789012345678901234567890",
  "9007199254740993": "9007199254740993",
  "0.123456789012345678": "0.123456789012345678",
  "1.0000000000000000005": "1",
  "123456789.123456789012345678": "123456789.123456789012345678",
  "1e25": "10000000000000000000000000",
};

for (const [json, amount] of Object.entries(RESOLVED)) {
  Deno.test(`contract 1: an amount of ${json} is read from its source text as ${amount}, never as a float`, async () => {
    const reply = await rich.withdraw(json);
    assert.equal(priced(reply).amount, amount);
  });
}

Deno.test("contract 1: an amount of 78 digits is like any other: only the balance limits it", async () => {
  for (const amount of [`"${"9".repeat(78)}"`, "9".repeat(78), "1e77"]) {
    assertRefused(await rich.withdraw(amount), "insufficient_balance");
  }
});

const RATES: readonly Rate[] = [
  { symbol: "HALF", decimals: 18, minimum: "0", percent: "0.5", flat: "0.0001" },
  { symbol: "THIRD", decimals: 18, minimum: "0", percent: "0.333333333333333333", flat: "0" },
  { symbol: "FLAT", decimals: 6, minimum: "0", percent: "0", flat: "1.000000000000000000001" },
  { symbol: "DUST", decimals: 8, minimum: "0", percent: "0.000000000000000001", flat: "0" },
  { symbol: "FREE", decimals: 0, minimum: "0", percent: "0", flat: "0" },
  { symbol: "DOUBLE", decimals: 2, minimum: "0", percent: "100", flat: "99999999999999999999.99" },
];
const AMOUNTS = [
  "1",
  "0.123456789012345678",
  "999999999999999999999.987654321",
  "3.14159265358979",
];

for (const rate of RATES) {
  const { symbol, decimals, percent, flat } = rate;
  Deno.test(`spec 4.6, contract 1: fee = amount * (${percent} / 100) + ${flat} with ${decimals} decimals`, async () => {
    await makeCurrency(rate);
    const { withdraw } = await makeRich(symbol, "1".padEnd(60, "0"));
    for (const amount of AMOUNTS) {
      const resolved = units(amount) / 10n ** BigInt(DIGITS - decimals) *
        10n ** BigInt(DIGITS - decimals);
      const reply = await withdraw(`"${amount}"`);
      if (resolved === 0n) {
        assertRefused(reply, "amount_below_minimum");
        continue;
      }
      const fee = resolved * units(percent) / (100n * 10n ** BigInt(DIGITS)) + units(flat);
      assert.deepEqual(priced(reply), { amount: plain(resolved), fee: plain(fee) });
    }
  });
}

Deno.test("contract 1: a known fee, digit by digit: it may have more digits than the chain", async () => {
  const { withdraw } = await makeRich("ETH", "10");
  assert.deepEqual(priced(await withdraw('"0.123456789012345678"')), {
    amount: "0.123456789012345678",
    fee: "0.00071728394506172839",
  });
});

Deno.test("spec 4.6: an amount that rounds to zero raw units is below minimum, even without one", async () => {
  await makeCurrency({ symbol: "NOMIN", decimals: 6, minimum: "0", percent: "0", flat: "0" });
  const { withdraw } = await makeRich("NOMIN", "10");
  for (const amount of ['"0.0000009"', "9.99e-7", "1e-70"]) {
    assertRefused(await withdraw(amount), "amount_below_minimum");
  }
  assert.equal(priced(await withdraw("1e-6")).amount, "0.000001");
});

Deno.test("contract 1: the minimum applies to the resolved amount, after truncation", async () => {
  await makeCurrency({ symbol: "FINE", decimals: 2, minimum: "1.005", percent: "0", flat: "0" });
  const { withdraw } = await makeRich("FINE", "10");
  assertRefused(await withdraw('"1.009"'), "amount_below_minimum");
  assert.equal(priced(await withdraw('"1.01"')).amount, "1.01");
});

/** The balance, and whether 1 ETH with its fee of 0.0051 can be taken from it. */
const BALANCES: readonly (readonly [balance: string, isEnough: boolean])[] = [
  ["1.0051", true],
  ["1.0050999999999999999999999", false],
  ["1.0051000000000000000000001", true],
  ["1", false],
  ["1.0001", false],
  ["0.0051", false],
];

for (const [balance, isEnough] of BALANCES) {
  Deno.test(`spec 4.6: ${balance} is ${isEnough ? "" : "not "}enough for 1 with a fee of 0.0051`, async () => {
    const { withdraw, balance: left } = await makeRich("ETH", balance);
    const reply = await withdraw('"1"');
    assertRefused(reply, isEnough ? "broadcast_rejected" : "insufficient_balance");
    const { held, available } = await left();
    assert.deepEqual([held, available], ["0", balance]);
  });
}

/** More than any amount, percent and flat fee here have together. */
const DIGITS = 60;

function units(text: string): bigint {
  const [whole = "", fraction = ""] = text.split(".");
  return BigInt(whole + fraction.padEnd(DIGITS, "0"));
}

function plain(value: bigint): string {
  const digits = value.toString().padStart(DIGITS + 1, "0");
  return `${digits.slice(0, -DIGITS)}.${digits.slice(-DIGITS)}`.replace(/\.?0+$/, "");
}
