import type { RpcReplyError } from "../pool/node_errors.ts";

/**
 * `not_accepted` may be accepted later or elsewhere, `definite` never; in both cases the bytes are
 * not in this node's pool. After `ambiguous` they may be, or even in a block.
 */
export type SendErrorClass = "accepted" | "ambiguous" | "not_accepted" | "definite";

/** Only the text of an error says what it means; a text that matches no row is ambiguous. */
export function classifySendError(said: string): SendErrorClass {
  return SEND_ERRORS.find(([, text]) => text.test(said))?.[0] ?? "ambiguous";
}

/** From geth, bsc, erigon, nethermind, besu, reth, arbitrum and anvil. The first match counts. */
const SEND_ERRORS: readonly (readonly [SendErrorClass, RegExp])[] = [
  ["accepted", /already[ _]?known/i],
  ["accepted", /\bknown transaction/i],
  ["accepted", /OwnNonceAlreadyUsed/i],
  ["accepted", /existing txn with same hash/i],
  ["accepted", /transaction already imported/i],
  ["accepted", /tx already exists in cache/i],
  ["accepted", /underpriced, so it is either in pool2 or pool3/i],
  ["ambiguous", /nonce[ _]?(is )?too[ _]?low/i],
  ["ambiguous", /OldNonce/i],
  ["ambiguous", /invalid transaction nonce/i],
  ["ambiguous", /\bmined\b/i],
  ["ambiguous", /replac/i],
  ["definite", /intrinsic gas|gas too low|IntrinsicGas/i],
  ["definite", /invalid sender|invalid signature/i],
  ["definite", /invalid chain ?id|chain ?id (does not|mismatch)|incorrect chain ?id/i],
  ["definite", /exceeds (the )?block gas limit|gas limit is too high|GasLimitExceeded/i],
  ["definite", /exceeds max(imum)? transaction gas limit/i],
  ["definite", /oversized data|max initcode size exceeded/i],
  ["definite", /negative value/i],
  ["definite", /max priority fee per gas (is )?higher than max fee per gas/i],
  ["definite", /exceeds the configured cap/i],
  ["definite", /sender or to in black list/i],
  ["definite", /failed to decode|rlp:|typed transaction too short/i],
  ["definite", /transaction type not supported|unknown transaction type/i],
  ["not_accepted", /(txpool|sub-pool|queue) is full|queue full|pool is full/i],
  ["not_accepted", /underpriced|fee ?too ?low|tip too low/i],
  ["not_accepted", /max fee per gas (is )?less than block base fee/i],
  ["not_accepted", /nonce too high|nonce ?gap|gapped.nonce/i],
  ["not_accepted", /account limit exceeded|address already reserved/i],
  ["not_accepted", /in-flight transaction limit/i],
  ["not_accepted", /\bsyncing\b/i],
  ["not_accepted", /insufficient ?(funds|balance)|exceeds (account )?balance/i],
];

/**
 * The call itself would fail on the chain; the node is fine. Checked before `isUnaffordable`,
 * because tokens word their own errors.
 */
export function isRevert({ code, text }: RpcReplyError): boolean {
  return code === 3 || REVERTS.test(text);
}

/** It ran out of gas: the node's cap, the block's limit or the gas given. */
export function isOutOfGas({ text }: RpcReplyError): boolean {
  return /out ?of ?gas|gas required exceeds/i.test(text);
}

export function isUnaffordable({ text }: RpcReplyError): boolean {
  return /insufficient ?(sender ?)?(funds|balance)|exceeds (the )?(account )?balance/i.test(text);
}

const REVERTS =
  /revert|out ?of ?gas|gas required exceeds|invalid (opcode|jump)|stack (under|over)flow|VM execution error/i;
