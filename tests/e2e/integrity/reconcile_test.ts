import assert from "node:assert/strict";
import type { Deps } from "../../../src/deps/deps.ts";
import { setReceivingWallet } from "../../../src/accounts/receiving_wallet.ts";
import { unfreeze } from "../../../src/reconcile/manage_freezes.ts";
import { gasWallet } from "../../../src/wallets/gas_wallet.ts";
import { reconcile } from "../../../src/reconcile/reconcile.ts";
import { reconcileSome } from "../../support/programs/upkeep.ts";
import type { BlockAt, Chain } from "../../../src/chains/chain.ts";
import { allFreezes } from "../../../src/store/reads/few_rows.ts";
import { LedgerChecks } from "../../../src/books/table.ts";
import { Sweeps } from "../../../src/sweeps/table.ts";
import { type Anvil, startAnvil } from "../../support/nodes/anvil.ts";
import { sendTx } from "../../support/nodes/contracts.ts";
import { ETHER, setBalance, STRANGER } from "../../support/payers.ts";
import { sentId, settleAll, startPayingWorld } from "../../support/payouts.ts";
import { alertsOf, allocate, depositsOf, entriesOf, withdraw } from "../../support/views.ts";
import type { World } from "../../support/world.ts";

const RECEIVER = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const ETH_OF_ACME = "account:1 ETH/ETH";

async function differencesOf({ deps }: World) {
  const { differences, surplus, skipped } = await reconcile(deps, { network: undefined });
  assert.deepEqual(skipped, []);
  assert.deepEqual(surplus, []);
  return differences.map(({ kind, currency, expected, found }) => [
    ...[kind, currency, expected, found],
  ]);
}

function ahead(deps: Deps, ms: number): Deps {
  return { ...deps, clock: { nowMs: () => deps.clock.nowMs() + ms } };
}

/** Calls `before` whenever balances are asked for. */
function beforeBalances(deps: Deps, before: (block: BlockAt) => Promise<unknown>): Deps {
  const of: Deps["chains"]["of"] = (network) => {
    const chain = deps.chains.of(network);
    const balancesAt: Chain["balancesAt"] = async (block, asked) => {
      await before(block);
      return await chain.balancesAt(block, asked);
    };
    return Object.create(chain, { balancesAt: { value: balancesAt } });
  };
  return { ...deps, chains: { ...deps.chains, of } };
}

async function paidWorld(anvil: Anvil): Promise<{ world: World; address: string }> {
  const world = await startPayingWorld({ anvil });
  const { address } = await allocate(world.merchant.api);
  await sendTx(anvil, { to: address, valueRaw: 5n * ETHER });
  await settleAll(world);
  assert.equal((await depositsOf(world.merchant.api))[0]!.status, "confirmed");
  return { world, address };
}

Deno.test("matching books have no difference at any moment of a payment, top-up, sweep or reorg", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const { deps, merchant: { api, accountId } } = world;
  const token = await world.addToken();
  const gas = await gasWallet(deps, { network: "ETH", actor: "test" });
  await setBalance(anvil, gas.address, 10n * ETHER);
  await setReceivingWallet(deps, { accountId, network: "ETH", address: RECEIVER, actor: "test" });
  assert.deepEqual(await differencesOf(world), []);
  const coins = await allocate(api);
  const tokens = await allocate(api, { currency: "USDT" });
  await sendTx(anvil, { to: coins.address, valueRaw: 5n * ETHER });
  await token.send("mint", [tokens.address, 25_000_000n]);
  sentId(await withdraw(api, { to: STRANGER, amount: "1" }));
  assert.deepEqual(await differencesOf(world), []);
  let isDone = false;
  for (let round = 1; round <= 30 && !isDone; round++) {
    await anvil.mine(1);
    // Transfers signed now may be mined but not read yet, or read but not deep enough.
    if (round === 6) await anvil.rpc("anvil_reorg", [2, []]);
    await world.round({ aheadMs: round * 60_000 });
    assert.deepEqual(await differencesOf(world), [], `round ${round}`);
    const sweeps = await deps.db.rows(Sweeps, "ORDER BY id");
    isDone = sweeps.length === 2 && sweeps.every(({ state }) => state === "done") &&
      (await depositsOf(api)).every(({ status }) => status === "swept");
  }
  assert.ok(isDone, JSON.stringify(await deps.db.rows(Sweeps, "ORDER BY id")));
  assert.equal(await token.read("balanceOf", [tokens.address]), 0n);
  const left = BigInt(await anvil.rpc("eth_getBalance", [tokens.address, "latest"]));
  assert.ok(left > 0n);
  // The rest of the gas is known to the last unit: one less is missing.
  await setBalance(anvil, tokens.address, left - 1n);
  await anvil.mine(1);
  await world.round();
  const [difference] = await differencesOf(world);
  assert.equal(difference![0], "deposit_address");
  assert.deepEqual((await allFreezes(deps.db)).map(({ currency }) => currency), ["ETH"]);
});

Deno.test("coins missing on a deposit address pause that account's withdrawals in that currency", async () => {
  await using anvil = await startAnvil();
  const { world, address } = await paidWorld(anvil);
  await using _ = world;
  const { deps, merchant: { api, accountId } } = world;
  const other = await world.addMerchant("Other");
  assert.deepEqual(await differencesOf(world), []);
  await setBalance(anvil, address, 5n * ETHER - 1n);
  await settleAll(world);
  const found = ["deposit_address", "ETH", "5", "4.999999999999999999"];
  assert.deepEqual(await differencesOf(world), [found]);
  const [freeze] = await allFreezes(deps.db);
  assert.match(freeze!.reason, /lacks 0\.000000000000000001 ETH .* \(expected 5, found 4\.9/);
  const [alert] = await alertsOf(deps);
  assert.deepEqual([alert!.kind, alert!.subject], ["books_differ", ETH_OF_ACME]);
  const refused = await withdraw(api, { to: STRANGER, amount: "1" });
  assert.equal(refused.status, 503);
  assert.equal(refused.body.message, "Withdrawals are paused for this currency");
  assert.equal(refused.body.error.code, "unavailable");
  assert.equal((await withdraw(other.api, { to: STRANGER, amount: "1" })).status, 400);

  await setBalance(anvil, address, 5n * ETHER);
  await settleAll(world);
  assert.deepEqual(await differencesOf(world), []);
  assert.equal((await withdraw(api, { to: STRANGER, amount: "1" })).status, 503);
  const order = { accountId, network: "eth", currency: "eth", actor: "test" };
  await unfreeze(deps, order);
  assert.deepEqual(await alertsOf(deps), []);
  sentId(await withdraw(api, { to: STRANGER, amount: "1" }));
  await assert.rejects(
    unfreeze(deps, order),
    /Withdrawals of ETH\/ETH are not paused for account 1/,
  );
  const [audit] = await deps.db.query("SELECT * FROM audit_log WHERE action = 'account.unfrozen'");
  assert.equal(audit!.actor, "test");
});

Deno.test("tokens missing on a deposit address are a difference of the token", async () => {
  await using anvil = await startAnvil();
  await using world = await startPayingWorld({ anvil });
  const token = await world.addToken();
  const { address } = await allocate(world.merchant.api, { currency: "USDT" });
  await token.send("mint", [address, 25_000_000n]);
  await settleAll(world);
  assert.deepEqual(await differencesOf(world), []);
  await anvil.rpc("anvil_dealERC20", [address, token.address, "0x1"]);
  await settleAll(world);
  assert.deepEqual(await differencesOf(world), [["deposit_address", "USDT", "25", "0.000001"]]);
});

Deno.test("a hot wallet that no longer holds what was signed is a difference, also for the tick", async () => {
  await using anvil = await startAnvil({ args: ["--no-mining"] });
  await using world = await startPayingWorld({ anvil });
  const { api, hotWallet } = world.merchant;
  await setBalance(anvil, hotWallet, 0n);
  await anvil.mine(1);
  await world.round();
  await setBalance(anvil, hotWallet, 200n * ETHER);
  await anvil.mine(1);
  sentId(await withdraw(api, { to: STRANGER, amount: "1" }));
  sentId(await withdraw(api, { to: STRANGER, amount: "2" }));
  assert.deepEqual(await differencesOf(world), [], "signed above the block that was read last");
  await setBalance(anvil, hotWallet, 3n * ETHER);
  await anvil.rpc("anvil_dropAllTransactions");
  await anvil.mine(1);
  await world.round();
  await reconcileSome(world.deps);
  const [freeze] = await allFreezes(world.deps.db);
  assert.match(
    freeze!.reason,
    /^hot wallet 0x\w+ does not hold the ETH .*expected 3\.000\d+, found 3/,
  );
});

Deno.test("what was found is acted on at once, whatever happens to the rest of the comparison", async () => {
  await using anvil = await startAnvil();
  const { world } = await paidWorld(anvil);
  await using _ = world;
  const { deps, merchant: { api, hotWallet } } = world;
  await anvil.rpc("evm_setAutomine", [false]);
  sentId(await withdraw(api, { to: STRANGER, amount: "1" }));
  await setBalance(anvil, hotWallet, 0n);
  await anvil.rpc("anvil_dropAllTransactions");
  await anvil.mine(1);
  await world.round();
  let asked = 0;
  const interrupted = beforeBalances(deps, async () => {
    if (++asked === 2) throw new Error("interrupted");
    await Promise.resolve();
  });
  await assert.rejects(reconcileSome(interrupted), /interrupted/);
  assert.match((await allFreezes(deps.db))[0]!.reason, /^hot wallet 0x/);
});

Deno.test("a wrong balance, a wrong sum held and a wrong entry are each reported as what they are", async () => {
  await using anvil = await startAnvil();
  const { world } = await paidWorld(anvil);
  await using _ = world;
  const { deps, merchant: { api } } = world;
  sentId(await withdraw(api, { to: STRANGER, amount: "1" }));
  const change = (sql: string) => deps.db.execute([{ sql }]);
  await reconcileSome(deps);
  assert.deepEqual(await allFreezes(deps.db), []);

  await change("UPDATE balances SET balance = '106' WHERE currency = 'ETH'");
  assert.deepEqual(await differencesOf(world), [["ledger_balance", "ETH", "105", "106"]]);
  await change("UPDATE balances SET balance = '105', held = '0' WHERE currency = 'ETH'");
  assert.deepEqual(await differencesOf(world), [
    ["ledger_held", "ETH", "1.0051", "0"],
    ["held_withdrawals", "ETH", "1.0051", "0"],
  ]);
  await change("UPDATE balances SET held = '1.0051'");
  assert.deepEqual(await differencesOf(world), []);
  await change("UPDATE withdrawals SET status = 'cancelled'");
  assert.deepEqual(await differencesOf(world), [["held_withdrawals", "ETH", "0", "1.0051"]]);
  await change("UPDATE withdrawals SET status = 'broadcasted'");
  await change("DELETE FROM balances");
  assert.deepEqual((await differencesOf(world))[0], ["ledger_balance", "ETH", "105", "0"]);
  await change(
    "INSERT INTO balances (account_id, network, currency, balance, held) VALUES (1, 'ETH', 'ETH', '106', '1.0051')",
  );
  await change(
    `INSERT INTO ledger_entries (account_id, network, currency, kind, amount, balance_after, held_after, created_at_ms)
VALUES (1, 'ETH', 'ETH', 'adjust', '2', '106', '1.0051', 1)`,
  );
  assert.deepEqual(await differencesOf(world), [
    ["ledger_entry", "ETH", "balance 107, held 1.0051", "balance 106, held 1.0051"],
  ]);
});

Deno.test("the tick checks only new entries, and freezes again what was let go too early", async () => {
  await using anvil = await startAnvil();
  const { world } = await paidWorld(anvil);
  await using _ = world;
  const { deps, merchant: { accountId } } = world;
  const checks = () => deps.db.rows(LedgerChecks, "");
  await reconcileSome(deps);
  const last = (await entriesOf(deps)).at(-1)!;
  const right = { accountId, network: "ETH", currency: "ETH", balance: "105", held: "0" };
  assert.deepEqual(await checks(), [{ ...right, entryId: last.id }]);
  // Had it begun at the first entry, it would find this one.
  await deps.db.execute([
    { sql: "DROP TRIGGER ledger_entries_no_update" },
    { sql: "UPDATE ledger_entries SET balance_after = '1' WHERE id = 1" },
  ]);
  await reconcileSome(deps);
  assert.deepEqual(await allFreezes(deps.db), []);
  assert.equal((await differencesOf(world))[0]![0], "ledger_entry");
  const order = { accountId, network: "ETH", currency: "ETH", actor: "test" };
  await unfreeze(deps, order);

  await deps.db.execute([{ sql: "UPDATE balances SET balance = '1000'" }]);
  await reconcileSome(deps);
  assert.match((await allFreezes(deps.db))[0]!.reason, /expected 105, found 1000/);
  await unfreeze(deps, order);
  await reconcileSome(deps);
  assert.equal((await allFreezes(deps.db)).length, 1);
  assert.deepEqual(await checks(), [{ ...right, entryId: last.id }]);
});

Deno.test("the tick asks a chain every five minutes, and a silent or reorganised node freezes nothing", async () => {
  await using anvil = await startAnvil();
  const { world, address } = await paidWorld(anvil);
  await using _ = world;
  const { deps } = world;
  const asked: string[] = [];
  const watching = (before: () => Promise<unknown>) =>
    beforeBalances(deps, async ({ hash }) => {
      asked.push(hash);
      await before();
    });
  const quiet = watching(() => Promise.resolve());
  await reconcileSome(quiet);
  await reconcileSome(ahead(quiet, 299_000));
  assert.equal(asked.length, 1);
  await setBalance(anvil, address, 0n);
  await anvil.mine(1);
  await world.round();
  const reorganised = watching(() => anvil.rpc("anvil_reorg", [2, []]));
  await reconcileSome(ahead(reorganised, 301_000));
  assert.equal(asked.length, 2);
  assert.deepEqual(await allFreezes(deps.db), []);
  await setBalance(anvil, address, 0n);
  await anvil.mine(1);
  await world.round();
  await reconcileSome(ahead(quiet, 602_000));
  assert.equal((await allFreezes(deps.db)).length, 1);
});

Deno.test("contract 1: a payment's address is compared in each round, however many have never had one", async () => {
  await using anvil = await startAnvil();
  const { world, address } = await paidWorld(anvil);
  await using _ = world;
  const { deps } = world;
  await deps.db.execute([{ sql: MANY_ADDRESSES, args: [30_000] }]);
  const asked: string[][] = [];
  const of: Deps["chains"]["of"] = (network) => {
    const chain = deps.chains.of(network);
    const balancesAt: Chain["balancesAt"] = (_, all) => {
      asked.push(all.map((one) => one.address));
      return Promise.resolve(all.map((one) => one.address === address ? 5n * ETHER : 0n));
    };
    return Object.create(chain, { balancesAt: { value: balancesAt } });
  };
  const watched = { ...deps, chains: { ...deps.chains, of } };
  const rounds = 6;
  for (let round = 0; round < rounds; round++) {
    await reconcileSome(ahead(watched, round * 301_000));
    const [first] = asked;
    assert.deepEqual(first, [address], `first in round ${round}`);
    assert.equal(asked.flat().filter((one) => one === address).length, 1, "and once");
    assert.ok(asked.length <= 10);
    asked.length = 0;
  }
  const { others } = deps.memory.reconciledTo.chains.get("ETH")!;
  assert.ok(others > 10_000, "the others have their turn too");
});

/** As many that nobody paid to, made before the one that somebody did. */
const MANY_ADDRESSES = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
INSERT INTO addresses (id, account_id, network, purpose, address, key_coin_type, key_account,
  key_branch, key_index, nonce_floor, created_at_ms)
SELECT 1000 + i, 1, 'ETH', 'deposit', '0xB' || i, 60, 0, 9, i, 0, 1
FROM n`;
