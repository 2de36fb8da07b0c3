import { present } from "../../base/assert.ts";
import { NodeError } from "../../chains/faults.ts";
import type { PreparedTransfer } from "../../chains/transfer.ts";
import { Amount, assetOf } from "../../domain/money/amount.ts";
import { type NetworkRow, ReceivingWallets } from "../../store/tables/setup.ts";
import { type SweepRow, Sweeps } from "../../store/tables/sweeps.ts";
import { type TransactionRow, Transactions } from "../../store/tables/transactions.ts";
import { depositsOfSweep, dueSweeps } from "../../store/reads/sweeps.ts";
import { Addresses } from "../../store/tables/addresses.ts";
import { read, readAll } from "../../store/engine/workspace.ts";
import { booksAt } from "../books/address_books.ts";
import { CannotPay } from "../books/cannot_pay.ts";
import { cursorOf } from "../books/find.ts";
import { moveSweep, releaseDeposits, type SweepReason } from "../books/move_sweep.ts";
import { insertOutgoing } from "../books/transaction_rows.ts";
import { preflightDrain, preflightTransfer } from "../transfers/preflight.ts";
import { sendTransfer } from "../transfers/send.ts";
import { AlreadyMoved } from "../transfers/save_signed.ts";
import { signTransfer } from "../transfers/sign.ts";
import { endSweep, parkSweep, postpone } from "./steps.ts";
import { sendGas } from "./_send_gas.ts";
import { isStopped, SigningPaused } from "../books/stopped.ts";
import { whyWait } from "./_why_wait.ts";
import { isWorthIt } from "./_worth.ts";
import type { Sweeping } from "./_sweeping.ts";
import { assignSweeps, takeAlong } from "./assign.ts";
import type { Deps } from "../deps.ts";

const SWEEPS_PER_STEP_MAX = 20;
const SOON_MS = 30_000;
const LATER_MS = 600_000;
const DUST_MAX_MS = 6 * 3_600_000;
const DUST_WAITS_OF_ITS_AGE = 8;

/** Takes every due sweep one step further. None delays another. */
export async function sweepDeposits(deps: Deps, network: NetworkRow): Promise<number> {
  const [{ haltedReason }, isWaiting] = await Promise.all([
    cursorOf(deps, network),
    isStopped(deps),
  ]);
  if (haltedReason !== null || isWaiting) return 0;
  await assignSweeps(deps, network);
  const due = await dueSweeps(deps.db, {
    network: network.code,
    nowMs: deps.clock.nowMs(),
    limit: SWEEPS_PER_STEP_MAX,
  });
  for (const sweep of due) {
    try {
      await takeOn(deps, { network, sweep });
    } catch (error) {
      if (error instanceof AlreadyMoved || error instanceof SigningPaused) continue;
      if (!(error instanceof NodeError || error instanceof CannotPay)) throw error;
      const code = error instanceof CannotPay ? "refused" : "not_answered";
      await postpone(deps, { sweep, code, reason: error.message, forMs: SOON_MS });
    }
  }
  return due.length;
}

async function takeOn(
  deps: Deps,
  { network, sweep }: { network: NetworkRow; sweep: SweepRow },
): Promise<void> {
  const catalog = await deps.catalog.current();
  const currency = present(catalog.currency(network.code, sweep.currency), "Currencies stay");
  const address = await deps.db.get(Addresses, [sweep.addressId]);
  const wallet = await deps.db.find(ReceivingWallets, [sweep.accountId, network.code]);
  const known = await depositsOfSweep(deps.db, sweep.id);
  const assigned = await takeAlong(deps, { sweep, assigned: known });
  const deposits = assigned.filter(isSweepable);
  const orphans = assigned.filter((row) => !isSweepable(row));
  // The deposits it was made for have left the chain; dust waits for the next one.
  if (deposits.every(({ isBelowMinimum }) => isBelowMinimum)) {
    return await endSweep(deps, { sweep, deposits: assigned });
  }
  const wait = (why: SweepReason) => postpone(deps, { sweep, ...why, forMs: LATER_MS });
  if (!wallet) {
    const reason = "the account has no receiving wallet";
    return await wait({ code: "no_receiving_wallet", reason });
  }
  const zero = Amount.zero(assetOf(sweep));
  const amount = deposits.reduce((sum, row) => sum.plus(Amount.parse(row.amount, sum.asset)), zero);
  const why = await whyWait(deps, { sweep, currency, address, wallet, amount });
  if (why) return await wait(why);
  const chain = deps.chains.of(network);
  const sweeping = {
    network,
    chain,
    sweep,
    currency,
    address,
    to: wallet.address,
    deposits,
    orphans,
    amount,
  };
  if (currency.contractAddress === null) return await sweepCoins(deps, sweeping);
  await sweepTokens(deps, { ...sweeping, contract: currency.contractAddress });
}

/** Each look costs several node requests, so old dust is looked at rarely. */
function dustWaitMs({ clock }: Deps, { createdAtMs }: SweepRow): number {
  const ageMs = clock.nowMs() - createdAtMs;
  return Math.min(Math.max(LATER_MS, ageMs / DUST_WAITS_OF_ITS_AGE), DUST_MAX_MS);
}

/** False for deposits that a reorganisation has removed. */
function isSweepable({ status, blockHash }: TransactionRow): boolean {
  return (status === "confirmed" || status === "sweep_pending") && blockHash !== null;
}

/** Coins pay their own fee. */
async function sweepCoins(deps: Deps, sweeping: Sweeping): Promise<void> {
  const { network, chain, sweep, currency, address, to, amount } = sweeping;
  const { nativeRaw } = await chain.walletState(address.address, []);
  const amountMaxRaw = amount.toRaw(currency.decimals);
  const request = { from: address.address, to, amountMaxRaw, spendableRaw: nativeRaw };
  const preflight = await preflightDrain(deps, { network, chain, request });
  if (preflight.kind === "refused") {
    if (preflight.cause === "reverts") {
      return await parkSecondTime(deps, sweeping, { code: "reverts", reason: preflight.reason });
    }
    return await postpone(deps, {
      sweep,
      code: "refused",
      reason: preflight.reason,
      forMs: dustWaitMs(deps, sweep),
    });
  }
  if (!isWorthIt(sweeping, preflight.prepared)) {
    const reason = `moving ${amount} would cost too much of it now`;
    return await postpone(deps, {
      sweep,
      code: "not_worth_it",
      reason,
      forMs: dustWaitMs(deps, sweep),
    });
  }
  await signAndSend(deps, sweeping, preflight.prepared);
}

/** Tokens need coins for gas: enough for the transfer at current prices, and a bit more. */
async function sweepTokens(
  deps: Deps,
  sweeping: Sweeping & { contract: string },
): Promise<void> {
  const { network, chain, sweep, currency, address, to, amount, contract } = sweeping;
  const amountRaw = amount.toRaw(currency.decimals);
  const { nativeRaw, tokensRaw } = await chain.walletState(address.address, [contract]);
  const heldRaw = tokensRaw.get(contract) ?? 0n;
  const dueRaw = heldRaw < amountRaw ? await unmovedRaw(deps, sweeping) : amountRaw;
  if (dueRaw <= 0n) {
    const reason = `an earlier sweep has moved ${amount}`;
    return await postpone(deps, { sweep, code: "moved_before", reason, forMs: LATER_MS });
  }
  if (heldRaw < dueRaw) {
    const held = Amount.fromRaw(heldRaw, { asset: amount.asset, decimals: currency.decimals });
    const reason = `${address.address} holds ${held}, its deposits came to ${amount}`;
    return await parkSecondTime(deps, sweeping, { code: "tokens_missing", reason });
  }
  const request = { from: address.address, to, contract, amountRaw: dueRaw };
  const preflight = await preflightTransfer(deps, { network, chain, request });
  if (preflight.kind === "refused") {
    if (preflight.cause === "reverts") {
      return await parkSecondTime(deps, sweeping, { code: "reverts", reason: preflight.reason });
    }
    return await postpone(deps, {
      sweep,
      code: "refused",
      reason: preflight.reason,
      forMs: SOON_MS,
    });
  }
  const { prepared } = preflight;
  if (!isWorthIt(sweeping, prepared)) {
    const reason = `moving ${amount} would cost too much now`;
    return await postpone(deps, {
      sweep,
      code: "not_worth_it",
      reason,
      forMs: dustWaitMs(deps, sweep),
    });
  }
  if (nativeRaw >= prepared.nativeCostMaxRaw) return await signAndSend(deps, sweeping, prepared);
  await sendGas(deps, { sweeping, neededRaw: prepared.nativeCostMaxRaw, nativeRaw });
}

/**
 * According to the books, a deposit that was swept, taken back and mined again has already been
 * moved.
 */
async function unmovedRaw(
  deps: Deps,
  { network, address, amount, currency, contract }: Sweeping & { contract: string },
): Promise<bigint> {
  const { addresses } = await booksAt(deps, { network: network.code, pick: { ids: [address.id] } });
  const bookedRaw = addresses[0]?.books.get(contract)?.creditedRaw ?? 0n;
  const amountRaw = amount.toRaw(currency.decimals);
  return bookedRaw < amountRaw ? bookedRaw : amountRaw;
}

/** A lagging node may be wrong once, so the sweep is parked only when the same reason comes again. */
async function parkSecondTime(deps: Deps, sweeping: Sweeping, why: SweepReason): Promise<void> {
  const { sweep } = sweeping;
  if (sweep.code === why.code) return await parkSweep(deps, sweeping, why);
  await postpone(deps, { sweep, ...why, forMs: SOON_MS });
}

async function signAndSend(
  deps: Deps,
  sweeping: Sweeping,
  prepared: PreparedTransfer,
): Promise<void> {
  const { network, chain, sweep, currency, address, to, deposits, orphans } = sweeping;
  const { amountRaw } = prepared.request;
  const unit = { asset: assetOf(sweep), decimals: currency.decimals };
  const transfer = await signTransfer(deps, {
    network,
    wallet: address,
    chain,
    prepared,
    purpose: "sweep",
    sweepId: sweep.id,
    reads: [
      read(Sweeps, [sweep.id]),
      ...readAll(Transactions, [...deposits, ...orphans].map(({ id }) => [id])),
    ],
    claim: (view, saved) => {
      const current = deposits.map(({ id }) => view.get(Transactions, [id]));
      const nowMs = deps.clock.nowMs();
      const step = { id: sweep.id, trigger: "signed", deposits: current, nowMs } as const;
      if (!current.every(isSweepable) || !moveSweep(view, step)) throw new AlreadyMoved();
      releaseDeposits(view, { deposits: orphans, nowMs });
      insertOutgoing(view, {
        transfer: saved,
        row: {
          accountId: sweep.accountId,
          currency: currency.symbol,
          direction: "sweep",
          toAddress: to,
          amount: Amount.fromRaw(amountRaw, unit).toString(),
          nowMs,
        },
      });
    },
  });
  const result = await sendTransfer(deps, { chain, transfer });
  const fields = { sweep_id: sweep.id, network: network.code, tx_hash: transfer.txHash, result };
  deps.log.info("deposits swept", fields);
}
