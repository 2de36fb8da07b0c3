import { deadlineIn, OutOfTime } from "../base/waiting/deadline.ts";
import { present } from "../base/assert.ts";
import type { Chain } from "../chains/chain.ts";
import { NodeError } from "../chains/faults.ts";
import type { PreparedTransfer } from "../chains/transfer.ts";
import { CannotPay } from "../domain/cannot_pay.ts";
import type { Deps } from "../deps/deps.ts";
import { placesOf } from "../transfers/places.ts";
import { gasTargetOf } from "../transfers/gas_target.ts";
import { checkFunds, checkGasStays, checkNotDelegated, Commitments } from "../wallets/funds.ts";
import {
  NoHotWallet,
  type Payout,
  type PayoutPlace,
  placeOf,
  preparePayout,
  withGas,
} from "./_sign_payout.ts";

/** Why a payout would fail now. */
export type NotPayable =
  | { readonly code: "no_hot_wallet" }
  | { readonly code: "node_silent" }
  | { readonly code: "cannot_pay"; readonly text: string };

/** A person is waiting for the page, and the payment itself needs time too. */
const BUDGET_MS = 6_000;

/**
 * Looks at the chain before anything is written, so that a payment that can't be made leaves no
 * failed withdrawal. It decides nothing: whoever signs checks everything again.
 */
export async function whyNotPayableNow(
  deps: Deps,
  payout: Payout,
): Promise<NotPayable | undefined> {
  const deadline = deadlineIn(BUDGET_MS);
  try {
    await deadline.race(checkNow(deps, payout));
    return undefined;
  } catch (error) {
    if (error instanceof NoHotWallet) return { code: "no_hot_wallet" };
    if (error instanceof CannotPay) return { code: "cannot_pay", text: error.messageForPayer };
    if (error instanceof NodeError || error instanceof OutOfTime) return { code: "node_silent" };
    throw error;
  } finally {
    deadline.cancel();
  }
}

async function checkNow(deps: Deps, payout: Payout): Promise<void> {
  const place = await placeOf(deps, payout);
  await withGas(deps, place, () => checkAt(deps, { place, payout }));
}

async function checkAt(
  deps: Deps,
  { place, payout }: { place: PayoutPlace; payout: Payout },
): Promise<void> {
  const chain = deps.chains.of(place.network);
  const prepared = await preparePayout(deps, { ...place, withdrawal: payout, chain });
  await checkHolds(deps, { ...place, chain, prepared });
}

interface Prepared extends Pick<PayoutPlace, "network" | "wallet" | "currency"> {
  readonly chain: Chain;
  readonly prepared: PreparedTransfer;
}

/** As when it is signed, but nothing is reserved. */
export async function checkHolds(
  deps: Deps,
  { network, wallet, currency: { contractAddress: contract }, chain, prepared }: Prepared,
): Promise<void> {
  const state = await chain.walletState(wallet.address, contract === null ? [] : [contract]);
  const signing = { network, wallet, chain, state };
  const commitments = new Commitments(
    await placesOf(network).underWay(deps.db, { ...signing, prepared: [prepared] }),
  );
  const catalog = await deps.catalog.current();
  const currencyOf = (contract: string | null) =>
    present(catalog.currencyByContract(network.code, contract), "Currencies stay");
  const funds = { wallet, state, commitments };
  checkNotDelegated(funds);
  checkFunds({ ...funds, without: undefined, prepared, currencyOf });
  checkGasStays({ ...funds, prepared, targetRaw: gasTargetOf(network), currencyOf });
}
