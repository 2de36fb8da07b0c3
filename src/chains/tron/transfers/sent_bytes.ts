import { first } from "../../../base/lists.ts";
import { sha256 } from "@noble/hashes/sha2.js";
import { secp256k1 } from "@noble/curves/secp256k1";
import { type Bytes, toHex } from "../../../base/bytes.ts";
import { NodeError } from "../../faults.ts";
import type { Endpoints } from "../../pool/endpoints.ts";
import type { SentBytes, SentPayment, SentStake } from "../../sent_bytes.ts";
import { encodeAddress, fromEvmAddress } from "../address.ts";
import { hexBytes, isEmpty, list, record } from "../decode.ts";
import { tronRules } from "../rules.ts";
import type { TronNode } from "../node.ts";
import {
  bytesOf,
  decodeRaw,
  encodeSigned,
  type RawTransaction,
  reportedBytes,
  SIGNATURE_BYTES,
} from "./transaction.ts";
import { TRANSFER_SELECTOR, transferArguments } from "../trc20.ts";

/** One node is enough: the id is the hash of what is read here. */
export async function readSentBytes(
  endpoints: Endpoints<TronNode>,
  txHash: string,
): Promise<SentBytes> {
  return await endpoints.read(async (node) => {
    const answer = await node.ask("wallet/gettransactionbyid", { value: txHash });
    if (isEmpty(answer)) throw new NodeError(`${node.host} does not know ${txHash}`);
    const { raw_data_hex, signature } = record(answer, "a transaction");
    return decodeSent(reportedBytes(raw_data_hex, txHash), { txHash, signature });
  });
}

function decodeSent(
  bytes: Bytes,
  { txHash, signature }: { txHash: string; signature: unknown },
): SentBytes {
  const raw = decodeRaw(bytes);
  const sender = raw.owner === null ? "" : encodeAddress(raw.owner);
  const signed = list(signature ?? [], "a transaction's signatures")
    .map((one) => bytesOf(hexBytes(one, "a signature")));
  const facts = { txHash, sender, nonce: raw.expirationMs };
  if (signed.length !== 1 || first(signed).length !== SIGNATURE_BYTES) {
    return { ...facts, raw: "", payment: null };
  }
  if (signerOf(bytes, first(signed)) !== sender) {
    throw new NodeError(`A node reported ${txHash} with a signature that is not ${sender}'s`);
  }
  const stake = stakeOf(raw);
  return {
    ...facts,
    raw: toHex(encodeSigned(bytes, first(signed))),
    payment: paymentOf(raw),
    ...stake && { stake },
  };
}

/** Nodes and wallets write the last byte as 0 or 1, or as 27 or 28. */
function signerOf(bytes: Uint8Array, signature: Uint8Array): string | undefined {
  try {
    const key = secp256k1.Signature.fromCompact(signature.slice(0, 64))
      .addRecoveryBit(signature[64]! % 27).recoverPublicKey(sha256(bytes));
    return tronRules.addressOf(key.toRawBytes(false));
  } catch {
    return undefined;
  }
}

const RECIPIENT = { from: 32, to: 72 };
const WHOLE_CALL_CHARS = 136;

function paymentOf({ transfer, trigger }: RawTransaction): SentPayment | null {
  if (transfer) {
    const { to, amountRaw } = transfer;
    return { to: encodeAddress(to), contract: null, amountRaw };
  }
  if (trigger?.data.length !== WHOLE_CALL_CHARS || trigger.valueRaw !== 0n) return null;
  const { contract, data } = trigger;
  const to = fromEvmAddress(data.slice(RECIPIENT.from, RECIPIENT.to));
  const amountRaw = BigInt(`0x${data.slice(RECIPIENT.to)}`);
  const isTransfer = data === TRANSFER_SELECTOR + transferArguments({ to, amountRaw });
  return isTransfer
    ? { to: encodeAddress(to), contract: encodeAddress(contract), amountRaw }
    : null;
}

/** What we never do ourselves is none: bandwidth, a fixed time, and taking an unstaking back. */
function stakeOf({ stake }: RawTransaction): SentStake | undefined {
  if (!stake || stake.kind === "restake" || stake.isLocked) return undefined;
  const { kind, resource, amountRaw, to } = stake;
  if (kind === "collect") return { kind, amountRaw: 0n, to: null };
  if (resource !== "energy") return undefined;
  return { kind, amountRaw, to: to === null ? null : encodeAddress(to) };
}
