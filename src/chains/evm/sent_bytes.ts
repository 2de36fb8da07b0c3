import { secp256k1 } from "@noble/curves/secp256k1";
import { keccak256, serializeTransaction } from "viem/utils";
import { present } from "../../base/assert.ts";
import { fromHex } from "../../base/bytes.ts";
import { NodeError } from "../chain.ts";
import type { SentBytes, SentPayment } from "../sent_bytes.ts";
import { addressOfBytes, nodeAddress } from "./_address.ts";
import { hexBytes, type Json, list, quantity, record, safeNumber } from "./decode.ts";
import type { Endpoints } from "./endpoints.ts";
import { transferCall } from "./erc20.ts";
import { evmFamily } from "./family.ts";
import type { Fee } from "./fees.ts";
import { hex32 } from "./sign_transfer.ts";
import { type EvmDetail, unsigned } from "./unsigned.ts";

const LEGACY = 0;
const EIP1559 = 2;

/** Any one node may tell it: what it tells is put together again, and has to have that hash. */
export async function readSentBytes(endpoints: Endpoints, txHash: string): Promise<SentBytes> {
  return await endpoints.read(async (rpc) => {
    const answer = await rpc.call("eth_getTransactionByHash", [txHash]);
    if (answer === null) throw new NodeError(`${rpc.host} does not know ${txHash}`);
    return decodeSent(record(answer, "a transaction"), txHash);
  });
}

function decodeSent(tx: Json, txHash: string): SentBytes {
  const nonce = safeNumber(tx.nonce, "a nonce");
  const sender = nodeAddress(tx.from, "a transaction's sender");
  const type = tx.type === undefined ? LEGACY : safeNumber(tx.type, "a transaction's type");
  const [r, s] = [quantity(tx.r ?? "0x0", "r of a signature"), quantity(tx.s ?? "0x0", "its s")];
  // What a chain itself sends in somebody's name carries no signature.
  const isOfOurKind = (type === LEGACY || type === EIP1559) && tx.to !== null && r > 0n && s > 0n &&
    list(tx.accessList ?? [], "an access list").length === 0;
  if (!isOfOurKind) return { txHash, raw: "", sender, nonce, payment: null };
  const { parity, chainId } = signatureOf(tx, type);
  const detail: EvmDetail = {
    chainId,
    to: nodeAddress(tx.to, "a recipient"),
    valueRaw: quantity(tx.value, "a value"),
    data: hexBytes(tx.input, "a transaction's input"),
    gas: quantity(tx.gas, "a gas limit"),
    fee: feeOf(tx, type),
  };
  const order = unsigned(detail, nonce);
  const raw = serializeTransaction(order, {
    ...{ r: hex32(r), s: hex32(s), v: 27n + BigInt(parity), yParity: parity },
  });
  const isSame = keccak256(raw) === txHash &&
    signerOf(keccak256(serializeTransaction(order)), { r, s, parity }) === sender;
  if (!isSame) throw new NodeError(`A node tells of ${txHash} what does not have that hash`);
  return { txHash, raw, sender, nonce, payment: paymentOf(detail) };
}

function feeOf(tx: Json, type: number): Fee {
  if (type === LEGACY) return { kind: "legacy", gasPriceRaw: quantity(tx.gasPrice, "a gas price") };
  return {
    kind: "eip1559",
    maxFeeRaw: quantity(tx.maxFeePerGas, "a price for gas"),
    tipRaw: quantity(tx.maxPriorityFeePerGas, "a tip"),
  };
}

/** What is signed without a chain's id (before EIP-155) has another hash when it is put together. */
function signatureOf(tx: Json, type: number): { parity: number; chainId: number } {
  const v = safeNumber(tx.v ?? tx.yParity, "v of a signature");
  if (type === EIP1559) return { parity: v, chainId: safeNumber(tx.chainId, "a chain id") };
  return { parity: (v + 1) % 2, chainId: Math.max(0, Math.floor((v - 35) / 2)) };
}

function signerOf(
  digest: string,
  { r, s, parity }: { r: bigint; s: bigint; parity: number },
): string | undefined {
  const bytes = present(fromHex(digest.slice(2)), "A hash is hex");
  try {
    const key = new secp256k1.Signature(r, s).addRecoveryBit(parity).recoverPublicKey(bytes);
    return evmFamily.addressOf(key.toRawBytes(false));
  } catch {
    return undefined;
  }
}

const RECIPIENT = { from: 34, to: 74 };
const WHOLE_CALL_CHARS = 138;

function paymentOf({ to, valueRaw, data }: EvmDetail): SentPayment | null {
  if (data === "0x") return { to, contract: null, amountRaw: valueRaw };
  if (data.length !== WHOLE_CALL_CHARS || valueRaw !== 0n) return null;
  const payment = {
    contract: to,
    to: addressOfBytes(data.slice(RECIPIENT.from, RECIPIENT.to)),
    amountRaw: BigInt(`0x${data.slice(RECIPIENT.to)}`),
  };
  return transferCall(payment) === data ? payment : null;
}
