import { present } from "../base/assert.ts";
import { recordAudit } from "../books/records.ts";
import { isStopped } from "../books/stopped.ts";
import { genuine } from "../books/tampered.ts";
import type { Chain } from "../chains/chain.ts";
import type { ChainEnergy } from "../chains/energy.ts";
import { NodeError } from "../chains/faults.ts";
import type { PreparedTransfer } from "../chains/transfer.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { CannotPay, refusedBy } from "../domain/cannot_pay.ts";
import type { Stake } from "../domain/energy.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import type { NetworkRow } from "../networks/table.ts";
import { refuseHalted } from "../transfers/check_halted.ts";
import { preflightUpkeep } from "../transfers/preflight.ts";
import { nativeAmount } from "../transfers/price.ts";
import { stakeClaim } from "../transfers/rules/claims.ts";
import { AlreadyMoved } from "../transfers/save_signed.ts";
import { sendTransfer } from "../transfers/send.ts";
import { signTransfer } from "../transfers/sign.ts";
import { Claims, type SignedTransactionRow, SignedTransactions } from "../transfers/table.ts";
import { gasWalletOf } from "../wallets/reads/addresses.ts";
import { Addresses, type AddressRow } from "../wallets/tables/addresses.ts";
import { lastChangeOf } from "./reads.ts";
import { stakeRaw, unstakeRaw } from "./rules/stakes.ts";

export type StakeKind = "stake" | "unstake";

type StakeDeed = "network.staked" | "network.unstaked" | "network.unstaked_back";

interface Changing {
  readonly network: NetworkRow;
  readonly chain: Chain;
  readonly wallet: AddressRow;
  readonly kind: StakeKind;
  readonly amount: string;
  readonly prepared: PreparedTransfer;
  /** As it is before. */
  readonly stake: Stake;
  /** What changed it last. */
  readonly lastChange: number | null;
  readonly amountRaw: bigint;
  readonly unstakingDays: number;
}

export function energyOn(
  deps: Deps,
  network: NetworkRow,
): { readonly chain: Chain; readonly energy: ChainEnergy } {
  const chain = deps.chains.of(network);
  if (!chain.energy) throw refuse("no_energy", { network: network.code });
  return { chain, energy: chain.energy };
}

/** Nothing is signed or sent. */
export async function planStake(
  deps: Deps,
  { network, kind, amount }: {
    readonly network: NetworkRow;
    readonly kind: StakeKind;
    readonly amount: string;
  },
): Promise<Changing> {
  const { chain, energy } = energyOn(deps, network);
  const wallet = present(await gasWalletOf(deps.db, network.code), "It was made for this command");
  await genuine(deps, Addresses, [wallet]);
  refuseHalted(wallet);
  const { address } = wallet;
  const lastChange = await lastChangeOf(deps.db, wallet);
  await checkNoneUnderWay(deps, wallet);
  const [stake, unstakingDays, { nativeRaw: balanceRaw }, feeRaw] = await Promise.all([
    energy.stakeOf(address),
    energy.unstakingDays(),
    chain.walletState(address, []),
    chain.costNow(0n),
  ]);
  const coin = { symbol: network.nativeSymbol, decimals: network.nativeDecimals };
  const amountRaw = kind === "stake"
    ? stakeRaw(amount, { coin, address, balanceRaw, feeRaw })
    : unstakeRaw(amount, { coin, stake, nowMs: deps.clock.nowMs() });
  const order = { kind, from: address, to: null, amountRaw };
  const preflight = await preflightUpkeep(deps, {
    network,
    chain,
    prepare: (price) => energy.prepareStake(order, price),
  });
  if (preflight.kind === "refused") {
    throw refuse("stake_refused", { network: network.code, why: refusedBy(preflight).message });
  }
  const { prepared } = preflight;
  return {
    ...{ network, chain, wallet, kind, amount, prepared },
    ...{ stake, lastChange, amountRaw, unstakingDays },
  };
}

/** Somebody who asks again because nothing is seen yet would stake twice as much. */
async function checkNoneUnderWay(deps: Deps, wallet: AddressRow): Promise<void> {
  const tx = await underWay(deps, wallet);
  if (tx) throw refuse("stake_on_its_way", { txHash: tx.txHash });
}

async function underWay(
  { db }: Deps,
  { network, address }: AddressRow,
): Promise<SignedTransactionRow | undefined> {
  const held = await db.find(Claims, [network, stakeClaim(address).claim], "live");
  return held && await db.get(SignedTransactions, [held.signedId]);
}

/** Answered with the transaction's hash. */
export async function changeStake(
  deps: Deps,
  { changing, actor }: { changing: Changing; actor: Actor },
): Promise<string> {
  const { network, wallet, kind, amount, lastChange } = changing;
  await checkNoneUnderWay(deps, wallet);
  // What was confirmed would come on top of it.
  if (await lastChangeOf(deps.db, wallet) !== lastChange) throw refuse("stake_changed", { amount });
  try {
    const action = kind === "stake" ? "network.staked" : "network.unstaked";
    return await signStake(deps, { ...changing, action, detail: { amount }, actor });
  } catch (error) {
    if (error instanceof AlreadyMoved) throw refuse("stake_changed", { amount });
    if (!(error instanceof CannotPay)) throw error;
    throw refuse("stake_refused", { network: network.code, why: error.message, cause: error });
  }
}

/** Saved before it is sent. */
async function signStake(
  deps: Deps,
  { network, chain, wallet, prepared, action, detail, actor }:
    & Pick<Changing, "network" | "chain" | "wallet" | "prepared">
    & { action: StakeDeed; detail: Readonly<Record<string, string>>; actor: Actor },
): Promise<string> {
  const claims = [stakeClaim(wallet.address)];
  const { tx } = await signTransfer(deps, {
    network,
    wallet,
    chain,
    prepared: { ...prepared, claims },
    payments: [],
    claim: (view, { tx: { txHash } }) => {
      const subject = `network:${network.code}`;
      const nowMs = deps.clock.nowMs();
      recordAudit(view, { actor, action, subject, detail: { ...detail, tx_hash: txHash }, nowMs });
    },
  });
  await sendTransfer(deps, { chain, tx });
  return tx.txHash;
}

const LOOKED_EVERY_MS = 3_600_000;

/** Coins that were unstaked long enough ago are the gas wallet's again once it asks for them. */
export async function takeUnstakedBack(
  deps: Deps,
  { network }: { network: NetworkRow },
): Promise<void> {
  try {
    await takeBack(deps, network);
  } catch (error) {
    const isLater = error instanceof NodeError || error instanceof CannotPay ||
      error instanceof AlreadyMoved;
    if (!isLater) throw error;
    const fields = { network: network.code, error: error.message };
    deps.log.warn("unstaked coins not taken back", fields);
  }
}

async function takeBack(deps: Deps, network: NetworkRow): Promise<void> {
  const { clock, memory } = deps;
  const chain = deps.chains.of(network);
  const { energy } = chain;
  const nowMs = clock.nowMs();
  const seenAtMs = memory.stakeSeenAtMs.get(network.code);
  const isEarly = seenAtMs !== undefined && nowMs < seenAtMs + LOOKED_EVERY_MS;
  if (!energy || isEarly || await isStopped(deps)) return;
  const wallet = await gasWalletOf(deps.db, network.code);
  if (!wallet || wallet.haltedReason !== null) return;
  await genuine(deps, Addresses, [wallet]);
  const { unstaking } = await energy.stakeOf(wallet.address);
  memory.stakeSeenAtMs.set(network.code, nowMs);
  const back = unstaking.filter(({ collectableAtMs }) => collectableAtMs <= nowMs);
  if (back.length === 0 || await underWay(deps, wallet)) return;
  const order = { kind: "collect", from: wallet.address, to: null, amountRaw: 0n } as const;
  const preflight = await preflightUpkeep(deps, {
    network,
    chain,
    prepare: (price) => energy.prepareStake(order, price),
  });
  if (preflight.kind === "refused") throw refusedBy(preflight);
  const amountRaw = back.reduce((sum, part) => sum + part.amountRaw, 0n);
  await signStake(deps, {
    ...{ network, chain, wallet, prepared: preflight.prepared, actor: "worker" },
    action: "network.unstaked_back",
    detail: { amount: nativeAmount(network, amountRaw).toString() },
  });
}
