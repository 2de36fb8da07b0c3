import type { PreparedTransfer } from "../chains/transfer.ts";
import { Amount, assetOf } from "../domain/money/amount.ts";
import { Sweeps } from "./table.ts";
import { Transactions } from "../deposits/tables/transactions.ts";
import type { SignedTransferRow } from "../transfers/table.ts";
import { read, readAll, type View } from "../store/engine/workspace.ts";
import { moveSweep, releaseDeposits } from "../books/move_sweep.ts";
import { insertOutgoing } from "../books/transaction_rows.ts";
import { AlreadyMoved } from "../transfers/save_signed.ts";
import { sendTransfer } from "../transfers/send.ts";
import { signTransfer } from "../transfers/sign.ts";
import { isSweepable, type Sweeping } from "./_sweeping.ts";
import type { Deps } from "../deps/deps.ts";

/** Signs and saves the transfer, the sweep's step and the account's row in one unit; then sends it. */
export async function signSweep(
  deps: Deps,
  { sweeping, prepared }: { sweeping: Sweeping; prepared: PreparedTransfer },
): Promise<void> {
  const { network, chain, sweep, address, deposits, orphans } = sweeping;
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
    claim: (view, saved) => claim(view, { sweeping, saved, nowMs: deps.clock.nowMs() }),
  });
  const result = await sendTransfer(deps, { chain, transfer });
  const fields = { sweep_id: sweep.id, network: network.code, tx_hash: transfer.txHash, result };
  deps.log.info("deposits swept", fields);
}

function claim(
  view: View,
  { sweeping, saved, nowMs }: { sweeping: Sweeping; saved: SignedTransferRow; nowMs: number },
): void {
  const { sweep, currency, to, deposits, orphans } = sweeping;
  const current = deposits.map(({ id }) => view.get(Transactions, [id]));
  const step = { id: sweep.id, trigger: "signed", deposits: current, nowMs } as const;
  if (!current.every(isSweepable) || !moveSweep(view, step)) throw new AlreadyMoved();
  releaseDeposits(view, { deposits: orphans, nowMs });
  const unit = { asset: assetOf(sweep), decimals: currency.decimals };
  insertOutgoing(view, {
    transfer: saved,
    row: {
      accountId: sweep.accountId,
      currency: currency.symbol,
      direction: "sweep",
      toAddress: to,
      amount: Amount.fromRaw(BigInt(saved.amountRaw), unit).toString(),
      nowMs,
    },
  });
}
