import type { Component } from "../../base/html.ts";
import { transactionUrl } from "../explorers.ts";
import { Hash, Status, Time } from "./facts.tsx";
import { confirmationsOf } from "../../deposits/rules/transaction_moves.ts";
import { Amount, assetOf } from "../../domain/money/amount.ts";
import type { NetworkRow } from "../../networks/table.ts";
import type { SignedTransferRow } from "../../transfers/table.ts";

interface SignedProps {
  readonly what: string;
  readonly bid: SignedTransferRow;
  readonly network: NetworkRow | undefined;
  readonly top: number;
  /** The element that an open page updates with the depth. */
  readonly depthId?: string;
}

/** Signed bytes and their result on the chain. */
export const Signed: Component<SignedProps> = ({ what, bid, network, top, depthId }) => (
  <li>
    <strong>{what}</strong> with nonce {bid.nonce} <Time atMs={bid.createdAtMs} />{" "}
    <div>
      <Hash text={bid.txHash} href={transactionUrl(network, bid.txHash)} />{" "}
      <Status value={bid.state} />
    </div>{" "}
    {bid.blockHash !== null && (
      <p>
        In block {bid.blockNumber} (confirmations:{" "}
        <span id={depthId}>{depthOf([bid], top) ?? 0}</span>)
        {bid.isSuccessful === false && ", but it failed"}
        {bid.feeRaw !== null && network && `. Network fee: ${networkFeeText(bid.feeRaw, network)}`}
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
export function depthOf(bids: readonly SignedTransferRow[], top: number): number | undefined {
  const mined = bids.find(({ blockHash }) => blockHash !== null);
  return mined && confirmationsOf(top, mined);
}
