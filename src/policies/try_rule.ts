import { Amount } from "../domain/money/amount.ts";
import type { Verdict } from "./rules/rules.ts";
import { findAccount, findCurrency, findNetwork } from "../books/find.ts";
import type { Deps } from "../deps/deps.ts";
import { prepareJudging, withRules } from "./judging.ts";
import { payeeAddress } from "../payees/payees.ts";
import { paymentOf } from "./payment.ts";

interface TestedPayment {
  readonly accountId: number;
  /** Undefined: no key, so no rule about a key matches. */
  readonly keyId: string | undefined;
  readonly network: string;
  readonly currency: string;
  readonly toAddress: string;
  readonly amount: string;
}

/** What the rules would say to a payment now. Nothing is written. */
export async function testPolicies(deps: Deps, asked: TestedPayment): Promise<Verdict> {
  await findAccount(deps, asked.accountId);
  const { network, currency: symbol } = asked;
  const currency = await findCurrency(deps, { network, symbol });
  const payment = paymentOf(await deps.catalog.current(), {
    accountId: asked.accountId,
    keyId: asked.keyId ?? "",
    network: currency.network,
    currency: currency.symbol,
    toAddress: payeeAddress(await findNetwork(deps, network), asked.toAddress),
    amount: Amount.parse(asked.amount, "").truncatedTo(currency.decimals).toString(),
  });
  return await withRules(deps, async () => {
    const judging = await prepareJudging(deps, { payment: () => payment });
    // A unit, because only units see all totals as of one moment.
    return await deps.db.write({ reads: judging.reads, decide: (view) => judging.verdict(view) });
  });
}
