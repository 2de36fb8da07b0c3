import { Accounts } from "../accounts/tables/accounts.ts";
import { present } from "../base/assert.ts";
import { amountOf } from "../books/address_books.ts";
import { isSuspended, NotSignedYet } from "../books/stopped.ts";
import { type FreezeRow, Freezes } from "../books/table.ts";
import { genuine } from "../books/tampered.ts";
import type { Chain, WalletState } from "../chains/chain.ts";
import { NodeError } from "../chains/faults.ts";
import { rulesOf } from "../chains/registry.ts";
import type { PreparedTransfer, TransferRefused } from "../chains/transfer.ts";
import type { Deps } from "../deps/deps.ts";
import {
  CannotPay,
  CannotPayYet,
  refusedBy,
  WaitsForBlock,
  WalletHalted,
} from "../domain/cannot_pay.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import type { CurrencyRow, NetworkRow } from "../networks/table.ts";
import { read } from "../store/engine/workspace.ts";
import { awaitBlock, awaitGas } from "../transfers/await_gas.ts";
import { isFilled } from "../transfers/fill_hot_wallets.ts";
import { preflightTransfer } from "../transfers/preflight.ts";
import { nativeAmount } from "../transfers/price.ts";
import { AlreadyMoved } from "../transfers/save_signed.ts";
import { type JustSigned, signTransfer } from "../transfers/sign.ts";
import { type Paying, paying } from "../transfers/table.ts";
import { sendTo } from "../wallets/funds.ts";
import { hotWalletOf } from "../wallets/reads/addresses.ts";
import { Addresses, type AddressRow } from "../wallets/tables/addresses.ts";
import { failingReads, noLongerFailing } from "./failing.ts";
import { refuseFailing } from "./failing_recipient.ts";
import { roughly, usualCostOf } from "./free_of_charge.ts";
import { type Conditions, conditionsOf, Held, RefundsChanged } from "./held_back.ts";
import { type WithdrawalRow, Withdrawals } from "./table.ts";

export class NoHotWallet extends Error {}

/** Refunds of the same invoice that are asked for at once. */
const LOOKS_MAX = 5;

/** One payment of what was just signed. */
export type JustPaying = Paying & Pick<JustSigned, "sendOnce">;

/** What is paid, and from where. */
export type Payout = Pick<
  WithdrawalRow,
  "accountId" | "network" | "currency" | "toAddress" | "amount"
>;

export interface PayoutPlace {
  readonly network: NetworkRow;
  readonly wallet: AddressRow;
  readonly currency: CurrencyRow;
  /** In canonical form. */
  readonly to: string;
}

/** Undefined: somebody else took it on before it was signed. */
export async function signPayout(
  deps: Deps,
  withdrawal: WithdrawalRow,
): Promise<JustPaying | undefined> {
  if (withdrawal.approval === "waiting") throw new NotSignedYet("It waits for an approval");
  for (let look = 1;; look++) {
    try {
      return await signUnlessHeld(deps, withdrawal);
    } catch (error) {
      if (error instanceof AlreadyMoved) return undefined;
      if (!(error instanceof RefundsChanged) || look === LOOKS_MAX) throw error;
    }
  }
}

async function signUnlessHeld(
  deps: Deps,
  withdrawal: WithdrawalRow,
): Promise<JustPaying> {
  const [asked, place] = await Promise.allSettled([
    conditionsOf(deps, withdrawal),
    placeOf(deps, withdrawal),
  ]);
  if (asked.status === "rejected") throw asked.reason;
  const conditions = asked.value;
  // The unit that signs asks again. Before that, it would fail for want of gas, or have some sent.
  const why = await conditions.whyNotYet();
  if (why) throw new Held(why);
  if (place.status === "rejected") throw place.reason;
  const order = { ...place.value, withdrawal, conditions };
  return await withGas(deps, order, () => signFrom(deps, order));
}

/** Tries once more if gas arrives meanwhile, or a block with what its coins come from. */
export async function withGas<T>(
  deps: Deps,
  place: PayoutPlace,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof CannotPay) || !await hasHelpCome(deps, { place, error })) throw error;
    return await run();
  }
}

async function hasHelpCome(
  deps: Deps,
  { place, error }: { place: PayoutPlace; error: CannotPay },
): Promise<boolean> {
  if (error instanceof WaitsForBlock) return await awaitBlock(deps, place.network);
  return error.lacksCoins && await awaitGas(deps, place);
}

/** Throws if nothing may be paid from there, or to there. */
export async function placeOf(deps: Deps, withdrawal: Payout): Promise<PayoutPlace> {
  const catalog = await deps.catalog.current();
  const network = present(catalog.network(withdrawal.network), "A withdrawal's network exists");
  const currency = present(
    catalog.currency(network.code, withdrawal.currency),
    "A withdrawal's currency exists",
  );
  const wallet = await hotWalletOf(deps.db, {
    accountId: withdrawal.accountId,
    network: network.code,
  });
  if (!wallet) throw new NoHotWallet();
  // It may be said where to send coins.
  await genuine(deps, Addresses, [wallet]);
  if (wallet.haltedReason !== null) throw new WalletHalted(wallet.haltedReason);
  const to = rulesOf(network).canonicalAddress(withdrawal.toAddress);
  await refuseFailing(deps, { wallet, currency, address: to });
  return { network, wallet, currency, to };
}

async function signFrom(
  deps: Deps,
  order: Order & { conditions: Conditions },
): Promise<JustPaying> {
  const { network, wallet, withdrawal, conditions } = order;
  const chain = deps.chains.of(network);
  const signed = await signTransfer(deps, {
    network,
    wallet,
    chain,
    prepared: await preparePayout(deps, { ...order, chain }),
    payments: [{ purpose: "withdrawal", withdrawalId: withdrawal.id }],
    reads: [
      read(Withdrawals, [withdrawal.id]),
      read(Accounts, [withdrawal.accountId]),
      read(Freezes, freezeKey(withdrawal)),
      ...failingReads(withdrawal),
      ...conditions.reads,
    ],
    claim: (view, { tx: { id: transferId } }) => {
      const row = view.get(Withdrawals, [withdrawal.id]);
      if (row.status !== "pending" || row.transferId !== null) throw new AlreadyMoved();
      if (row.approval === "waiting") throw new NotSignedYet("It waits for an approval");
      if (isSuspended(view, row.accountId)) throw new NotSignedYet("The account is suspended");
      const why = conditions.whyNot(view);
      if (why) throw new Held(why);
      // The books were found wrong after it was accepted.
      const freeze = view.find(Freezes, freezeKey(row));
      if (freeze) throw pausedBy(freeze);
      view.update(Withdrawals, row, { transferId });
      noLongerFailing(view, { withdrawal, nowMs: deps.clock.nowMs() });
    },
  });
  const { sendOnce } = signed;
  return { ...paying(signed), ...sendOnce && { sendOnce } };
}

/** If rows may be forged, it waits for an operator together with them. */
function pausedBy({ code }: FreezeRow): CannotPay {
  const Kind = code === "tampered" ? CannotPayYet : CannotPay;
  return new Kind("Withdrawals are paused");
}

function freezeKey({ accountId, network, currency }: WithdrawalRow) {
  return [accountId, network, currency];
}

interface Order extends PayoutPlace {
  readonly withdrawal: WithdrawalRow;
}

export async function preparePayout(
  deps: Deps,
  { chain, ...order }: PayoutPlace & { withdrawal: Payout; chain: Chain },
): Promise<PreparedTransfer> {
  const { network, wallet, withdrawal, currency, to } = order;
  const request = {
    from: wallet.address,
    to,
    contract: currency.contractAddress,
    amountRaw: Amount.parse(withdrawal.amount, assetOf(withdrawal)).toRaw(currency.decimals),
    asToNewHolder: true,
  };
  const preflight = await preflightTransfer(deps, { network, chain, request });
  if (preflight.kind === "refused") throw await whyRefused(deps, { ...order, preflight });
  return preflight.prepared;
}

/** A hint isn't worth a longer wait. */
const PRICE_MS = 1_000;

interface RefusedPayment extends Pick<PayoutPlace, "network" | "wallet" | "currency"> {
  readonly withdrawal: Pick<WithdrawalRow, "network" | "currency" | "amount">;
  readonly preflight: TransferRefused;
}

/** If the wallet has too little, says how much: nodes use base units, and tokens their own words. */
async function whyRefused(
  deps: Deps,
  { network, wallet, withdrawal, currency, preflight }: RefusedPayment,
): Promise<CannotPay> {
  const refused = refusedBy(preflight);
  const { contractAddress: contract, symbol } = currency;
  const isMaybeEmpty = refused.lacksCoins || contract !== null && preflight.cause === "reverts";
  const state = isMaybeEmpty ? await stateOf(deps, { network, wallet, contract }) : undefined;
  if (!state) return refused;
  const asked = Amount.parse(withdrawal.amount, assetOf(withdrawal));
  const raw = contract === null ? state.nativeRaw : state.tokensRaw.get(contract);
  const held = raw === undefined ? undefined : amountOf(raw, currency);
  const isShort = held?.isLessThan(asked) === true;
  if (!isShort && !refused.lacksCoins) return refused;
  const isToken = contract !== null;
  const leftRaw = state.nativeRaw - (isToken ? 0n : asked.toRaw(currency.decimals));
  const missing = [
    ...isShort ? [`${asked.minus(held)} ${symbol}`] : [],
    ...await feesMissing(deps, { network, isToken, leftRaw: leftRaw < 0n ? 0n : leftRaw }),
  ];
  const remedy = missing.length === 0 ? undefined : sendTo(wallet, missing.join(" and "));
  if (!isShort) return new CannotPay(refused.message, "coins", remedy);
  return new CannotPay(
    `The hot wallet has ${held} ${symbol}, and ${asked} ${symbol} are to be paid`,
    isToken ? "tokens" : "coins",
    remedy,
  );
}

/** Nothing if the wallet has enough, or the gas wallet sends them. */
async function feesMissing(
  deps: Deps,
  { network, leftRaw, ...payment }: { network: NetworkRow; isToken: boolean; leftRaw: bigint },
): Promise<string[]> {
  if (isFilled(network)) return [];
  const { nativeSymbol: symbol } = network;
  const costRaw = await usualCostOf(deps, { network, ...payment, waitMs: PRICE_MS }) ?? 0n;
  // What is signed may cost more than what it takes now.
  const missingRaw = 2n * costRaw - leftRaw;
  if (missingRaw > 0n) {
    return [`about ${nativeAmount(network, roughly(missingRaw))} ${symbol} for fees`];
  }
  return leftRaw === 0n ? [`some ${symbol} for fees`] : [];
}

/** Undefined if the node doesn't answer now; the refusal stays. */
async function stateOf(
  deps: Deps,
  { network, wallet, contract }: Pick<RefusedPayment, "network" | "wallet"> & {
    contract: string | null;
  },
): Promise<WalletState | undefined> {
  try {
    const chain = deps.chains.of(network);
    return await chain.walletState(wallet.address, contract === null ? [] : [contract]);
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    return undefined;
  }
}
