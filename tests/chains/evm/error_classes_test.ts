import assert from "node:assert/strict";
import {
  classifySendError,
  isRevert,
  isUnaffordable,
  type SendErrorClass,
} from "../../../src/chains/evm/error_classes.ts";
import { RpcReplyError } from "../../../src/chains/pool/node_errors.ts";

const texts: readonly [SendErrorClass, string][] = [
  ["accepted", "already known"],
  ["accepted", "known transaction: 0xabc"],
  ["accepted", "Known transaction"],
  ["accepted", "AlreadyKnown"],
  ["accepted", "OwnNonceAlreadyUsed"],
  ["accepted", "existing txn with same hash"],
  ["accepted", "transaction already imported"],
  ["accepted", "tx already exists in cache"],
  ["accepted", "transaction underpriced, so it is either in pool2 or pool3"],
  ["ambiguous", "nonce too low: next nonce 5, tx nonce 4"],
  ["ambiguous", "OldNonce"],
  ["ambiguous", "invalid transaction nonce"],
  ["ambiguous", "transaction already mined"],
  ["ambiguous", "replacement transaction underpriced"],
  ["ambiguous", "could not replace existing tx"],
  ["ambiguous", "future transaction tries to replace pending"],
  ["ambiguous", "Internal error"],
  ["ambiguous", "limit exceeded"],
  ["ambiguous", ""],
  ["not_accepted", "txpool is full"],
  ["not_accepted", "pending sub-pool is full"],
  ["not_accepted", "queue full"],
  ["not_accepted", "transaction underpriced: gas tip cap 0, minimum needed 1"],
  ["not_accepted", "FeeTooLow"],
  ["not_accepted", "max fee per gas less than block base fee: address 0x0"],
  ["not_accepted", "nonce too high"],
  ["not_accepted", "NonceGap"],
  ["not_accepted", "account limit exceeded"],
  ["not_accepted", "address already reserved"],
  ["not_accepted", "in-flight transaction limit reached for delegated accounts"],
  ["not_accepted", "gapped-nonce tx from delegated accounts"],
  ["not_accepted", "node is syncing"],
  ["not_accepted", "insufficient funds for gas * price + value: balance 0, tx cost 5"],
  ["not_accepted", "Insufficient funds for gas * price + value"],
  ["definite", "intrinsic gas too low: gas 1, minimum needed 21000"],
  ["definite", "invalid sender"],
  ["definite", "invalid chain id for signer: have 1 want 56"],
  ["definite", "exceeds block gas limit"],
  ["definite", "gas limit is too high"],
  ["definite", "exceeds max transaction gas limit"],
  ["definite", "oversized data"],
  ["definite", "negative value"],
  ["definite", "max priority fee per gas higher than max fee per gas"],
  ["definite", "tx fee (1.50 ether) exceeds the configured cap (1.00 ether)"],
  ["definite", "sender or to in black list"],
  ["definite", "Failed to decode transaction"],
  ["definite", "unknown transaction type"],
  ["definite", "rlp: value size exceeds available input length"],
];

Deno.test("each node's wording has its class", () => {
  for (const [expected, text] of texts) {
    assert.equal(classifySendError(text), expected, text);
    assert.equal(classifySendError(text.toUpperCase()), expected, text);
  }
});

const trials: readonly (readonly ["reverts" | "unaffordable" | "neither", string])[] = [
  ["reverts", "execution reverted"],
  ["reverts", "execution reverted: ERC20: transfer amount exceeds balance"],
  ["reverts", "execution reverted: insufficient balance"],
  ["reverts", "VM execution error."],
  ["reverts", "Out of gas: gas required exceeds allowance: 0"],
  ["reverts", "gas required exceeds allowance (50000000)"],
  ["reverts", "invalid opcode: INVALID"],
  ["unaffordable", "insufficient funds for gas * price + value: address 0x0 have 0 want 5"],
  ["unaffordable", "insufficient funds for transfer"],
  ["unaffordable", "Insufficient funds for gas * price + value"],
  ["unaffordable", "insufficient sender balance"],
  ["unaffordable", "Upfront cost exceeds account balance"],
  ["neither", "header not found"],
  ["neither", "limit exceeded"],
];

Deno.test("a failing call is told apart from an empty sender, whatever a token says", () => {
  for (const [expected, text] of trials) {
    const error = new RpcReplyError("node", { text, code: -32000 });
    const cause = isRevert(error) ? "reverts" : isUnaffordable(error) ? "unaffordable" : "neither";
    assert.equal(cause, expected, text);
  }
});
