import type { RpcReplyError } from "../../pool/node_errors.ts";
import { NodeError } from "../../faults.ts";

/** The node knows the block, but deleted it, or never had more of it than its header. */
export class PrunedBlock extends NodeError {
  override name = "PrunedBlock";

  constructor({ host, height, prunedBelow, text }: {
    host: string;
    height: number;
    /** The lowest block that it still has; null if it deletes none. */
    prunedBelow: number | null;
    text: string;
  }) {
    super(
      prunedBelow === null || height >= prunedBelow
        ? `${host} has only the header of block ${height}: ${text}`
        : `${host} has deleted block ${height} (pruned below ${prunedBelow}): give the network a ` +
          "node that still has it, even for an hour, or rescan from a later block",
    );
  }
}

/**
 * What a node said about bytes. After `known` it has them or had them; after `unclear` it may. After
 * all others they are not in its mempool now; each may be different later or at another node.
 */
export type SendRefusal =
  | "known"
  | "missing_inputs"
  | "conflict"
  | "replacement_too_low"
  | "fee_too_low"
  | "fee_too_high"
  | "dust"
  | "chain_too_long"
  | "too_early"
  | "invalid"
  | "unclear";

export function refusalOf({ text }: Pick<RpcReplyError, "text">): SendRefusal {
  return REFUSALS.find(([, words]) => words.test(text))?.[0] ?? "unclear";
}

/** What a refusal means for people, where it can be helped. */
export function refusalText(error: RpcReplyError): string {
  return refusalOf(error) === "conflict"
    ? `${error.message}: it has another transaction that spends the same, and takes no ` +
      "replacement of that one. On Litecoin Core, mempoolreplacement=1 in its configuration allows it"
    : error.message;
}

/** From Bitcoin Core 24 to 32 and Litecoin Core 0.21. The first match counts. */
const REFUSALS: readonly (readonly [SendRefusal, RegExp])[] = [
  ["known", /^txn-already-(in-mempool|known)\b/],
  // The same transaction, signed otherwise.
  ["known", /^txn-same-nonwitness-data-in-mempool\b/],
  ["known", /^Transaction (already in block chain|outputs already in utxo set)/i],
  ["missing_inputs", /^(bad-txns-inputs-missingorspent|missing-inputs)\b|Inputs missing or spent/],
  // Before other fees that are too low, because what it must exceed is another's.
  ["replacement_too_low", /^insufficient fee\b|^replacement-failed\b/],
  ["replacement_too_low", /^too many potential replacements\b/],
  ["conflict", /^(txn-mempool-conflict|bad-txns-spends-conflicting-tx)\b/],
  ["conflict", /^replacement-adds-unconfirmed\b/],
  ["fee_too_low", /^(min relay|mempool min) fee not met\b|^mempool full\b/],
  ["fee_too_high", /^(max-fee-exceeded|absurdly-high-fee)\b|^Fee exceeds maximum configured/],
  ["dust", /^dust\b/],
  ["chain_too_long", /^(too-long-mempool-chain|too-large-cluster)\b/],
  ["too_early", /^(non-final|non-BIP68-final|bad-txns-premature-spend-of-coinbase)\b/],
  ["invalid", /^((non-)?mandatory|mempool|block)-script-verify-flag/],
  [
    "invalid",
    /^(bad-txns-|bad-witness-|tx-size|scriptpubkey\b|scriptsig-|version\b|multi-op-return)/,
  ],
  ["invalid", /^(coinbase|bare-multisig|datacarrier|TRUC-violation|missing-ephemeral-spends)\b/],
  ["invalid", /^TX decode failed|^Unspendable output exceeds/],
];

const [NOT_FOUND, NO_PARAMETER] = [-5, -8];

/** No such block, or no such transaction in its mempool. */
export function isNotFound({ code, text }: RpcReplyError): boolean {
  return code === NOT_FOUND
    ? /not found|no such mempool|not in mempool/i.test(text)
    : code === NO_PARAMETER && /height out of range/i.test(text);
}

export function isPruned({ text }: RpcReplyError): boolean {
  return /pruned data|not found on disk|not available/i.test(text);
}

/** One at a time. */
export function isScanning({ text }: RpcReplyError): boolean {
  return /scan already in progress/i.test(text);
}
