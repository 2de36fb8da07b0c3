import assert from "node:assert/strict";
import {
  Cpg,
  CpgError,
  NoAnswerError,
  ReferenceUsedError,
  RefusedError,
  WithdrawalFailedError,
} from "../../src/sdk/mod.ts";
import { adjustBalance } from "../../src/accounts/manage_accounts.ts";
import { cancelWithdrawal } from "../../src/withdrawals/cancel.ts";
import { createWithdrawal } from "../../src/withdrawals/create.ts";
import { Amount } from "../../src/domain/money/amount.ts";
import { startAnvil } from "../support/nodes/anvil.ts";
import { ETHER, setBalance } from "../support/payers.ts";
import { startWorld } from "../support/world.ts";
import { settleAll } from "../support/payouts.ts";
import { type Mishap, startBadLine } from "./bad_line.ts";

const anvil = await startAnvil();
const world = await startWorld({ anvil, env: { CPG_WORKER: "false" } });
Deno.test.afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await anvil.stop();
});
const { accountId, hotWallet, credentials } = world.merchant;
await adjustBalance(world.deps, {
  ...{ accountId, network: "ETH", currency: "ETH" },
  ...{ amount: "100", note: "test", actor: "test" },
});
await setBalance(anvil, hotWallet, 200n * ETHER);

const TO = "0x00000000000000000000000000000000000bEEf1";
const ORDER = { network: "ETH", currency: "ETH", to_address: TO, amount: "1" } as const;
const cpg = new Cpg({ url: world.url, ...credentials });

async function received(): Promise<bigint> {
  return BigInt(await anvil.rpc("eth_getBalance", [TO, "latest"]));
}

async function thrown<E extends CpgError>(
  type: new (...args: never[]) => E,
  promise: Promise<unknown>,
): Promise<E> {
  const error = await promise.then(() => undefined, (error) => error);
  assert.ok(error instanceof type, `not a ${type.name}: ${error}`);
  return error;
}

/** A client behind a line to which these happen, one a request. */
function badLine(...mishaps: Mishap[]) {
  const line = startBadLine(world.url, mishaps);
  const client = new Cpg({ url: line.url, ...credentials });
  const { url, asked } = line;
  return { client, url, asked, [Symbol.asyncDispose]: line.stop };
}

Deno.test("every operation has a method, which returns the answer's data", async () => {
  assert.deepEqual(await cpg.ping(), { key_id: credentials.keyId });
  const asked = await cpg.createDepositAddress({
    network: "ETH",
    currency: "ETH",
    user_identifier: "customer-7",
  });
  const request = await cpg.readDepositRequest(asked.request_id);
  assert.deepEqual([request.address, request.status], [asked.address, "active"]);
  assert.deepEqual((await cpg.listCurrencies().all()).map(({ currency }) => currency), ["ETH"]);
  assert.deepEqual(await cpg.readHotWalletAddress({ network: "eth" }), {
    network: "ETH",
    address: hotWallet,
  });
  const sent = await cpg.createWithdrawal(ORDER);
  const id = "withdrawal_id" in sent ? sent.withdrawal_id : sent.id;
  await settleAll(world);
  assert.equal((await cpg.readWithdrawal(id)).status, "confirmed");
  const [balance] = await cpg.listBalances({ currency: "eth" }).all();
  assert.equal(balance?.held, "0");
});

Deno.test("a list is read page by page, with every row once", async () => {
  for (let i = 0; i < 4; i++) await cpg.createWithdrawal(ORDER);
  await settleAll(world);
  const whole = (await cpg.listTransactions().all()).map(({ id }) => id);
  const rows: number[] = [];
  for await (const { id } of cpg.listTransactions({ limit: 2 })) rows.push(id);
  assert.ok(rows.length >= 5);
  assert.deepEqual(rows, whole);
});

Deno.test("the ledger's rows add up to the balance, and each payment is in its list", async () => {
  await cpg.createWithdrawal({ ...ORDER, client_reference: "listed" });
  await settleAll(world);
  const [sent] = await cpg.listWithdrawals({ client_reference: "listed", to_address: TO }).all();
  assert.equal(sent?.status, "confirmed");
  const entries = await cpg.listLedger({ network: "eth", limit: 3 }).all();
  const sum = (amounts: readonly string[]) =>
    amounts.reduce((total, one) => total.plus(Amount.parse(one, "")), Amount.zero("")).toString();
  const [balance] = await cpg.listBalances().all();
  assert.equal(sum(entries.map(({ amount }) => amount)), balance?.balance);
  assert.equal(sum(entries.map(({ held_amount }) => held_amount)), balance?.held);
  const kinds = entries.filter((one) => one.withdrawal_id === sent.id).map(({ kind }) => kind);
  assert.deepEqual(kinds, ["debit", "hold"]);
  await cpg.createDepositAddress({ network: "ETH", currency: "ETH", user_identifier: "listed" });
  const [request] = await cpg.listDepositRequests({ user_identifier: "listed" }).all();
  assert.equal(request?.status, "active");
  assert.deepEqual(await cpg.listDeposits({ address: request.address }).all(), []);
  const refused = await thrown(RefusedError, cpg.listDeposits({ from: "today" }).all());
  assert.deepEqual(refused.fields.map(({ field }) => field), ["from"]);
  assert.equal(refused.message, `Invalid fields: from (from: ${refused.fields[0]!.message})`);
});

Deno.test("a withdrawal whose answer is lost is asked for again and paid once", async () => {
  await using line = badLine("lose the answer", "lose the answer");
  const before = await received();
  const sent = await line.client.createWithdrawal(ORDER);
  assert.ok("id" in sent, "not the first answer but its replay");
  assert.equal(line.asked.length, 3);
  const references = line.asked.map(({ body }) => JSON.parse(body).client_reference);
  assert.equal(new Set(references).size, 1);
  assert.equal(new Set(line.asked.map(({ signature }) => signature)).size, 3);
  await settleAll(world);
  assert.equal(await received() - before, ETHER);
});

for (const status of [200, 500, 502, 503, 504]) {
  Deno.test(`a proxy's ${status} after the payment is not taken for a refusal`, async () => {
    await using line = badLine({ status, isLate: true });
    const once = new Cpg({ url: line.url, ...credentials, attempts: 1 });
    const { reference } = await thrown(NoAnswerError, once.createWithdrawal(ORDER));
    const sent = await cpg.createWithdrawal({ ...ORDER, client_reference: reference! });
    assert.deepEqual([sent.status, "id" in sent], ["broadcasted", true]);
  });
}

Deno.test("a withdrawal that was cancelled meanwhile is not returned as if it were paid", async () => {
  const reference = crypto.randomUUID();
  const caller = { accountId, keyId: credentials.keyId, actor: "test", signature: null } as const;
  const { row: { id } } = await createWithdrawal(world.deps, {
    caller,
    network: "ETH",
    currency: "ETH",
    toAddress: TO,
    amount: "1",
    clientReference: reference,
  });
  await cancelWithdrawal(world.deps, { id, actor: "test" });
  const order = { ...ORDER, client_reference: reference };
  const error = await thrown(WithdrawalFailedError, cpg.createWithdrawal(order));
  assert.equal((error.withdrawal as { status: string }).status, "cancelled");
  assert.equal(error.code, "withdrawal_failed");
  assert.match(error.requestId ?? "", /^\S{8,}$/);
});

Deno.test("a request that is refused for now is repeated, and one that was refused is not", async () => {
  await using busy = badLine({ status: 429 }, { status: 503 });
  await busy.client.createWithdrawal(ORDER);
  assert.equal(busy.asked.length, 3);
  await using failing = badLine({ status: 403 });
  const error = await thrown(RefusedError, failing.client.ping());
  assert.deepEqual([error.status, failing.asked.length], [403, 1]);
});

Deno.test("a client of no attempts makes one", async () => {
  await using line = badLine({ status: 503 });
  const hasty = new Cpg({ url: line.url, ...credentials, attempts: 0 });
  await thrown(NoAnswerError, hasty.ping());
  assert.equal(line.asked.length, 1);
});

Deno.test("a redirect isn't followed, and the error says where it leads", async () => {
  const headers = { location: "https://pay.example.com/v1/_ping" };
  await using line = badLine({ status: 301, headers });
  const error = await thrown(RefusedError, line.client.ping());
  assert.match(error.message, /^The url redirects to https:\/\/pay.example.com\/v1\/_ping, which/);
  assert.equal(line.asked.length, 1);
});

for (const status of [200, 500, 502, 504]) {
  Deno.test(`a ${status} that doesn't say what was done isn't repeated`, async () => {
    await using line = badLine({ status });
    assert.equal((await thrown(NoAnswerError, line.client.createWithdrawal(ORDER))).status, status);
    assert.equal(line.asked.length, 1);
  });
}

Deno.test("a 502 is final, and its reference leads to the failure afterwards", async () => {
  const client_reference = crypto.randomUUID();
  await world.addToken();
  const order = { ...ORDER, currency: "USDT", amount: "8", client_reference };
  const asset = { accountId, network: "ETH", currency: "USDT" };
  await adjustBalance(world.deps, { ...asset, amount: "10", note: "test", actor: "test" });
  const error = await thrown(RefusedError, cpg.createWithdrawal(order));
  assert.deepEqual([error.status, error.code], [502, "broadcast_rejected"]);
  assert.equal(error.reference, client_reference);
  await thrown(WithdrawalFailedError, cpg.createWithdrawal(order));
});

Deno.test("a reference that was used for another payment throws", async () => {
  const order = { ...ORDER, client_reference: crypto.randomUUID() };
  await cpg.createWithdrawal(order);
  const error = await thrown(
    ReferenceUsedError,
    cpg.createWithdrawal({ ...order, amount: "2" }),
  );
  assert.equal((error.earlier as { amount: string }).amount, "1");
  assert.equal(error.reference, order.client_reference);
  assert.equal(error.code, "reference_used");
  await cpg.createWithdrawal({ ...order, amount: "1.00" });
});

Deno.test("refusals have the gateway's code, fields and request id", async () => {
  const error = await thrown(
    RefusedError,
    cpg.createWithdrawal({ ...ORDER, network: "", amount: "1,5" }),
  );
  assert.deepEqual([error.status, error.code], [422, "validation_failed"]);
  assert.deepEqual(error.fields.map(({ field }) => field), ["network", "amount"]);
  assert.deepEqual(error.details, {});
  const poor = await thrown(RefusedError, cpg.createWithdrawal({ ...ORDER, amount: "1000000" }));
  const { available, total } = poor.details;
  assert.ok(Number(total) >= 1_000_000 && Number(available) < 1_000_000, JSON.stringify(poor));
  assert.match(error.message, /^Invalid fields: network, amount \(network: .+\) \(amount: .+\)$/);
  assert.match(error.requestId ?? "", /^\S{8,}$/);
  const stranger = new Cpg({ url: world.url, keyId: credentials.keyId, secret: "wrong" });
  assert.equal((await thrown(RefusedError, stranger.ping())).code, "invalid_signature");
});

Deno.test("without any answer the error carries the reference to repeat", async () => {
  await using line = badLine("lose the answer");
  const client = new Cpg({ url: "http://127.0.0.1:9", ...credentials, attempts: 1 });
  const error = await thrown(NoAnswerError, client.createWithdrawal(ORDER));
  assert.match(error.reference ?? "", /^[0-9a-f-]{36}$/);
  assert.equal(error.code, "no_answer");
  assert.equal(line.asked.length, 0);
});

Deno.test("a client without an address, a key or a secret says which is missing", () => {
  const options = { url: world.url, ...credentials };
  for (const name of ["url", "keyId", "secret"]) {
    const message = `A Cpg needs the option ${name}`;
    assert.throws(() => new Cpg({ ...options, [name]: undefined }), { message });
    assert.throws(() => new Cpg({ ...options, [name]: "" }), { message });
  }
  assert.throws(
    () => new Cpg({ ...options, url: "pay.example.com" }),
    /must begin with https:.*: pay/,
  );
});
