import { bumpWithdrawal } from "../../src/withdrawals/push.ts";
import { OperatorError } from "../../src/domain/refusal.ts";
import { NodeError } from "../../src/chains/faults.ts";
import type { Random } from "../domain/random.ts";
import { allocate, withdraw, type WithdrawalOrder } from "../support/views.ts";
import type { SoakMerchant, SoakWorld } from "./soak_world.ts";

/** The orders of the merchants and the operator. */
export interface MerchantOrders {
  /** Allocates until each merchant has this many. */
  allocateUpTo(count: number): Promise<void>;
  /** Does not wait for the answer. */
  withdrawSome(): void;
  /** The operator raises the bid for one that waits. */
  bumpSome(): Promise<void>;
  /** Repeats what got no answer. True: everything was answered, always the same way. */
  hearAll(): Promise<boolean>;
  readonly idMax: () => number;
  /** Answers that contradict an earlier one for the same reference. */
  readonly contradictions: readonly string[];
  readonly count: () => number;
  readonly bumps: () => number;
}

interface Order {
  readonly merchant: SoakMerchant;
  readonly body: Required<Omit<WithdrawalOrder, "network">>;
  id?: number;
  isRefused?: boolean;
  isAsked: boolean;
}

const IN_FLIGHT_MAX = 8;
const REPEATED = 0.15;
const UNPAYABLE = 0.1;
const AMONG_MERCHANTS = 0.25;

export function merchantOrders(world: SoakWorld, random: Random): MerchantOrders {
  const orders: Order[] = [];
  const contradictions: string[] = [];
  let bumps = 0;
  let inFlight = 0;

  function recipientOf(merchant: SoakMerchant): string {
    const others = world.merchants.filter((one) => one !== merchant).flatMap((m) => m.addresses);
    if (others.length > 0 && random.chance(AMONG_MERCHANTS)) return random.pick(others);
    if (random.chance(UNPAYABLE)) return world.rejector.address;
    return `0x${"0".repeat(23)}1${random.digits(16)}`;
  }

  function newOrder(): Order {
    const merchant = random.pick(world.merchants);
    const currency = random.pick(["ETH", "USDT"]);
    const amount = currency === "ETH"
      ? `0.${1 + random.below(9)}${random.digits(10)}`
      : String(5 + random.below(100));
    const body = {
      currency,
      amount,
      to: recipientOf(merchant),
      reference: `${random.seed}-${orders.length}`,
    };
    const order = { merchant, body, isAsked: false };
    orders.push(order);
    return order;
  }

  /** A gateway that was killed meanwhile answers nothing. */
  async function ask(order: Order): Promise<void> {
    if (order.isAsked) return;
    order.isAsked = true;
    inFlight++;
    try {
      const { status, body } = await withdraw(order.merchant.api, order.body);
      hear(order, { status, body });
    } catch (error) {
      if (!(error instanceof TypeError || error instanceof SyntaxError)) throw error;
    } finally {
      inFlight--;
      order.isAsked = false;
    }
  }

  // deno-lint-ignore no-explicit-any -- a reply of either form
  function hear(order: Order, { status, body }: { status: number; body: any }): void {
    const id = body?.data?.withdrawal_id ?? body?.data?.id;
    const report = (what: string) =>
      contradictions.push(`${order.body.reference}: ${what}: ${status} ${JSON.stringify(body)}`);
    if (status >= 500 && status !== 502) report("a fault");
    else if (id === undefined) order.isRefused = true;
    else if (order.id !== undefined && order.id !== id) report(`was ${order.id}`);
    else order.id = id;
  }

  return {
    contradictions,
    idMax: () => Math.max(0, ...orders.map(({ id }) => id ?? 0)),
    count: () => orders.length,
    bumps: () => bumps,
    allocateUpTo: async (count) => {
      for (const { api, addresses } of world.merchants) {
        while (addresses.length < count) {
          const currency = random.pick(["ETH", "USDT"]);
          addresses.push((await allocate(api, { currency })).address);
        }
      }
    },
    withdrawSome: () => {
      if (inFlight >= IN_FLIGHT_MAX) return;
      const isRepeated = orders.length > 0 && random.chance(REPEATED);
      void ask(isRepeated ? random.pick(orders) : newOrder());
    },
    bumpSome: async () => {
      const sent = orders.filter(({ id }) => id !== undefined);
      if (sent.length === 0) return;
      try {
        const { id } = random.pick(sent.slice(-5));
        await bumpWithdrawal(world.deps, { id: id!, actor: "soak" });
        bumps++;
      } catch (error) {
        if (!(error instanceof OperatorError || error instanceof NodeError)) throw error;
      }
    },
    hearAll: async () => {
      const open = orders.filter(({ id, isRefused }) => id === undefined && !isRefused);
      await Promise.all(open.map(ask));
      return inFlight === 0 && open.every(({ id, isRefused }) => id !== undefined || isRefused);
    },
  };
}
