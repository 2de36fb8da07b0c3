import assert from "node:assert/strict";
import { setReceivingWallet } from "../../src/accounts/receiving_wallet.ts";
import { moveSweep } from "../../src/books/move_sweep.ts";
import { Transactions } from "../../src/deposits/tables/transactions.ts";
import type { Deps } from "../../src/deps/deps.ts";
import { read, readAll } from "../../src/store/engine/workspace.ts";
import { depositsOfSweep } from "../../src/sweeps/reads/sweeps.ts";
import { gasWallet } from "../../src/wallets/gas_wallet.ts";
import { type SweepRow, Sweeps } from "../../src/sweeps/table.ts";
import { signedRows } from "./signed_rows.ts";
import { audit } from "./auditor.ts";
import { type Contract, sendTx } from "./nodes/contracts.ts";
import { ETHER, hex, setBalance } from "./payers.ts";
import { depositsOf } from "./views.ts";
import { startWorld, type World, type WorldOptions } from "./world.ts";

export const RECEIVER = "0x00000000000000000000000000000000000bEEf1";
const ACTOR = "test";

export interface SweepingWorld extends World {
  /** Mines enough blocks to confirm, and moves the clock past all waiting times. */
  turn(times?: number): Promise<void>;
}

/** A world whose rounds are run by hand, and a merchant with somewhere to sweep to. */
export async function startSweepingWorld(
  options: WorldOptions & { receiver?: string | null },
): Promise<SweepingWorld> {
  const { receiver = RECEIVER, ...rest } = options;
  const world = await startWorld({ ...rest, env: { CPG_WORKER: "false", ...rest.env } });
  if (receiver !== null) await sweepTo(world, receiver);
  let aheadMs = 0;
  const turn = async (times = 1) => {
    for (let i = 0; i < times; i++) {
      await world.anvil.mine(3);
      aheadMs += 700_000;
      await world.round({ aheadMs });
    }
  };
  return Object.create(world, { turn: { value: turn } });
}

export async function sweepTo({ deps, merchant }: World, address: string): Promise<void> {
  const { accountId } = merchant;
  const order = { accountId, network: "ETH", address, isNow: true, actor: ACTOR };
  await setReceivingWallet(deps, order);
}

/** The operator's gas wallet, with this much in it. */
export async function fundGasWallet({ deps, anvil }: World, raw = 10n * ETHER): Promise<string> {
  const { address } = await gasWallet(deps, { network: "ETH", actor: "test" });
  await setBalance(anvil, address, raw);
  await anvil.mine(1);
  return address;
}

export async function payIn(
  { anvil }: World,
  { to, raw, token }: { to: string; raw: bigint; token?: Contract },
): Promise<string> {
  return token ? await token.send("mint", [to, raw]) : await sendTx(anvil, { to, valueRaw: raw });
}

/** As if the books had been told of a sweep that never was. */
export async function callSwept({ db, clock }: Deps, { id }: SweepRow): Promise<void> {
  const deposits = await depositsOfSweep(db, id);
  const nowMs = clock.nowMs();
  await db.write({
    reads: [read(Sweeps, [id]), ...readAll(Transactions, deposits.map((row) => [row.id]))],
    decide: (view) => {
      for (const trigger of ["signed", "mined"] as const) {
        const now = deposits.map((row) => view.get(Transactions, [row.id]));
        moveSweep(view, { id, trigger, deposits: now, nowMs });
      }
    },
  });
}

export function sweepsOf({ deps }: Pick<World, "deps">): Promise<SweepRow[]> {
  return deps.db.rows(Sweeps, "ORDER BY id");
}

export async function signedFor(world: World, purpose: string) {
  const rows = await signedRows(world.deps);
  return rows.filter((row) => row.purpose === purpose);
}

export async function depositStates({ merchant: { api } }: World): Promise<string[]> {
  return (await depositsOf(api)).map(({ status }) => status).reverse();
}

/** Rounds log alerts as errors too; only what stopped a round is a fault. */
export function assertNoFaults({ faults }: World): void {
  assert.deepEqual(faults.filter((line) => line.includes("network is not followed")), []);
}

/** In a block now, and known: a gateway that has just started has no price in its memory. */
export async function setBaseFee(world: SweepingWorld, raw: bigint): Promise<void> {
  await world.anvil.rpc("anvil_setNextBlockBaseFeePerGas", [hex(raw)]);
  await world.anvil.mine(1);
  await world.restart();
}

/** Every coin of the deposit addresses, of every currency: here still, swept, or paid as a fee. */
export async function auditSweeps(
  { anvil, merchant: { api } }: World,
  { addresses, tokens = {}, idsFrom = [1] }: {
    addresses: readonly string[];
    idsFrom?: readonly number[];
    tokens?: Readonly<Record<string, Contract>>;
  },
): Promise<void> {
  await audit({ api, anvil, addresses, idsFrom });
  for (const [currency, { address: contract }] of Object.entries(tokens)) {
    const coin = { currency, token: { contract, decimals: 6 } };
    await audit({ api, anvil, addresses, idsFrom, ...coin });
  }
}
