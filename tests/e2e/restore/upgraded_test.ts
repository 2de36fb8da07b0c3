import assert from "node:assert/strict";
import { ApiKeys, apiSecretContext } from "../../../src/access/tables/keys.ts";
import { readConfig } from "../../../src/app/config/config.ts";
import { openGateway } from "../../../src/app/gateway.ts";
import { serve, type Serving } from "../../../src/app/serve.ts";
import { approveWithdrawal } from "../../../src/approvals/approve.ts";
import { one, zip } from "../../../src/base/lists.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { setNetwork } from "../../../src/networks/set.ts";
import { type Dumped, readFixture, rebuild } from "../../store/upkeep/old_database.ts";
import { type ApiClient, apiClient } from "../../support/api_client.ts";
import { audit } from "../../support/auditor.ts";
import { makePlace, type Place } from "../../support/database/database.ts";
import { testConfig } from "../../support/gateway.ts";
import { type Anvil, startAnvil } from "../../support/nodes/anvil.ts";
import { type Contract, deploy, sendTx } from "../../support/nodes/contracts.ts";
import { ETHER, hex, mineRaw, setBalance, STRANGER } from "../../support/payers.ts";
import { nonceOf, receivedBy } from "../../support/payouts.ts";
import { runHere } from "../../support/programs/program.ts";
import {
  alertsOf,
  depositsOf,
  entriesOf,
  eventsOf,
  withdraw,
  withdrawalOf,
} from "../../support/views.ts";
import { handWorker } from "../../support/world.ts";

type Row = Readonly<Record<string, string | number | null>>;

const MICRO = 10n ** 12n;
const HOUR_MS = 3_600_000;
const LATER_MS = 700_000;
/** What its customers offered for a unit of gas, by nonce: so their transactions have the same hashes. */
const OFFERED: Readonly<Record<number, { gas: number; raw: number }>> = {
  2: { gas: 21_000, raw: 1_588_995_965 },
  3: { gas: 21_000, raw: 1_035_689_628 },
  4: { gas: 68_250, raw: 1_031_234_671 },
  5: { gas: 21_000, raw: 1_018_321_093 },
};
const TIP_RAW = 1_000_000_000;
/** Its payouts: paid or on their way, one of them bid for again; revoked; failed; held by a rule. */
const OLD = { paid: [1, 2, 3, 4], revoked: 5, failed: 6, waiting: 7 };
const CHECKS = ["reconcile", "audit verify", "integrity check"];

Deno.test("a database of 1.0.0 goes on with its money: what was open is paid once, and so is what is new", async () => {
  const dumped = await readFixture("release-1.0.0.jsonl");
  const addressOf = (where: Row) => String(one(rowsOf(dumped, "addresses", where)).address);
  const hot = addressOf({ purpose: "hot" });
  // Below what the old transactions offer.
  await using anvil = await startAnvil({ args: ["--base-fee", "1000"] });
  await setBalance(anvil, hot, 20n * ETHER);
  await setBalance(anvil, addressOf({ purpose: "gas" }), 10n * ETHER);
  const token = await replay(anvil, dumped);
  // While no program ran; the node has forgotten the others, so they are sent again.
  await mineRaw(anvil, signedRaw(dumped, { withdrawal_id: OLD.paid[1]! }));
  await using place = await makePlace();
  await rebuild(place, dumped);
  await update(place, { anvil, dumped });
  await using updated = await startUpdated(place, anvil);
  const { deps, api, turn, statesOf } = updated;

  await turn(6);
  await checkAll(place);
  assert.deepEqual(await statesOf(OLD.paid), OLD.paid.map(() => "confirmed"));
  assert.deepEqual(await statesOf([OLD.revoked, OLD.failed, OLD.waiting]), [
    ...["failed", "failed", "confirmed"],
  ]);
  assert.equal(await receivedBy(anvil, STRANGER), 5_750_000n * MICRO);
  assert.deepEqual((await depositsOf(api)).map(({ status }) => status), Array(4).fill("swept"));

  for (const id of [4, 6]) await sendTx(anvil, { to: addressOf({ id }), valueRaw: ETHER });
  await token.send("mint", [addressOf({ id: 5 }), 7_000_000n]);
  const { withdrawal_id: id } = (await withdraw(api, { to: STRANGER, amount: "0.75" })).body.data;
  await command(place, `withdrawal approve ${id}`);
  await turn(6);
  assert.deepEqual(await statesOf([id]), ["confirmed"]);
  assert.equal(await receivedBy(anvil, STRANGER), 6_500_000n * MICRO);
  assert.equal(await nonceOf(anvil, hot), OLD.paid.length + 3, "The void, and those approved now");
  assert.deepEqual((await depositsOf(api)).map(({ status }) => status), Array(7).fill("swept"));
  const credits = (await entriesOf(deps)).filter(({ kind }) => kind === "credit");
  assert.deepEqual(
    credits.map(({ amount, currency }) => `${amount} ${currency}`),
    ["10 ETH", "3 ETH", "5 USDT", "4 ETH", "1 ETH", "1 ETH", "7 USDT"],
  );
  await checkAll(place);
  const addresses = rowsOf(dumped, "addresses", { purpose: "deposit" })
    .map(({ address }) => String(address));
  await audit({ api, anvil, addresses, adjusted: "100" });
  const usdt = { contract: token.address, decimals: 6 };
  await audit({ api, anvil, addresses, currency: "USDT", token: usdt });
  for (const type of ["deposit.confirmed", "withdrawal.confirmed"]) {
    const told = (await eventsOf(deps, type)).map((data) => data.transaction_id ?? data.id);
    assert.equal(new Set(told).size, told.length, `${type} is told once of each`);
  }
  assert.deepEqual((await alertsOf(deps)).map(({ kind }) => kind), []);
});

/**
 * Everything that the release saw happen, by the same transactions at the same heights. Only the
 * blocks' own hashes differ, so to the gateway its whole chain was reorganised.
 */
async function replay(anvil: Anvil, dumped: readonly Dumped[]): Promise<Contract> {
  await sendTx(anvil, { to: anvil.accounts[0]! });
  const token = await deploy(anvil, { name: "Token", args: ["USDT", 6] });
  const { contract_address } = one(rowsOf(dumped, "currencies", { symbol: "USDT" }));
  assert.equal(token.address, contract_address);
  const seen = rowsOf(dumped, "transactions").filter((row) => row.block_hash !== null)
    .toSorted((a, b) => Number(a.block_number) - Number(b.block_number));
  for (const row of seen) {
    const before = Number(row.block_number) - 1;
    await anvil.mine(before - Number(await anvil.rpc("eth_blockNumber")));
    if (row.direction === "deposit") await payAgain(anvil, { row, token });
    else await mineRaw(anvil, signedRaw(dumped, { tx_hash: row.tx_hash! }));
  }
  return token;
}

async function payAgain(
  anvil: Anvil,
  { row, token }: { row: Row; token: Contract },
): Promise<void> {
  const { to_address: to, currency, sender_nonce: nonce } = row;
  const amount = BigInt(row.amount!);
  const payment = currency === "USDT"
    ? { to: token.address, data: token.encode("mint", [to, amount * 1_000_000n]) }
    : { to, value: hex(amount * ETHER) };
  const { gas, raw } = OFFERED[Number(nonce)]!;
  const price = { maxFeePerGas: hex(raw), maxPriorityFeePerGas: hex(TIP_RAW) };
  const by = { from: anvil.accounts[0], nonce: hex(Number(nonce)), gas: hex(gas) };
  const sent = await anvil.rpc("eth_sendTransactionSync", [{ ...by, ...payment, ...price }]);
  assert.equal(sent.transactionHash, row.tx_hash);
}

/** Within the hour: its operator names another node, and approves the payout that waits for it. */
async function update(
  { env }: Place,
  { anvil, dumped }: { anvil: Anvil; dumped: readonly Dumped[] },
): Promise<void> {
  const { waiting: id } = OLD;
  const { requested_at_ms: askedAtMs } = one(rowsOf(dumped, "withdrawals", { id }));
  const clock = { nowMs: () => Number(askedAtMs) + HOUR_MS };
  const config = readConfig({ ...env, CPG_LOG_LEVEL: "silent" });
  const { deps, close } = await openGateway(config, { clock });
  await setNetwork(deps, { code: "ETH", change: { rpcUrls: [anvil.url] }, actor: "test" });
  const decider = { person: "cli", actor: "cli", user: undefined } as const;
  await approveWithdrawal(deps, { id, decider });
  await close();
}

interface Updated extends AsyncDisposable {
  readonly deps: Deps;
  readonly api: ApiClient;
  /** So many rounds, with blocks in between. */
  turn(times: number): Promise<void>;
  statesOf(withdrawals: readonly number[]): Promise<string[]>;
}

async function startUpdated({ env }: Place, anvil: Anvil): Promise<Updated> {
  const set = { CPG_PORT: "0", CPG_LOG_LEVEL: "silent", CPG_WORKER: "false" };
  const serving = await serve(testConfig({ ...env, ...set }));
  const { gateway: { deps } } = serving;
  const api = await oldClient(serving);
  const { round } = handWorker(serving);
  let aheadMs = 0;
  return {
    deps,
    api,
    turn: async (times) => {
      for (let i = 0; i < times; i++) {
        const faults = await round(aheadMs += LATER_MS);
        assert.deepEqual(faults.filter((line) => line.includes("is not followed")), []);
        await anvil.mine(3);
      }
    },
    statesOf: async (ids) =>
      await Promise.all(ids.map(async (id) => (await withdrawalOf(api, id)).status)),
    [Symbol.asyncDispose]: () => serving.stop(),
  };
}

/** With the key that the merchant has had since before. */
async function oldClient({ url, gateway: { deps } }: Serving): Promise<ApiClient> {
  const { keyId, secretSealed } = one(await deps.db.rows(ApiKeys, ""));
  const secret = await deps.vault.open(secretSealed, apiSecretContext(keyId));
  return apiClient(url, { keyId, secret });
}

async function checkAll(place: Place): Promise<void> {
  for (const words of CHECKS) await command(place, words);
}

async function command({ env }: Place, words: string): Promise<void> {
  const { code, stdout, stderr } = await runHere(words.split(" "), env);
  assert.equal(code, 0, `${words}: ${stdout} ${stderr}`);
}

function signedRaw(dumped: readonly Dumped[], where: Row): string {
  return String(one(rowsOf(dumped, "signed_transfers", where)).raw);
}

function rowsOf(dumped: readonly Dumped[], table: string, where: Row = {}): Row[] {
  const { columns, rows } = one(dumped.filter((each) => each.table === table));
  const names = columns.split(", ");
  return rows.map((row): Row => Object.fromEntries(zip(names, row as Row[string][])))
    .filter((row) => Object.entries(where).every(([name, value]) => row[name] === value));
}
