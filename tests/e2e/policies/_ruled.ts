import { adjustBalance } from "../../../src/accounts/manage_accounts.ts";
import type { Deps } from "../../../src/deps/deps.ts";
import { addPolicy, type NewPolicy } from "../../../src/policies/manage.ts";
import { createWithdrawal } from "../../../src/withdrawals/create.ts";
import { Refused } from "../../../src/domain/refusal.ts";
import { readConfig } from "../../../src/app/config/config.ts";
import { openGateway } from "../../../src/app/gateway.ts";
import type { Clock } from "../../../src/base/clock.ts";
import type { Policies } from "../../../src/policies/table.ts";
import type { WithdrawalRow } from "../../../src/withdrawals/table.ts";
import { makePlace, type Place } from "../../support/database/database.ts";
import { enable, makeMerchant, makeNetwork } from "../../support/gateway.ts";

export const OUTSIDE = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const DAY_MS = 86_400_000;

interface TestClock extends Clock {
  ms: number;
}

/** Gateways on one database, with a clock of the test, an account with coins, and no worker. */
export interface Ruled extends AsyncDisposable {
  readonly place: Place;
  readonly clock: TestClock;
  readonly deps: Deps;
  readonly accountId: number;
  readonly keyId: string;
  /** Another program on the same database. */
  open(): Promise<Deps>;
  /** The withdrawal, or the code of the refusal. */
  request(amount: string, options?: PayOptions): Promise<WithdrawalRow | string>;
  /** The status, or the code of the refusal. */
  pay(amount: string, options?: PayOptions): Promise<string>;
}

interface PayOptions {
  readonly to?: string;
  readonly on?: Deps;
}

export async function makeRuled(
  { balance = "1000000" }: { balance?: string } = {},
): Promise<Ruled> {
  const place = await makePlace({ isMigrated: true });
  const clock = { ms: 1_767_225_600_000, nowMs: () => clock.ms };
  const closing: (() => Promise<void>)[] = [];
  const open = async () => {
    const config = readConfig({ ...place.env, CPG_LOG_LEVEL: "silent" });
    const gateway = await openGateway(config, { clock });
    closing.push(gateway.close);
    return gateway.deps;
  };
  const deps = await open();
  await makeNetwork(deps, { rpcUrls: ["http://127.0.0.1:9"] });
  const { accountId, credentials: { keyId } } = await makeMerchant({ deps, url: "http://x" });
  await enable(deps, { accountId, network: "ETH", currency: "ETH" });
  const asset = { accountId, network: "ETH", currency: "ETH" };
  await adjustBalance(deps, { ...asset, amount: balance, note: "test", actor: "test" });
  let requests = 0;
  const request = async (amount: string, { to = OUTSIDE, on = deps }: PayOptions = {}) => {
    const caller = { accountId, keyId, actor: "user:99", signature: null } as const;
    const order = { network: "ETH", currency: "ETH", toAddress: to, amount };
    try {
      const clientReference = `r${++requests}`;
      const { row } = await createWithdrawal(on, { ...order, caller, clientReference });
      return row;
    } catch (error) {
      if (error instanceof Refused) return error.code;
      throw error;
    }
  };
  const pay = async (amount: string, options?: PayOptions) => {
    const made = await request(amount, options);
    return typeof made === "string" ? made : made.approval ?? made.status;
  };
  return {
    ...{ place, clock, deps, accountId, keyId, open, request, pay },
    [Symbol.asyncDispose]: async () => {
      for (const close of closing) await close();
      await place.remove();
    },
  };
}

type Options = Partial<NewPolicy> & { readonly condition: NewPolicy["condition"] };

export function makePolicy(
  { deps }: Pick<Ruled, "deps">,
  options: Options,
): Promise<NonNullable<typeof Policies["row"]>> {
  return addPolicy(deps, {
    ...{ label: "Limit", accountId: null, keyId: null, network: null, currency: "ETH" },
    ...{ each: null, cap: null, outcome: "refuse", approvals: 1, expiresMs: DAY_MS },
    ...{ setBy: "operator", actor: "test" },
    ...options,
  });
}
