import type { Clock } from "../base/clock.ts";
import { present } from "../base/assert.ts";
import { first, zip } from "../base/lists.ts";
import type { CoinMove } from "./collecting.ts";
import type { NodeError } from "./faults.ts";
import type { Held, WalletState } from "./held.ts";
import type { PriceOptions } from "./price.ts";
import type { Preflight, PreparedTransfer, TransferRefused } from "./transfer.ts";

/** What is to be moved from one of our addresses. An address is in one order at most. */
export interface CollectOrder extends CoinMove {
  /** As it was read a moment ago. */
  readonly held: Held;
  /** What the receiver has of it already. */
  readonly receiverHoldsRaw: bigint;
  readonly price: PriceOptions;
}

/** The wallet that sends coins for fees, and the prices at which it may. */
export interface FuelSource {
  readonly from: string;
  readonly price: PriceOptions;
}

/** The next step for one order. */
export type Collected =
  /** To be signed now. `state` is what signing has to know about the sender. */
  | {
    readonly kind: "ready";
    readonly prepared: PreparedTransfer;
    readonly state: WalletState;
    /** What it may cost at most, by which it is judged whether it is worth it. */
    readonly costAtMostRaw: bigint;
  }
  /** The address lacks so many coins for the fee. */
  | {
    readonly kind: "fuel";
    readonly missingRaw: bigint;
    /** What sends them from the wallet that was named; absent if none was. */
    readonly fuel?: Preflight;
    /** Lends the address what it would burn coins for, from the same wallet, instead of sending them. */
    readonly loan?: PreparedTransfer;
    readonly costAtMostRaw: bigint;
  }
  /** It costs much less once another one is in a block. */
  | { readonly kind: "wait" }
  | TransferRefused
  | { readonly kind: "unanswered"; readonly error: NodeError };

/** The role of an order among those that bring the same token to the same receiver. */
export type Role =
  | { readonly kind: "usual" }
  /** The receiver holds none of it yet, and the first to bring some pays for that. */
  | { readonly kind: "first" }
  /** What it costs once the receiver holds some is what a transfer to this other holder costs. */
  | { readonly kind: "after"; readonly holder: string | undefined };

/** More can't lead the way in one step. */
const ROUNDS_MAX = 3;
/** Longer than a few blocks take, and than most chains take to make coins for gas final. */
const FIRST_FOR_MS = { ready: 60_000, fuel: 300_000 };

/**
 * Whoever brings a receiver its first tokens of a kind pays several times as much as the others. So
 * one goes ahead, and the others are funded for what they cost after it. If it comes to nothing,
 * another one goes ahead some minutes later.
 */
export class FirstOnes {
  readonly #clock: Clock;
  readonly #ahead = new Map<string, { readonly from: string; readonly untilMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** If one that would go ahead can't, another one does at once. Results are in the order given. */
  async run(
    orders: readonly CollectOrder[],
    work: (
      orders: readonly CollectOrder[],
      roles: readonly Role[],
    ) => Promise<readonly Collected[]>,
  ): Promise<Collected[]> {
    const done = new Map<CollectOrder, Collected>();
    let left = orders;
    for (let round = 1; round <= ROUNDS_MAX && left.length > 0; round++) {
      const roles = this.rolesOf(left);
      const parts = zip(zip(left, roles), await work(left, roles));
      for (const [[order], collected] of parts) done.set(order, collected);
      const failed = new Set<string>();
      for (const [[order, role], { kind }] of parts) {
        if (role.kind !== "first") continue;
        if (kind === "ready" || kind === "fuel") this.note(order, kind);
        else failed.add(keyOf(order));
      }
      left = zip(left, roles)
        .filter(([order, role]) => role.kind === "after" && failed.has(keyOf(order)))
        .map(([order]) => order);
    }
    return orders.map((order) => present(done.get(order), "Each was worked on"));
  }

  /** In the order given. */
  rolesOf(orders: readonly CollectOrder[]): Role[] {
    const waiting = orders.filter(({ contract, receiverHoldsRaw }) =>
      contract !== null && receiverHoldsRaw === 0n
    );
    const groups = Map.groupBy(waiting, keyOf);
    const firsts = new Set(
      [...groups].map(([key, group]) => this.#underWay(key) ?? first(group.toSorted(byCoins)).from),
    );
    return orders.map((order): Role => {
      const group = groups.get(keyOf(order));
      if (!group?.includes(order)) return { kind: "usual" };
      if (firsts.has(order.from)) return { kind: "first" };
      return { kind: "after", holder: group.find(({ from }) => from !== order.from)?.from };
    });
  }

  /** It goes ahead: its transaction, or first the coins for it. */
  note(order: CollectOrder, step: keyof typeof FIRST_FOR_MS): void {
    const nowMs = this.#clock.nowMs();
    for (const [key, { untilMs }] of this.#ahead) if (untilMs <= nowMs) this.#ahead.delete(key);
    const untilMs = nowMs + FIRST_FOR_MS[step];
    this.#ahead.set(keyOf(order), { from: order.from, untilMs });
  }

  #underWay(key: string): string | undefined {
    const known = this.#ahead.get(key);
    return known && known.untilMs > this.#clock.nowMs() ? known.from : undefined;
  }
}

/** The one that has most is likeliest to need nothing. */
function byCoins(a: CollectOrder, b: CollectOrder): number {
  return a.held.nativeRaw > b.held.nativeRaw ? -1 : a.held.nativeRaw < b.held.nativeRaw ? 1 : 0;
}

function keyOf({ contract, to }: CollectOrder): string {
  return `${contract}/${to}`;
}
