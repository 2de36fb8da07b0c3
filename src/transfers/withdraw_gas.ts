import { receivingAddress } from "../accounts/manage_accounts.ts";
import { insertNotice } from "../books/alerts.ts";
import { findNetwork } from "../books/find.ts";
import { recordAudit } from "../books/records.ts";
import { genuine } from "../books/tampered.ts";
import type { Chain } from "../chains/chain.ts";
import type { PreparedTransfer } from "../chains/transfer.ts";
import { type Guard, guardOf } from "../control/guard.ts";
import { type By, guarded } from "../control/guarded.ts";
import type { Deps } from "../deps/deps.ts";
import { CannotPay, refusedBy } from "../domain/cannot_pay.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import type { NetworkRow } from "../networks/table.ts";
import { read } from "../store/engine/workspace.ts";
import { Commitments } from "../wallets/funds.ts";
import { gasWalletOf } from "../wallets/reads/addresses.ts";
import { Addresses, type AddressRow } from "../wallets/tables/addresses.ts";
import { refuseHalted } from "./check_halted.ts";
import { placesOf } from "./places.ts";
import { preflightTransfer } from "./preflight.ts";
import { nativeAmount } from "./price.ts";
import { withdrawGasClaim } from "./rules/claims.ts";
import { AlreadyMoved } from "./save_signed.ts";
import { sendTransfer } from "./send.ts";
import { signTransfer } from "./sign.ts";
import { Claims, SignedTransactions } from "./table.ts";

/** Of the fee at most, when everything is taken: later bids for the same nonce cost more. */
const FEES_LEFT = 3n;

interface GasWithdrawal {
  readonly network: string;
  /** As it was typed. */
  readonly to: string;
  /** Coins, or all that nothing else needs. */
  readonly amount: string;
}

export interface GasWithdrawn {
  readonly network: string;
  readonly from: string;
  readonly to: string;
  readonly amount: string;
  readonly txHash: string;
}

export const ALL = "all";

export const gasWithdraw = guarded({
  kind: "gas_wallet.withdraw",
  ability: null,
  sentence: ({ network, to, amount }: GasWithdrawal) =>
    `take ${amount} coins out of the gas wallet of ${network}, to ${to}`,
  run: (deps, wanted, how) => withdrawGas(deps, { ...wanted, ...how }),
});

/**
 * Moves the operator's own coins out of the gas wallet. It pays nobody in the books, so like a stake
 * it is a transaction without payments; what it has signed for others stays covered.
 */
async function withdrawGas(
  deps: Deps,
  { mandate, actor, ...wanted }: GasWithdrawal & By,
): Promise<GasWithdrawn> {
  const network = await findNetwork(deps, wanted.network);
  const { code } = network;
  const to = await receivingAddress(deps, network, wanted.to);
  const wallet = await gasWalletOf(deps.db, code);
  if (!wallet) throw refuse("gas_wallet_missing", { code });
  await genuine(deps, Addresses, [wallet]);
  refuseHalted(wallet);
  const { address: from } = wallet;
  const { claim } = withdrawGasClaim(from);
  await checkNoneUnderWay(deps, { code, claim });
  const guard = await guardOf(deps, { accountId: null, mandate });
  const change = {
    isLooser: true,
    before: null,
    after: { network: code, to, amount: wanted.amount },
  };
  // Nothing is even signed before somebody else has approved it.
  if (!mandate) await mustPass(deps, { guard, change });
  const chain = deps.chains.of(network);
  try {
    const prepared = await prepare(deps, { network, chain, wallet, to, amount: wanted.amount });
    const amount = nativeAmount(network, prepared.request.amountRaw).toString();
    const { tx } = await signTransfer(deps, {
      network,
      wallet,
      chain,
      prepared: { ...prepared, claims: [withdrawGasClaim(from)] },
      payments: [],
      reads: [...guard.reads, read(Addresses, [code, to], "address")],
      claim: (view, { tx: { txHash } }) => {
        // It may have become one of ours since, and would be booked as a deposit.
        const own = view.find(Addresses, [code, to], "address");
        if (own) throw refuse("address_our_own", { address: to, purpose: own.purpose });
        guard.pass(view, change);
        const { nowMs } = view;
        const subject = `network:${code}`;
        const detail = { from, to, amount, tx_hash: txHash };
        recordAudit(view, { actor, action: "network.gas_withdrawn", subject, detail, nowMs });
        const title =
          `Check that it was you: ${amount} ${network.nativeSymbol} were taken out of the gas wallet of ${code}`;
        insertNotice(view, { topic: "security", title, text: `To ${to}, by ${txHash}.`, nowMs });
      },
    });
    await sendTransfer(deps, { chain, tx });
    return { network: code, from, to, amount, txHash: tx.txHash };
  } catch (error) {
    // Of several who ask at once, one is first.
    if (error instanceof AlreadyMoved) await checkNoneUnderWay(deps, { code, claim });
    if (!(error instanceof CannotPay || error instanceof AlreadyMoved)) throw error;
    throw refuse("gas_not_withdrawn", { code, why: error.message, cause: error });
  }
}

/** Somebody who asks again because nothing is seen yet would move twice as much. */
async function checkNoneUnderWay(
  { db }: Deps,
  { code, claim }: { code: string; claim: string },
): Promise<void> {
  const held = await db.find(Claims, [code, claim], "live");
  if (!held) return;
  const { txHash } = await db.get(SignedTransactions, [held.signedId]);
  throw refuse("gas_on_its_way", { txHash });
}

async function mustPass(
  { db }: Deps,
  { guard, change }: { guard: Guard; change: Parameters<Guard["pass"]>[1] },
): Promise<void> {
  await db.write({ reads: guard.reads, decide: (view) => guard.pass(view, change) });
}

interface Moving {
  readonly network: NetworkRow;
  readonly chain: Chain;
  readonly wallet: AddressRow;
  readonly to: string;
  readonly amount: string;
}

async function prepare(deps: Deps, moving: Moving): Promise<PreparedTransfer> {
  const { network, amount } = moving;
  const { nativeDecimals, nativeSymbol } = network;
  const freeRaw = await freeOf(deps, moving);
  const amountRaw = amount === ALL
    ? freeRaw - (await prepareFor(deps, moving, 1n)).feeAtMostRaw * FEES_LEFT
    : nativeAmount(network, amount).toRaw(nativeDecimals);
  if (amountRaw > 0n && amountRaw < freeRaw) return await prepareFor(deps, moving, amountRaw);
  const free = nativeAmount(network, freeRaw > 0n ? freeRaw : 0n);
  throw new CannotPay(`${free} ${nativeSymbol} can be taken out, less the fee`);
}

async function prepareFor(
  deps: Deps,
  { network, chain, wallet: { address: from }, to }: Moving,
  amountRaw: bigint,
): Promise<PreparedTransfer> {
  const request = { from, to, contract: null, amountRaw };
  const preflight = await preflightTransfer(deps, { network, chain, request });
  if (preflight.kind === "refused") throw refusedBy(preflight);
  return preflight.prepared;
}

/** What is signed already may still take its part. */
async function freeOf(deps: Deps, { network, chain, wallet }: Moving): Promise<bigint> {
  const state = await chain.walletState(wallet.address, []);
  const signing = { network, wallet, chain, state, prepared: [] };
  const commitments = new Commitments(await placesOf(network).underWay(deps.db, signing));
  return state.nativeRaw - commitments.of(null);
}
