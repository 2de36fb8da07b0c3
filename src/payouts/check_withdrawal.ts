import { present } from "../base/assert.ts";
import { deadlineIn, OutOfTime } from "../base/waiting/deadline.ts";
import { NodeError } from "../chains/faults.ts";
import { rulesOf } from "../chains/registry.ts";
import type { Verdict } from "../policies/rules/rules.ts";
import type { RefusalCode, Refused } from "../domain/refusal.ts";
import { hotWalletOf } from "../wallets/reads/addresses.ts";
import { CannotPay } from "../domain/cannot_pay.ts";
import { withRules } from "../policies/judging.ts";
import { priceOf } from "../transfers/price.ts";
import type { Deps } from "../deps/deps.ts";
import { checkHolds } from "../withdrawals/payable_now.ts";
import { isRefused } from "../withdrawals/failing_recipient.ts";
import { gatherFacts } from "../withdrawals/facts.ts";
import { type Facts, type Order, type Priced, refusalOf } from "../withdrawals/hold.ts";

type Blocked = "balance" | "suspended" | "stopped" | null;

interface Checked extends Priced {
  readonly verdict: Verdict;
  readonly blocked: Blocked;
  /** Whether the hot wallet can pay it now. */
  readonly isPayable: boolean;
}

const BLOCKED: Partial<Record<RefusalCode, Exclude<Blocked, null>>> = {
  insufficient_balance: "balance",
  account_suspended: "suspended",
  withdrawals_paused: "stopped",
};
const PAYABLE_MS = 5_000;
const NOT_NOW = [OutOfTime, NodeError, CannotPay];

/** What a withdrawal would be answered. Nothing is written, and nothing is promised. */
export async function checkWithdrawal(deps: Deps, order: Order): Promise<Checked> {
  return await withRules(deps, async () => {
    const { facts, reads } = await gatherFacts(deps, order);
    // A unit, because only units see everything that decides as of one moment.
    const { refusal, verdict } = await deps.db.write({
      reads,
      decide: (view) => ({
        refusal: refusalOf(view, facts),
        verdict: facts.judging.verdict(view),
      }),
    });
    const blocked = blockedBy(refusal);
    const { amount, fee } = facts;
    return { amount, fee, verdict, blocked, isPayable: await isPayable(deps, facts) };
  });
}

function blockedBy(refusal: Refused | undefined): Blocked {
  if (!refusal) return null;
  const blocked = BLOCKED[refusal.code];
  if (!blocked) throw refusal;
  return blocked;
}

async function isPayable(deps: Deps, facts: Facts): Promise<boolean> {
  const deadline = deadlineIn(PAYABLE_MS);
  try {
    return await deadline.race(wouldPay(deps, facts));
  } catch (error) {
    if (NOT_NOW.some((Kind) => error instanceof Kind)) return false;
    throw error;
  } finally {
    deadline.cancel();
  }
}

async function wouldPay(deps: Deps, { asset, amount, order, ...facts }: Facts) {
  const network = present(facts.network, "The order names a network");
  const currency = present(facts.currency, "The order names a currency");
  const wallet = await hotWalletOf(deps.db, asset);
  if (!wallet || wallet.haltedReason !== null) return false;
  const to = rulesOf(network).canonicalAddress(order.toAddress);
  if (await isRefused(deps, { wallet, currency, address: to })) return false;
  const chain = deps.chains.of(network);
  const { gasMax, contractAddress: contract, decimals } = currency;
  const prices = await priceOf(deps, { network, chain });
  const ready = await chain.prepareTransfer({
    from: wallet.address,
    to,
    contract,
    amountRaw: amount.toRaw(decimals),
    asToNewHolder: true,
  }, { ...prices, gasMax: gasMax === null ? null : BigInt(gasMax) });
  if (ready.kind !== "ready") return false;
  await checkHolds(deps, { network, wallet, currency, chain, prepared: ready.prepared });
  return true;
}
