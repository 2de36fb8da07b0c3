import { allDone } from "../base/waiting/all_done.ts";
import { genuine } from "../books/tampered.ts";
import { isStopped } from "../books/stopped.ts";
import type { Chain } from "../chains/chain.ts";
import type { ChainEnergy } from "../chains/energy.ts";
import { NodeError } from "../chains/faults.ts";
import type { PreparedTransfer } from "../chains/transfer.ts";
import type { Deps } from "../deps/deps.ts";
import { CannotPay, refusedBy } from "../domain/cannot_pay.ts";
import type { Loan } from "../domain/energy.ts";
import { loansToTakeBack } from "../domain/energy_loans.ts";
import type { NetworkRow } from "../networks/table.ts";
import { UniqueConflict } from "../store/engine/workspace.ts";
import { checkNotHalted } from "../transfers/check_halted.ts";
import { preflightUpkeep } from "../transfers/preflight.ts";
import { gasClaim } from "../transfers/rules/claims.ts";
import { sendTransfer } from "../transfers/send.ts";
import { signTransfer } from "../transfers/sign.ts";
import type { SignedTransactionRow } from "../transfers/table.ts";
import { gasWalletOf } from "../wallets/reads/addresses.ts";
import { Addresses, type AddressRow } from "../wallets/tables/addresses.ts";
import { addressesInNeed, depositAddressesAmong } from "./reads.ts";

/** Signed and saved, to be sent with others. An address is lent or sent something once at a time. */
export async function lendEnergy(
  deps: Deps,
  { network, chain, address: { address }, loan }: {
    readonly network: NetworkRow;
    readonly chain: Chain;
    readonly address: AddressRow;
    readonly loan: PreparedTransfer;
  },
): Promise<SignedTransactionRow> {
  const wallet = await gasWalletOf(deps.db, network.code);
  if (!wallet) throw new CannotPay("There is no gas wallet");
  checkNotHalted(wallet);
  deps.memory.loansSeenAtMs.delete(network.code);
  const prepared = { ...loan, claims: [gasClaim(address)] };
  const { tx } = await signTransfer(deps, { network, wallet, chain, prepared, payments: [] });
  return tx;
}

const LOOKED_EVERY_MS = 3_600_000;
const LOANS_PER_ROUND_MAX = 50;

/**
 * What deposit addresses no longer need. The chain says what is lent to them, so that a loan that
 * nobody here remembers comes back too.
 */
export async function takeLoansBack(
  deps: Deps,
  { network }: { network: NetworkRow },
): Promise<void> {
  const { memory: { loansSeenAtMs }, clock } = deps;
  const chain = deps.chains.of(network);
  const { energy } = chain;
  const seenAtMs = loansSeenAtMs.get(network.code);
  const isEarly = seenAtMs !== undefined && clock.nowMs() < seenAtMs + LOOKED_EVERY_MS;
  if (!energy || isEarly || await isStopped(deps)) return;
  const wallet = await gasWalletOf(deps.db, network.code);
  if (!wallet || wallet.haltedReason !== null) return;
  await genuine(deps, Addresses, [wallet]);
  try {
    const left = await takeBackAll(deps, { network, chain, energy, wallet });
    if (left === 0) loansSeenAtMs.set(network.code, clock.nowMs());
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    const fields = { network: network.code, error: error.message };
    deps.log.warn("lent energy not taken back", fields);
  }
}

interface Lender {
  readonly network: NetworkRow;
  readonly chain: Chain;
  readonly energy: ChainEnergy;
  readonly wallet: AddressRow;
}

/** How many are still lent. */
async function takeBackAll(deps: Deps, lender: Lender): Promise<number> {
  const { network: { code: network }, energy, wallet } = lender;
  const loans = await energy.loansOf(
    wallet.address,
    (borrowers) => depositAddressesAmong(deps.db, { network, borrowers }),
  );
  const addresses = loans.map(({ to }) => to);
  const inProgress = await addressesInNeed(deps.db, { network, addresses });
  const due = loansToTakeBack(loans, { depositAddresses: new Set(addresses), inProgress });
  const now = due.slice(0, LOANS_PER_ROUND_MAX);
  await allDone(now.map((loan) => takeBack(deps, { ...lender, loan })));
  return loans.length;
}

async function takeBack(
  deps: Deps,
  { network, chain, energy, wallet, loan: { to, amountRaw } }: Lender & { loan: Loan },
): Promise<void> {
  const fields = { network: network.code, address: to };
  try {
    const order = { kind: "take_back", from: wallet.address, to, amountRaw } as const;
    const preflight = await preflightUpkeep(deps, {
      network,
      chain,
      prepare: (price) => energy.prepareStake(order, price),
    });
    if (preflight.kind === "refused") throw refusedBy(preflight);
    const prepared = { ...preflight.prepared, claims: [gasClaim(to)] };
    const { tx } = await signTransfer(deps, { network, wallet, chain, prepared, payments: [] });
    const result = await sendTransfer(deps, { chain, tx });
    deps.log.info("lent energy taken back", { ...fields, tx_hash: tx.txHash, result });
  } catch (error) {
    if (!(error instanceof CannotPay || error instanceof UniqueConflict)) throw error;
    deps.log.warn("lent energy not taken back", { ...fields, error: error.message });
  }
}
