import assert from "node:assert/strict";
import { keepReceivingWallet, setReceivingWallet } from "../../../src/accounts/receiving_wallet.ts";
import { setAccount } from "../../../src/accounts/set_account.ts";
import { ReceivingWallets } from "../../../src/accounts/tables/accounts.ts";
import { Notices } from "../../../src/alerts/table.ts";
import { startAnvil } from "../../support/nodes/anvil.ts";
import { ETHER } from "../../support/payers.ts";
import { receivedBy } from "../../support/payouts.ts";
import {
  assertNoFaults,
  payIn,
  RECEIVER,
  startSweepingWorld,
  type SweepingWorld,
} from "../../support/sweeping.ts";
import { allocate } from "../../support/views.ts";

const NEXT = "0x00000000000000000000000000000000000bEEf2";
const OTHER = "0x52908400098527886E0F7030069857D2E4169EE7";
const COOLING_MS = 600_000;

const placeOf = ({ merchant: { accountId } }: SweepingWorld) =>
  ({ accountId, network: "ETH", actor: "test" }) as const;

async function startCooling() {
  const anvil = await startAnvil();
  const world = await startSweepingWorld({ anvil });
  const { deps, merchant: { accountId, api } } = world;
  await setAccount(deps, { id: accountId, change: { coolingMs: COOLING_MS }, actor: "test" });
  const { address } = await allocate(api);
  return {
    ...{ anvil, world, deps, place: placeOf(world) },
    stored: async () => await world.deps.db.get(ReceivingWallets, [accountId, "ETH"]),
    sweepOne: async () => {
      await payIn(world, { to: address, raw: ETHER });
      await world.turn(3);
    },
    /** Both the chain's clock and ours pass the waiting time. */
    wait: async () => {
      await anvil.rpc("evm_increaseTime", [2 * COOLING_MS / 1000]);
      await world.turn(2);
    },
    [Symbol.asyncDispose]: async () => {
      await world[Symbol.asyncDispose]();
      await anvil[Symbol.asyncDispose]();
    },
  };
}

Deno.test("a changed receiving wallet is used once its time is over, by our clock and the chain's", async () => {
  await using cooling = await startCooling();
  const { anvil, world, deps, place, stored, sweepOne, wait } = cooling;
  const before = Date.now();
  const row = await setReceivingWallet(deps, { ...place, address: NEXT });
  assert.deepEqual([row.address, row.nextAddress], [RECEIVER, NEXT]);
  assert.ok(row.nextAtMs! >= before + COOLING_MS && row.nextAtMs! <= Date.now() + COOLING_MS);
  const notices = await deps.db.rows(Notices, "WHERE topic = 'security' ORDER BY id DESC LIMIT 1");
  assert.match(
    notices[0]!.title,
    /^Check the receiving wallet of account \d+ on ETH: it is about to change$/,
  );
  assert.match(notices[0]!.text, new RegExp(`it is ${NEXT}. Until then it is ${RECEIVER}, and`));
  // The worker's clock jumps ahead by more than that with each turn, the chain's doesn't.
  await sweepOne();
  assert.ok(await receivedBy(anvil, RECEIVER) > 0n);
  assert.equal(await receivedBy(anvil, NEXT), 0n);
  await world.restart();
  await wait();
  await sweepOne();
  assert.ok(await receivedBy(anvil, NEXT) > 0n);
  const { address, nextAddress, nextAtMs } = await stored();
  assert.deepEqual([address, nextAddress, nextAtMs], [NEXT, null, null]);
  assertNoFaults(world);
});

Deno.test("a change that was cancelled or replaced in time never takes effect", async () => {
  await using cooling = await startCooling();
  const { anvil, deps, place, stored, sweepOne, wait } = cooling;
  await setReceivingWallet(deps, { ...place, address: NEXT });
  await keepReceivingWallet(deps, place);
  await assert.rejects(
    () => keepReceivingWallet(deps, place),
    /No change of account 1's receiving wallet/,
  );
  await wait();
  await sweepOne();
  assert.equal(await receivedBy(anvil, NEXT), 0n);
  const first = await setReceivingWallet(deps, { ...place, address: NEXT });
  const again = await setReceivingWallet(deps, { ...place, address: NEXT });
  assert.equal(again.nextAtMs, first.nextAtMs, "Asking twice doesn't wait longer");
  const other = await setReceivingWallet(deps, { ...place, address: OTHER });
  assert.deepEqual([other.address, other.nextAddress], [RECEIVER, OTHER]);
  assert.ok(other.nextAtMs! >= first.nextAtMs!);
  const back = await setReceivingWallet(deps, { ...place, address: RECEIVER });
  assert.deepEqual([back.address, back.nextAddress, back.nextAtMs], [RECEIVER, null, null]);
  const now = await setReceivingWallet(deps, { ...place, address: OTHER, isNow: true });
  assert.deepEqual([now.address, now.nextAddress, (await stored()).address], [OTHER, null, OTHER]);
});

Deno.test("a cancelled change that is put back, and a wallet that is deleted, get no coins anywhere", async () => {
  await using cooling = await startCooling();
  const { anvil, deps, place, sweepOne, wait } = cooling;
  await setReceivingWallet(deps, { ...place, address: NEXT });
  const sql = (text: string) => deps.db.execute([{ sql: text }]);
  await sql("CREATE TABLE kept AS SELECT * FROM receiving_wallets");
  await keepReceivingWallet(deps, place);
  await sql("DELETE FROM receiving_wallets");
  await sql("INSERT INTO receiving_wallets SELECT * FROM kept");
  await wait();
  await sweepOne();
  assert.deepEqual([await receivedBy(anvil, NEXT), await receivedBy(anvil, RECEIVER)], [0n, 0n]);
  const order = { ...place, address: OTHER };
  await assert.rejects(() => setReceivingWallet(deps, order), /Someone changed the stored/);
  await sql("DELETE FROM receiving_wallets");
  await assert.rejects(() => setReceivingWallet(deps, order), /Someone changed the stored/);
  await setReceivingWallet(deps, { ...order, isNow: true });
});
