import type { TransferRefused } from "../chains/transfer.ts";
import { Amount } from "../domain/money/amount.ts";
import { booksAt } from "../books/address_books.ts";
import type { SweepReason } from "../books/move_sweep.ts";
import { preflightDrain, preflightTransfer } from "../transfers/preflight.ts";
import { parkSweep, postpone } from "./steps.ts";
import { sendGas } from "./_send_gas.ts";
import { signSweep } from "./_sign_sweep.ts";
import type { Sweeping } from "./_sweeping.ts";
import { dustWaitMs, LATER_MS, SOON_MS } from "./_waits.ts";
import { isWorthIt } from "./_worth.ts";
import type { Deps } from "../deps/deps.ts";

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
