import { cursorOf } from "../books/find.ts";
import type { Transfer } from "../chains/chain.ts";
import { unminedByAddress } from "../deposits/reads/deposits.ts";
import { type TransactionRow, Transactions } from "../deposits/tables/transactions.ts";
import type { Deps } from "../deps/deps.ts";
import type { NetworkRow } from "../networks/table.ts";
import type { View } from "../store/engine/workspace.ts";
import { ownedAddresses } from "../wallets/reads/addresses.ts";
import { isOvertaken } from "./deposit_inputs.ts";
import { keyOf, type Movement, planTransfers } from "./plan_movements.ts";
import { recordSighting } from "./record_movements.ts";

/** Payments recorded by one look; the next ones are looked at a moment later. */
const RECORDED_MAX = 100;
/**
 * Until they are in a block, payments cost their senders nothing, and they may take them back. Of
 * more than these, the others are recorded with their blocks.
 */
const UNMINED_MAX = { ofAddress: 20, ofNetwork: 2_000 };
/** How often it is noted that a payment is still there. */
const NOTED_EVERY_MS = 3_600_000;

/** Shows payments that are in no block yet. Only their blocks credit them. */
export async function lookAtPending(deps: Deps, network: NetworkRow): Promise<void> {
  const chain = deps.chains.of(network);
  const { pending } = chain;
  if (!pending || (await cursorOf(deps, network)).haltedReason !== null) return;
  const { blockTurns } = deps.memory;
  // Or a block that shows what becomes of a payment could be read just before it is recorded.
  await blockTurns.run(network.code, async () => {
    const transfers = await pending({
      owned: async (addresses) => {
        const rows = await ownedAddresses(deps.db, { network: network.code, addresses });
        return new Set(rows.map(({ address }) => address));
      },
    });
    await notePending(deps, { network, transfers });
  });
}

async function notePending(
  deps: Deps,
  { network, transfers }: { network: NetworkRow; transfers: readonly Transfer[] },
): Promise<void> {
  const { code } = network;
  const nowMs = deps.clock.nowMs();
  const before = deps.memory.pendingNoted.get(code) ?? new Map<string, number>();
  const noted = new Map(
    transfers.map(({ txHash }) => [txHash, before.get(txHash) ?? -Infinity]),
  );
  deps.memory.pendingNoted.set(code, noted);
  const isDue = ({ txHash }: Transfer) =>
    nowMs - (noted.get(txHash) ?? -Infinity) >= NOTED_EVERY_MS;
  const now = transfers.filter(isDue).slice(0, RECORDED_MAX);
  if (now.length === 0) return;
  const addresses = [...new Set(now.flatMap(({ to, sender }) => [to, sender]))];
  const rows = await ownedAddresses(deps.db, { network: code, addresses });
  const plan = await planTransfers(deps, {
    network,
    seen: now.map((transfer) => ({ transfer, block: { height: 0, hash: null, atMs: nowMs } })),
    owned: new Map(rows.map((row) => [row.address, row])),
  });
  const unmined = await unminedByAddress(deps.db, code);
  await deps.db.write({
    reads: plan.reads,
    decide: (view) => {
      const room = new Room(unmined);
      for (const movement of plan.movements) note(view, { movement, network, room, nowMs });
    },
  });
  for (const { txHash } of now) noted.set(txHash, nowMs);
}

function note(
  view: View,
  { movement, network, room, nowMs }: {
    movement: Movement;
    network: NetworkRow;
    room: Room;
    nowMs: number;
  },
): void {
  const { transfer, address, isFromOwn } = movement;
  const known = view.find(Transactions, keyOf(network, transfer), "movement");
  if (known) return noteSeen(view, known, nowMs);
  if (isFromOwn || isOvertaken(view, { network, transfer }) || !room.take(address.id)) return;
  recordSighting(view, { movement, network, nowMs });
}

function noteSeen(view: View, row: TransactionRow, nowMs: number): void {
  if (row.blockHash !== null || row.status !== "detected") return;
  view.update(Transactions, row, { seenAtMs: nowMs });
}

/** For payments in no block. */
class Room {
  readonly #byAddress: Map<number, number>;
  #all: number;

  constructor(unmined: ReadonlyMap<number, number>) {
    this.#byAddress = new Map(unmined);
    this.#all = [...unmined.values()].reduce((sum, count) => sum + count, 0);
  }

  take(addressId: number): boolean {
    const count = this.#byAddress.get(addressId) ?? 0;
    if (count >= UNMINED_MAX.ofAddress || this.#all >= UNMINED_MAX.ofNetwork) return false;
    this.#byAddress.set(addressId, count + 1);
    this.#all++;
    return true;
  }
}
