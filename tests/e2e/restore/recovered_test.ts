import assert from "node:assert/strict";
import { booksAt } from "../../../src/books/address_books.ts";
import { deriveFreshAddress } from "../../../src/wallets/addresses.ts";
import { followNetwork } from "../../../src/following/follow_network.ts";
import { rescan } from "../../../src/following/rescan.ts";
import { refusalText } from "../../../src/operations/words/refusals.ts";
import { windowEnds } from "../../../src/deposits/rules/deposit_request.ts";
import { restoredAtMs } from "../../../src/restore/rules/restore_number.ts";
import { idlePoolAddresses, NEVER_MS } from "../../../src/wallets/reads/addresses.ts";
import { Addresses } from "../../../src/wallets/tables/addresses.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { makeNetwork } from "../../support/gateway.ts";
import { ETHER, setBalance, STRANGER } from "../../support/payers.ts";
import { settleAll } from "../../support/payouts.ts";
import { recover, shownOf } from "../../support/recovering.ts";
import { takeBackup } from "../../support/restoring.ts";
import { payIn } from "../../support/sweeping.ts";
import { allocate, balanceOf, depositsOf } from "../../support/views.ts";
import { startWorld, type World } from "../../support/world.ts";

const OFF = { CPG_WORKER: "false" };

/** The keys of requests that came after the backup. */
async function takeKeys(world: World, count: number): Promise<string[]> {
  const network = (await world.deps.catalog.current()).network("ETH")!;
  const { accountId } = world.merchant;
  const addresses: string[] = [];
  for (let i = 0; i < count; i++) {
    const plan = { network, accountId, purpose: "deposit" } as const;
    addresses.push((await deriveFreshAddress(world.deps, plan)).address);
  }
  return addresses;
}

async function give({ anvil }: World, addresses: readonly string[]): Promise<void> {
  for (const address of addresses) await setBalance(anvil, address, ETHER);
  await anvil.mine(1);
}

const found = async (world: World, order: Parameters<typeof recover>[1]) =>
  shownOf(await recover(world.deps, { isApplied: false, ...order })).map(([address]) => address);

Deno.test("the search for lost addresses starts before the backup's end and stops after unused keys", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: OFF });
  const { api } = world.merchant;
  const first = await allocate(api);
  const [overtaken] = await takeKeys(world, 1);
  await allocate(api);
  await using backup = await takeBackup(world);
  const keys = await takeKeys(world, 1_200);
  const used = [keys[2]!, keys[5]!, keys[9]!, keys[611]!];
  await give(world, [first.address, overtaken!, ...used]);
  await backup.bringBack();
  assert.deepEqual(await found(world, { unusedMax: 2 }), [overtaken]);
  assert.deepEqual(await found(world, { unusedMax: 3 }), [overtaken, ...used.slice(0, 2)]);
  assert.deepEqual(await found(world, { unusedMax: 4 }), [overtaken, ...used.slice(0, 3)]);
  assert.deepEqual(await found(world, { unusedMax: 601 }), [overtaken, ...used.slice(0, 3)]);
  assert.deepEqual(await found(world, { unusedMax: 602 }), [overtaken, ...used]);
  // The backup's own keys are 0 and 2.
  assert.deepEqual(await found(world, { unusedMax: 1, fromIndex: 3 + 611 }), [used[3]]);
  const { numberedFrom } = await world.deps.catalog.current();
  assert.deepEqual(await found(world, { fromIndex: numberedFrom }), []);

  const looked: number[] = [];
  const { addresses } = await recover(world.deps, {
    unusedMax: 602,
    onProgress: ({ keys }) => void looked.push(keys),
  });
  assert.deepEqual(addresses.map(({ keyIndex }) => keyIndex), [1, 5, 8, 12, 614]);
  assert.deepEqual(looked, [...looked].sort((a, b) => a - b));
  assert.equal(looked.at(-1), 614 + 602 + 1 - 2, "All to the end but those in the books");
  await give(world, [keys[0]!, keys[1_190]!]);
  const far = await recover(world.deps, { unusedMax: 1, fromIndex: 3 + 1_190 });
  assert.deepEqual(far.addresses.map(({ address }) => address), [keys[1_190]]);
  assert.deepEqual(await found(world, { unusedMax: 1 }), [keys[0]], "What is booked hides nothing");
});

Deno.test("a recovered address belongs to its account for good, and no request ever gets it", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: OFF });
  const other = await world.addMerchant("Other");
  await using backup = await takeBackup(world);
  const { address } = await allocate(other.api);
  await payIn(world, { to: address, raw: 2n * ETHER });
  await backup.bringBack();
  await settleAll(world);
  const { deps } = world;
  const { accountId } = other;
  const mine = { accountId: world.merchant.accountId };
  assert.deepEqual(shownOf(await recover(deps, mine)), []);
  const both = await Promise.all([recover(deps, { accountId }), recover(deps)]);
  const states = both.flatMap(({ addresses }) => addresses).map(({ state }) => state);
  assert.equal(states.filter((state) => state === "booked").length, 1);
  const rows = await deps.db.rows(Addresses, "WHERE address = ?", [address]);
  assert.deepEqual(rows.map((row) => [row.accountId, row.purpose]), [[accountId, "deposit"]]);
  const [reported, ...more] = await deps.db.query(
    "SELECT actor, subject FROM audit_log WHERE action = 'deposit_address.recovered'",
  );
  assert.deepEqual([reported!.actor, reported!.subject, more], ["test", `address:${address}`, []]);
  const late = { accountId, network: "ETH", nowMs: NEVER_MS - 1 };
  assert.deepEqual(await idlePoolAddresses(deps.db, late), []);
  const pick = { accountId, afterId: 0, limit: 9 };
  const books = await booksAt(deps, { network: "ETH", pick });
  assert.deepEqual(books.addresses.map((one) => one.address), [address]);

  const blocks = { network: "ETH", fromBlock: 1, toBlock: undefined, actor: "test" };
  assert.equal((await rescan(deps, blocks)).found, 1);
  await settleAll(world);
  assert.equal((await rescan(deps, blocks)).found, 0);
  assert.equal((await balanceOf(other.api)).balance, "2");
  assert.deepEqual((await depositsOf(other.api)).map(({ status }) => status), ["confirmed"]);
});

Deno.test("a pool address of the backup waits as long as one that is given at the restore", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: OFF });
  const { api, accountId } = world.merchant;
  const { address } = await allocate(api);
  const before = await idleFromMs(world, address);
  await using backup = await takeBackup(world);
  await backup.bringBack();
  const { numberedFrom } = await world.deps.catalog.current();
  const { reusableAtMs } = windowEnds(world.deps.windows, restoredAtMs(numberedFrom));
  const after = await idleFromMs(world, address);
  assert.ok(after > before && after >= reusableAtMs && after < reusableAtMs + 1_000);
  const asked = { accountId, network: "ETH" };
  const idle = (nowMs: number) => idlePoolAddresses(world.deps.db, { ...asked, nowMs });
  assert.deepEqual(await idle(after - 1), []);
  assert.deepEqual((await idle(after)).map((row) => row.address), [address]);
});

async function idleFromMs({ deps }: World, address: string): Promise<number> {
  return (await deps.db.find(Addresses, ["ETH", address], "address"))!.reusableAtMs!;
}

Deno.test("unused addresses are recovered by name, and no other name", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: OFF });
  const known = await allocate(world.merchant.api);
  await assert.rejects(recover(world.deps), /were not restored from a backup/);
  await using backup = await takeBackup(world);
  const lost = await allocate(world.merchant.api);
  await backup.bringBack();
  const { deps } = world;
  const by = (...addresses: string[]) => recover(deps, { addresses });
  await assert.rejects(
    by("0x12"),
    /^OperatorError: "0x12" is not an address of ETH, or its checksum is wrong$/,
  );
  await assert.rejects(by(known.address), /is in these books: account 1's on ETH$/);
  await assert.rejects(by(lost.address, STRANGER), /is not a lost deposit address of any account/);
  assert.equal((await deps.db.rows(Addresses, "WHERE address = ?", [lost.address])).length, 0);
  await anvil.mine(4);
  const { addresses, readTo } = await by(lost.address.toLowerCase());
  assert.deepEqual(addresses.map(({ address, state }) => [address, state]), [
    [lost.address, "booked"],
  ]);
  assert.equal(readTo, Number(await world.anvil.rpc("eth_blockNumber")));
  await assert.rejects(by(lost.address), /is in these books: account 1's on ETH$/);
});

Deno.test("addresses of an account lost with the backup are booked for its replacement", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: OFF });
  await using backup = await takeBackup(world);
  const lost = await world.addMerchant("Late");
  const { address } = await allocate(lost.api);
  await payIn(world, { to: address, raw: 2n * ETHER });
  await backup.bringBack();
  await settleAll(world);
  const again = await world.addMerchant("Late");
  const { deps } = world;
  const { accountId } = again;
  let looked = 0;
  const onProgress = ({ keys }: { keys: number }) => void (looked = keys);
  assert.deepEqual(shownOf(await recover(deps, { unusedMax: 7, onProgress })), []);
  assert.equal(looked, 7, "Only of the account that was there before");
  const refusals = [
    [{ accountId }, /was created after the restore/],
    [{ accountId: lost.accountId }, /There is no account 2/],
    [{ lostAccountId: lost.accountId }, /The account that replaces lost account 2 is missing/],
    [{ accountId, lostAccountId: world.merchant.accountId }, /Account 1 is in these books: Acme/],
    [{ accountId, lostAccountId: accountId + 1 }, /No account had the id/],
  ] as const;
  for (const [order, message] of refusals) await assert.rejects(recover(deps, order), message);
  const order = { accountId, lostAccountId: lost.accountId };
  assert.deepEqual(shownOf(await recover(deps, order)), [[address, "booked", "2 ETH"]]);
  await rescan(deps, { network: "ETH", fromBlock: 1, toBlock: undefined, actor: "test" });
  await settleAll(world);
  assert.equal((await balanceOf(again.api)).balance, "2");
});

Deno.test("an address that several networks used waits for a person to choose one", async () => {
  await using anvil = await startAnvil();
  await using other = await startAnvil();
  await using world = await startWorld({ anvil, env: OFF });
  await makeNetwork(world.deps, { code: "TWO", rpcUrls: [other.url] });
  await using backup = await takeBackup(world);
  const [both, here, there] = await takeKeys(world, 3);
  await give(world, [both!, here!]);
  for (const address of [both!, there!]) await setBalance(other, address, ETHER);
  await other.mine(1);
  await backup.bringBack();
  const { deps } = world;
  const { addresses } = await recover(deps);
  assert.deepEqual(addresses.map(({ address, state }) => [address, state]), [
    [both, "left"],
    [here, "booked"],
  ]);
  const way = `"deposit recover ${both} --network ETH --apply"`;
  assert.match(
    refusalText(addresses[0]!.reason!),
    new RegExp(`^${both} was used on TWO too.*; ${way}`),
  );
  assert.deepEqual(shownOf(await recover(deps, { addresses: [both!] })), [
    [both, "booked", "1 ETH"],
  ]);
  await assert.rejects(
    recover(deps, { network: "TWO", addresses: [both!] }),
    /is in these books: account 1's on ETH$/,
  );
  await anvil.stop();
  const silent = await recover(deps, { network: "TWO" });
  assert.deepEqual(shownOf(silent), [[there, "left", "1 ETH"]]);
  assert.match(silent.addresses[0]!.reason!.message, /^ETH could not be asked/);
});

Deno.test("blocks read while an address was recovered lack it, and a rescan finds it", async () => {
  await using anvil = await startAnvil();
  await using world = await startWorld({ anvil, env: OFF });
  await using backup = await takeBackup(world);
  const { address } = await allocate(world.merchant.api);
  await backup.bringBack();
  await payIn(world, { to: address, raw: ETHER });
  const { deps } = world;
  const isRead = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const of: typeof deps.chains.of = (network) => {
    const chain = deps.chains.of(network);
    const readBlocks: typeof chain.readBlocks = async (...asked) => {
      const blocks = await chain.readBlocks(...asked);
      isRead.resolve();
      await goOn.promise;
      return blocks;
    };
    return Object.create(chain, { readBlocks: { value: readBlocks } });
  };
  const chains = Object.create(deps.chains, { of: { value: of } });
  const network = (await deps.catalog.current()).network("ETH")!;
  const following = followNetwork({ ...deps, chains }, network);
  await isRead.promise;
  const { readTo } = await recover(deps);
  goOn.resolve();
  const { toHeight } = await following;
  assert.ok(toHeight >= readTo!, `${toHeight} ${readTo}`);
  assert.deepEqual(await depositsOf(world.merchant.api), []);
  const order = { network: "ETH", fromBlock: 1, toBlock: undefined, actor: "test" };
  assert.equal((await rescan(deps, order)).found, 1);
});
