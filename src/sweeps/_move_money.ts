import { booksAt } from "../books/address_books.ts";
import type { SweepReason } from "../books/move_sweep.ts";
import type { PreparedTransfer, TransferRefused } from "../chains/transfer.ts";
import { Transactions } from "../deposits/tables/transactions.ts";
import type { Deps } from "../deps/deps.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import { read, readAll } from "../store/engine/workspace.ts";
import type { Sweeping } from "./_sweeping.ts";
import { claimSweep } from "./batches.ts";
import { dustWaitMs, LATER_MS, SOON_MS } from "./_waits.ts";
import { parkSweep, postpone } from "./steps.ts";
import { Sweeps } from "./table.ts";
import { preflightDrain, preflightTransfer } from "../transfers/preflight.ts";
import { topUpOnItsWay } from "../transfers/reads/claims.ts";
import { topUpsOfSweep } from "../transfers/reads/transfers.ts";
import { sendTransfer } from "../transfers/send.ts";
import { signTransfer } from "../transfers/sign.ts";
import { paying } from "../transfers/table.ts";
import { topUp } from "../transfers/top_up.ts";

/** A sweep may cost a quarter of what it moves; below that it waits for more deposits or lower fees. */
const WORTH_TIMES_COST = 4n;

const ON_ITS_WAY_MS = 15_000;
const TOP_UPS_PER_SWEEP_MAX = 5;

/** Signs the transfer if it is possible and worth its price now, or sends gas for it. */
export async function moveMoney(deps: Deps, sweeping: Sweeping): Promise<void> {
  const contract = sweeping.currency.contractAddress;
  if (contract === null) return await moveCoins(deps, sweeping);
  await moveTokens(deps, { ...sweeping, contract });
}

/** Coins pay their own fee. */
async function moveCoins(deps: Deps, sweeping: Sweeping): Promise<void> {
  const { network, chain, sweep, currency, address, to, amount } = sweeping;
  const { nativeRaw } = await chain.walletState(address.address, []);
  const amountMaxRaw = amount.toRaw(currency.decimals);
  const request = { from: address.address, to, amountMaxRaw, spendableRaw: nativeRaw };
  const preflight = await preflightDrain(deps, { network, chain, request });
  if (preflight.kind === "refused") {
    const forMs = dustWaitMs(deps, sweep);
    return await waitAfter(deps, { sweeping, refused: preflight, forMs });
  }
  if (!isWorthIt(sweeping, preflight.prepared)) {
    return await waitForPrice(deps, sweeping, `moving ${amount} would cost too much of it now`);
  }
  await signSweep(deps, { sweeping, prepared: preflight.prepared });
}

/** Tokens need coins for gas: enough for the transfer at current prices, and a bit more. */
async function moveTokens(deps: Deps, sweeping: Sweeping & { contract: string }): Promise<void> {
  const { network, chain, address, to, amount, contract } = sweeping;
  const { nativeRaw, tokensRaw } = await chain.walletState(address.address, [contract]);
  const amountRaw = await movableRaw(deps, sweeping, tokensRaw.get(contract) ?? 0n);
  if (amountRaw === undefined) return;
  const request = { from: address.address, to, contract, amountRaw };
  const preflight = await preflightTransfer(deps, { network, chain, request });
  if (preflight.kind === "refused") {
    return await waitAfter(deps, { sweeping, refused: preflight, forMs: SOON_MS });
  }
  const { prepared } = preflight;
  if (!isWorthIt(sweeping, prepared)) {
    return await waitForPrice(deps, sweeping, `moving ${amount} would cost too much now`);
  }
  const neededRaw = prepared.nativeCostMaxRaw;
  if (nativeRaw >= neededRaw) return await signSweep(deps, { sweeping, prepared });
  await sendGas(deps, { sweeping, neededRaw, nativeRaw });
}

/** Undefined if the tokens aren't there; then the sweep waits or is parked. */
async function movableRaw(
  deps: Deps,
  sweeping: Sweeping & { contract: string },
  heldRaw: bigint,
): Promise<bigint | undefined> {
  const { sweep, currency: { decimals }, address, amount } = sweeping;
  const amountRaw = amount.toRaw(decimals);
  const dueRaw = heldRaw < amountRaw ? await unmovedRaw(deps, sweeping) : amountRaw;
  if (dueRaw <= 0n) {
    const reason = `an earlier sweep has moved ${amount}`;
    await postpone(deps, { sweep, code: "moved_before", reason, forMs: LATER_MS });
    return undefined;
  }
  if (heldRaw >= dueRaw) return dueRaw;
  const held = Amount.fromRaw(heldRaw, { asset: amount.asset, decimals });
  const reason = `${address.address} holds ${held}, its deposits came to ${amount}`;
  await parkSecondTime(deps, sweeping, { code: "tokens_missing", reason });
  return undefined;
}

async function waitAfter(
  deps: Deps,
  { sweeping, refused: { cause, reason }, forMs }: {
    sweeping: Sweeping;
    refused: TransferRefused;
    forMs: number;
  },
): Promise<void> {
  const { sweep } = sweeping;
  if (cause === "reverts") return await parkSecondTime(deps, sweeping, { code: cause, reason });
  await postpone(deps, { sweep, code: "refused", reason, forMs });
}

async function waitForPrice(deps: Deps, { sweep }: Sweeping, reason: string): Promise<void> {
  const forMs = dustWaitMs(deps, sweep);
  await postpone(deps, { sweep, code: "not_worth_it", reason, forMs });
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

/**
 * Gas for a token sweep, somewhat more than needed now, because its price may rise before the sweep
 * is signed.
 */
async function sendGas(
  deps: Deps,
  { sweeping, neededRaw, nativeRaw }: { sweeping: Sweeping; neededRaw: bigint; nativeRaw: bigint },
): Promise<void> {
  const { network, chain, sweep, address, deposits } = sweeping;
  if (await topUpOnItsWay(deps.db, { network: network.code, address: address.address })) {
    const reason = "gas is on its way to the address";
    return await postpone(deps, { sweep, code: "gas_on_its_way", reason, forMs: ON_ITS_WAY_MS });
  }
  if (await topUpsOfSweep(deps.db, sweep.id) >= TOP_UPS_PER_SWEEP_MAX) {
    const reason = `${TOP_UPS_PER_SWEEP_MAX} gas top-ups were not enough: the price outruns them`;
    return await parkSweep(deps, sweeping, { code: "gas_not_enough", reason });
  }
  const amountRaw = neededRaw * 13n / 10n - nativeRaw;
  const target = { accountId: sweep.accountId, address: address.address };
  await topUp(deps, { network, chain, target, amountRaw, owner: { sweep, deposits } });
}

/** Signs and saves the transfer, the sweep's step and the account's row in one unit; then sends it. */
async function signSweep(
  deps: Deps,
  { sweeping, prepared }: { sweeping: Sweeping; prepared: PreparedTransfer },
): Promise<void> {
  const { network, chain, sweep, address, deposits, orphans } = sweeping;
  const { tx } = await signTransfer(deps, {
    network,
    wallet: address,
    chain,
    prepared,
    payments: [{ purpose: "sweep", sweepId: sweep.id }],
    reads: [
      read(Sweeps, [sweep.id]),
      ...readAll(Transactions, [...deposits, ...orphans].map(({ id }) => [id])),
    ],
    claim: (view, signed) =>
      claimSweep(view, { sweeping, ...paying(signed), nowMs: deps.clock.nowMs() }),
  });
  const result = await sendTransfer(deps, { chain, tx });
  const fields = { sweep_id: sweep.id, network: network.code, tx_hash: tx.txHash, result };
  deps.log.info("deposits swept", fields);
}

/** Always, if the currency's value is unknown. */
function isWorthIt(
  { network, currency, amount }: Pick<Sweeping, "network" | "currency" | "amount">,
  { feeAtMostRaw }: PreparedTransfer,
): boolean {
  const native = {
    asset: assetOf({ network: network.code, currency: network.nativeSymbol }),
    decimals: network.nativeDecimals,
  };
  const rate = currency.contractAddress === null ? "1" : currency.nativeRate;
  if (rate === null) return true;
  const cost = Amount.fromRaw(feeAtMostRaw * WORTH_TIMES_COST, native);
  const worth = amount.convertedBy(rate, native.asset);
  return !worth.isLessThan(cost);
}
