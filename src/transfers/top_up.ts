import { Alerts } from "../alerts/table.ts";
import { alertRead, closeAlert, gasMissingOf, insertAlert, logAlert } from "../books/alerts.ts";
import { moveSweep } from "../books/move_sweep.ts";
import { insertOutgoing } from "../books/transaction_rows.ts";
import type { Chain } from "../chains/chain.ts";
import type { Preflight, PreparedTransfer } from "../chains/transfer.ts";
import { type TransactionRow, Transactions } from "../deposits/tables/transactions.ts";
import type { Deps } from "../deps/deps.ts";
import { CannotPay, refusedBy } from "../domain/cannot_pay.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import type { NetworkRow } from "../networks/table.ts";
import { read, readAll } from "../store/engine/workspace.ts";
import { type SweepRow, Sweeps } from "../sweeps/table.ts";
import { checkNotHalted } from "./check_halted.ts";
import { inWords, preflightTransfer } from "./preflight.ts";
import { nativeAmount } from "./price.ts";
import { AlreadyMoved } from "./save_signed.ts";
import { sendTransfer } from "./send.ts";
import { signTransfer } from "./sign.ts";
import { paying, type Signed } from "./table.ts";
import { gasWalletOf } from "../wallets/reads/addresses.ts";
import type { AddressRow } from "../wallets/tables/addresses.ts";

interface TopUp {
  readonly network: NetworkRow;
  readonly chain: Chain;
  readonly target: { readonly accountId: number; readonly address: string };
  readonly amountRaw: bigint;
  /** Checked with others, in the same question. */
  readonly preflight?: Preflight | undefined;
  /** Absent: gas for a hot wallet. */
  readonly owner?: { readonly sweep: SweepRow; readonly deposits: readonly TransactionRow[] };
}

/** One at a time per address; a unique index keeps other processes from sending it twice. */
export async function topUp(deps: Deps, order: TopUp): Promise<void> {
  const { network, chain, target } = order;
  const { tx } = await signTopUp(deps, order);
  const result = await sendTransfer(deps, { chain, tx });
  const fields = { network: network.code, address: target.address, tx_hash: tx.txHash };
  deps.log.info("gas topped up", { ...fields, result });
}

/** Signed and saved, to be sent with others. */
export async function signTopUp(deps: Deps, order: TopUp): Promise<Signed> {
  const { network } = order;
  const wallet = await gasWalletOf(deps.db, network.code);
  if (!wallet) throw await gasMissing(deps, network, "no gas wallet has coins yet");
  checkNotHalted(wallet);
  return await sign(deps, order, wallet).catch(async (error) => {
    if (!(error instanceof CannotPay && error.lacksCoins)) throw error;
    throw await gasMissing(deps, network, error.message);
  });
}

async function sign(deps: Deps, order: TopUp, wallet: AddressRow): Promise<Signed> {
  const { network, chain, owner } = order;
  const prepared = await prepare(deps, order, wallet);
  const deposits = owner?.deposits ?? [];
  const sweepId = owner?.sweep.id ?? null;
  return await signTransfer(deps, {
    network,
    wallet,
    chain,
    prepared,
    payments: [{ purpose: "gas_topup", sweepId }],
    reads: [
      alertRead("gas_missing", gasMissingOf(network).subject),
      ...sweepId === null ? [] : [read(Sweeps, [sweepId])],
      ...readAll(Transactions, deposits.map(({ id }) => [id])),
    ],
    claim: (view, signed) => {
      const nowMs = deps.clock.nowMs();
      const current = deposits.map(({ id }) => view.get(Transactions, [id]));
      const step = { trigger: "funded", deposits: current, nowMs } as const;
      if (sweepId !== null && !moveSweep(view, { id: sweepId, ...step })) throw new AlreadyMoved();
      closeAlert(view, { ...gasMissingOf(network), nowMs });
      insertOutgoing(view, { ...paying(signed), row: rowOf(order, nowMs) });
    },
  });
}

async function prepare(deps: Deps, order: TopUp, wallet: AddressRow): Promise<PreparedTransfer> {
  const { network, chain, target, amountRaw } = order;
  const request = { from: wallet.address, to: target.address, contract: null, amountRaw };
  const preflight = order.preflight
    ? await inWords(deps, { network, chain }, order.preflight)
    : await preflightTransfer(deps, { network, chain, request });
  if (preflight.kind !== "refused") return preflight.prepared;
  if (preflight.cause !== "unaffordable") throw refusedBy(preflight);
  const { nativeRaw } = await chain.walletState(wallet.address, []);
  const shown = (raw: bigint) => `${nativeAmount(network, raw)} ${network.nativeSymbol}`;
  const missing = nativeRaw < amountRaw
    ? `at least ${shown(amountRaw - nativeRaw)} more are needed at ${wallet.address}`
    : `more are needed for the fee at ${wallet.address}`;
  const reason = `The gas wallet is to send ${shown(amountRaw)} and has ${
    shown(nativeRaw)
  }: ${missing}`;
  throw await gasMissing(deps, network, reason);
}

function rowOf({ network, target, amountRaw }: TopUp, nowMs: number) {
  const currency = network.nativeSymbol;
  const asset = assetOf({ network: network.code, currency });
  return {
    accountId: target.accountId,
    currency,
    direction: "gas_topup",
    toAddress: target.address,
    amount: Amount.fromRaw(amountRaw, { asset, decimals: network.nativeDecimals }).toString(),
    nowMs,
  } as const;
}

/**
 * Nothing is swept or filled until an operator sends coins there. Alerted once, until it is
 * resolved; what is missing now is what it says.
 */
export async function gasMissing(
  deps: Deps,
  network: NetworkRow,
  reason: string,
): Promise<CannotPay> {
  const { code } = network;
  const advice = { code: "fund_gas_wallet", network: code } as const;
  const alert = { ...gasMissingOf(network), message: `${code}: ${reason}`, advice };
  const isNew = await deps.db.write({
    reads: [alertRead(alert.kind, alert.subject)],
    decide: (view) => {
      const open = view.find(Alerts, [alert.kind, alert.subject, 1], "open");
      if (!open) return insertAlert(view, { ...alert, nowMs: deps.clock.nowMs() });
      if (open.message !== alert.message) view.update(Alerts, open, { message: alert.message });
      return false;
    },
  });
  if (isNew) logAlert(deps, alert);
  return new CannotPay(reason);
}
