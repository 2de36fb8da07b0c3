import type { Component } from "../../base/html.ts";
import { transactionUrl } from "../explorers.ts";
import { Hash, Status, Time } from "./facts.tsx";
import { confirmationsOf } from "../../deposits/rules/transaction_moves.ts";
import { Amount, assetOf } from "../../domain/money/amount.ts";
import { hasOutputs } from "../../networks/fitting.ts";
import type { NetworkRow } from "../../networks/table.ts";
import type { SignedTransactionRow } from "../../transfers/table.ts";

interface SignedProps {
  readonly what: string;
  readonly tx: SignedTransactionRow;
  readonly network: NetworkRow | undefined;
  readonly top: number;
  /** The element that an open page updates with the depth. */
  readonly depthId?: string;
}

/** Signed bytes and their result on the chain. */
export const SignedLine: Component<SignedProps> = ({ what, tx, network, top, depthId }) => (
  <li>
    <strong>{what}</strong>
    {!(network && hasOutputs(network)) && ` with nonce ${tx.place}`} <Time atMs={tx.createdAtMs} />
    {" "}
    <div>
      <Hash text={tx.txHash} href={transactionUrl(network, tx.txHash)} />{" "}
      <Status value={tx.state} />
    </div>{" "}
    {tx.blockHash !== null && (
      <p>
        In block {tx.blockNumber} (confirmations:{" "}
        <span id={depthId}>{depthOf([tx], top) ?? 0}</span>)
        {tx.isSuccessful === false && ", but it failed"}
        {tx.feeRaw !== null && network && `. Network fee: ${networkFeeText(tx.feeRaw, network)}`}
      </p>
    )}
  </li>
);

export function networkFeeText(
  raw: string,
  { code, nativeSymbol, nativeDecimals }: NetworkRow,
): string {
  const asset = assetOf({ network: code, currency: nativeSymbol });
  return `${Amount.fromRaw(BigInt(raw), { asset, decimals: nativeDecimals })} ${nativeSymbol}`;
}

/** The depth of the mined bid; undefined if none was mined. */
export function depthOf(bids: readonly SignedTransactionRow[], top: number): number | undefined {
  const mined = bids.find(({ blockHash }) => blockHash !== null);
  return mined && confirmationsOf(top, mined);
}
