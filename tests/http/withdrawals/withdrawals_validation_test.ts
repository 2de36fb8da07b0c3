import assert from "node:assert/strict";
import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import { setCurrency } from "../../../src/networks/currencies.ts";
import { setNetwork } from "../../../src/networks/set.ts";
import { gasWallet } from "../../../src/wallets/gas_wallet.ts";
import { enable, makeNetwork, makeToken } from "../../support/gateway.ts";
import { DEAD_NODE, makeClockedMerchant, startClockedGateway } from "../clocked_gateway.ts";
import { assertInvalid, assertRefused, assertUnpayable } from "./refusals.ts";
import { countRows } from "../rows.ts";

const gateway = await startClockedGateway();
Deno.test.afterAll(() => gateway.stop());
const { deps } = gateway;
const TARGET = "/v1/withdrawals";
for (const [code, chainId] of [["ETH", "1"], ["BSC", "56"], ["OFF", "57"]] as const) {
  await makeNetwork(deps, { code, rpcUrls: [DEAD_NODE], chainId });
}
const tokens = [["USDT", "5"], ["GONE", "6"], ["DEPO", "7"]] as const;
for (const [symbol, digit] of tokens) {
  await makeToken(deps, { network: "ETH", contract: `0x${digit.repeat(40)}`, symbol });
}
const merchant = await makeClockedMerchant(gateway);
const { api, accountId } = merchant;
for (const asset of ["ETH/ETH", "OFF/ETH", "ETH/USDT", "ETH/GONE", "ETH/DEPO"]) {
  const [network = "", currency = ""] = asset.split("/");
  const withdrawal = currency !== "DEPO";
  await enable(deps, { accountId, network, currency, withdrawal });
  const entry = { accountId, network, currency, amount: "1000", note: "", actor: "test" };
  await adjustBalance(deps, entry);
}
await setNetwork(deps, { code: "OFF", change: { isActive: false }, actor: "test" });
const gone = { network: "ETH", symbol: "GONE", change: { isActive: false }, actor: "test" };
await setCurrency(deps, gone);

const LOWER = "0x52908400098527886e0f7030069857d2e4169ee7";
const ORDER = { currency: "ETH", network: "ETH", to_address: LOWER, amount: "1" };
/** The chain's node is dead, so a valid request gets no further than this. */
const ACCEPTED = "broadcast_rejected";

function post(change: Record<string, unknown> = {}) {
  return api.post(TARGET, { ...ORDER, x: crypto.randomUUID(), ...change });
}

Deno.test("contract 1: a malformed body is 422 in the shape of deposit addresses, naming every field", async () => {
  assertInvalid(await api.post(TARGET, {}), ["currency", "network", "to_address", "amount"]);
  for (const field of ["currency", "network", "to_address", "amount"]) {
    assertInvalid(await post({ [field]: undefined }), [field]);
    assertInvalid(await post({ [field]: null }), [field]);
    assertInvalid(await post({ [field]: "" }), [field]);
  }
  const wrong = { currency: "", network: 5, to_address: "0x1", amount: "x" };
  const reference = { client_reference: "x".repeat(129) };
  assertInvalid(await post({ ...wrong, ...reference }), [
    "currency",
    "network",
    "to_address",
    "amount",
    "client_reference",
  ]);
});

Deno.test("spec 4.6, contract 1: client_reference is optional: absent, null and empty are fine", async () => {
  for (const change of [{}, { client_reference: null }, { client_reference: "" }]) {
    assertRefused(await post(change), ACCEPTED);
  }
});

const INVALID_ADDRESSES: Record<string, string> = {
  "a wrong checksum": "0x52908400098527886E0F7030069857D2E4169Ee7",
  "mixed case without a checksum": "0x52908400098527886e0F7030069857D2E4169EE7",
  "white space before": ` ${LOWER}`,
  "white space after": `${LOWER} `,
  "a line feed after": `${LOWER}\n`,
  "a tab after": `${LOWER}\t`,
  "no 0x": LOWER.slice(2),
  "0X": `0X${LOWER.slice(2)}`,
  "39 digits": LOWER.slice(0, -1),
  "41 digits": `${LOWER}0`,
  "a digit that is none": `${LOWER.slice(0, -1)}g`,
  "full-width digits": `0x${"１".repeat(40)}`,
  "a name": "vitalik.eth",
  "a URI": `ethereum:${LOWER}`,
  "another family's form": "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8",
  "nothing but 0x": "0x".padEnd(10, "x"),
  "256 characters": `0x${"a".repeat(254)}`,
};

for (const [what, to_address] of Object.entries(INVALID_ADDRESSES)) {
  Deno.test(`spec 7, contract 1: an address with ${what} is 400, invalid for this network`, async () => {
    assertRefused(await post({ to_address }), "invalid_address");
  });
}

const MONEY_IS_LOST_AT: Record<string, string> = {
  "the address of zeros": `0x${"0".repeat(40)}`,
  "a listed token's contract": `0x${"5".repeat(40)}`,
  "the contract of a token that is switched off": `0x${"6".repeat(40)}`,
};

for (const [what, to_address] of Object.entries(MONEY_IS_LOST_AT)) {
  Deno.test(`${what} is refused as an address before anything is held, whatever the currency`, async () => {
    for (const currency of ["ETH", "USDT"]) {
      const reply = await post({ to_address, currency, amount: "5" });
      assertUnpayable(reply, /what is sent there is lost$/);
    }
  });
}

Deno.test("a withdrawal to a hot or gas wallet of this gateway is refused, one to a deposit address isn't", async () => {
  const other = await makeClockedMerchant(gateway);
  const asset = { network: "ETH", currency: "ETH" };
  const own = await enable(deps, { accountId, ...asset });
  const hot = await enable(deps, { accountId: other.accountId, ...asset });
  const { address: gas } = await gasWallet(deps, { network: "ETH", actor: "test" });
  for (const to_address of [own, hot, hot.toLowerCase(), gas]) {
    assertUnpayable(await post({ to_address }), /a wallet that this gateway itself pays from/);
  }
  const { body } = await other.api.post("/v1/deposit-addresses", asset);
  assertRefused(await post({ to_address: body.data.address }), ACCEPTED);
});

const VALID_ADDRESSES: Record<string, string> = {
  "all lower": LOWER,
  "all upper": `0x${LOWER.slice(2).toUpperCase()}`,
  "right EIP-55": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  "digits only": `0x${"1".repeat(40)}`,
};

for (const [what, to_address] of Object.entries(VALID_ADDRESSES)) {
  Deno.test(`contract 1: an address in ${what} is accepted, and to_address is returned as given`, async () => {
    const reply = await post({ to_address });
    assertRefused(reply, ACCEPTED);
    assert.equal(reply.body.data.to_address, to_address);
    const read = await api.get(`${TARGET}/${reply.body.data.id}`);
    assert.equal(read.body.data.to_address, to_address);
  });
}

Deno.test("spec 7: an unknown or inactive network is 404, and so is an unknown or inactive symbol", async () => {
  for (const network of ["nowhere", "OFF"]) {
    assertRefused(await post({ network }), "network_not_found");
  }
  for (const currency of ["NOPE", "GONE"]) {
    assertRefused(await post({ currency }), "currency_not_found");
  }
  assertRefused(await post({ currency: "USDT", network: "BSC" }), "currency_not_found");
});

Deno.test("spec 7: a currency whose withdrawals aren't enabled is 403 with the spec's message", async () => {
  assertRefused(await post({ currency: "DEPO" }), "withdrawals_disabled");
  assertRefused(await post({ network: "BSC" }), "withdrawals_disabled");
});

Deno.test("contract 1: network and currency match in any case, and the row has the canonical code", async () => {
  const reply = await post({ network: "eTh", currency: "usDt", amount: "5" });
  assertRefused(reply, ACCEPTED);
  const { network, currency } = reply.body.data;
  assert.deepEqual([network, currency], ["ETH", "USDT"]);
});

Deno.test("contract 1: the checks come in order: schema, network, currency, enabled, address, minimum", async () => {
  const wrong = {
    network: "nowhere",
    currency: "NOPE",
    to_address: "0xnowhere!",
    amount: "0.0000001",
    client_reference: "x".repeat(129),
  };
  assertInvalid(await post(wrong), ["client_reference"]);
  const schema = { ...wrong, client_reference: "order" };
  assertRefused(await post(schema), "network_not_found");
  assertRefused(await post({ ...schema, network: "OFF" }), "network_not_found");
  const network = { ...schema, network: "ETH" };
  assertRefused(await post(network), "currency_not_found");
  assertRefused(await post({ ...network, currency: "GONE" }), "currency_not_found");
  assertRefused(await post({ ...network, currency: "DEPO" }), "withdrawals_disabled");
  const enabled = { ...network, currency: "ETH" };
  assertRefused(await post(enabled), "invalid_address");
  const address = { ...enabled, to_address: LOWER };
  assertRefused(await post(address), "amount_below_minimum");
  assertRefused(await post({ ...address, amount: "1000000" }), "insufficient_balance");
  assertRefused(await post({ ...address, amount: "1" }), ACCEPTED);
});

Deno.test("contract 1: the minimum is checked before the balance", async () => {
  const poor = await makeClockedMerchant(gateway);
  await enable(deps, { accountId: poor.accountId, network: "ETH", currency: "ETH" });
  const ask = (amount: string) => poor.api.post(TARGET, { ...ORDER, amount });
  assertRefused(await ask("0.0009"), "amount_below_minimum");
  assertRefused(await ask("0"), "amount_below_minimum");
  assertRefused(await ask("0.001"), "insufficient_balance");
});

Deno.test("a refusal for the minimum or the balance has the numbers behind it", async () => {
  const poor = await makeClockedMerchant(gateway);
  const asset = { accountId: poor.accountId, network: "ETH", currency: "ETH" };
  await enable(deps, asset);
  await adjustBalance(deps, { ...asset, amount: "1.5", note: "", actor: "test" });
  const numbersOf = async (path: string, amount: string) => {
    const order = { ...ORDER, network: "eth", currency: "eth", amount };
    return (await poor.api.post(path, order)).body.error.details;
  };
  const coin = { network: "ETH", currency: "ETH" };
  for (const path of [TARGET, `${TARGET}/check`]) {
    assert.deepEqual(await numbersOf(path, "0.00090"), {
      ...{ amount: "0.0009", minimum: "0.001" },
      ...coin,
    });
    assert.deepEqual(await numbersOf(path, "0.0000000000000000009"), {
      ...{ amount: "0", minimum: "0.001" },
      ...coin,
    });
  }
  assert.deepEqual(await numbersOf(TARGET, "1.5"), {
    ...{ amount: "1.5", fee: "0.0076", total: "1.5076", available: "1.5" },
    ...coin,
  });
  const setMinimum = (minWithdrawalAmount: string) =>
    setCurrency(deps, {
      ...{ network: "ETH", symbol: "ETH", actor: "test" },
      change: { minWithdrawalAmount },
    });
  await setMinimum("0");
  const unit = "0.000000000000000001";
  assert.deepEqual(await numbersOf(TARGET, "0"), { amount: "0", minimum: unit, ...coin });
  await setMinimum("0.001");
});

Deno.test("contract 1: the replay of client_reference comes before all other checks but the schema", async () => {
  const first = await post({ client_reference: "before" });
  const { id } = first.body.data;
  const changes = [
    { network: "nowhere" },
    { currency: "NOPE" },
    { currency: "DEPO" },
    { to_address: "0xnowhere!" },
    { amount: "0" },
    { amount: "9".repeat(78) },
  ];
  for (const change of changes) {
    const replay = await post({ client_reference: "before", ...change });
    assert.equal(replay.status, 200, JSON.stringify(replay.body));
    assert.equal(replay.body.data.id, id);
    assert.equal(replay.body.data.amount, "1");
  }
  assertInvalid(await post({ client_reference: "before", amount: "x" }), ["amount"]);
});

Deno.test("spec 3.1: a refusal before the hold leaves no row, no hold and its client_reference free", async () => {
  const before = await countRows(deps, "withdrawals");
  const balances = async () => (await api.get("/v1/balances?network=ETH&currency=ETH")).body.data;
  const untouched = await balances();
  const changes = [
    { network: "nowhere" },
    { currency: "NOPE" },
    { currency: "DEPO" },
    { to_address: "0xnowhere!" },
    { amount: "0" },
    { amount: "1000000" },
  ];
  for (const change of changes) {
    const { status } = await post({ client_reference: "free", ...change });
    assert.ok(status >= 400 && status < 500);
  }
  assert.equal(await countRows(deps, "withdrawals"), before);
  assert.deepEqual(await balances(), untouched);
  assertRefused(await post({ client_reference: "free" }), ACCEPTED);
  assert.equal(await countRows(deps, "withdrawals"), before + 1);
});

Deno.test("spec 4.7: GET /v1/withdrawals/{id} of an id that doesn't exist is 404", async () => {
  assertRefused(await api.get(`${TARGET}/987654`), "not_found");
});
