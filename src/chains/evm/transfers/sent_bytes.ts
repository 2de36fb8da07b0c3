import { secp256k1 } from "@noble/curves/secp256k1";
import { hashAuthorization, keccak256 } from "viem/utils";
import { present } from "../../../base/assert.ts";
import { fromHex } from "../../../base/bytes.ts";
import { NodeError } from "../../faults.ts";
import type { SentBatch, SentBytes, SentPayment } from "../../sent_bytes.ts";
import { addressOfBytes, nodeAddress } from "../address.ts";
import { readBatchCall } from "../collector/batch.ts";
import { NOBODY } from "../collector/delegation.ts";
import { collectorAddress, initCode } from "../collector/deployment.ts";
import {
  EIP1559,
  EIP7702,
  isReportedUnsigned,
  LEGACY,
  readReported,
  type Reported,
  type Signature,
} from "./_reported_transaction.ts";
import { type Json, record, safeNumber } from "../decode.ts";
import type { Endpoints } from "../endpoints.ts";
import { transferCall } from "../erc20.ts";
import { evmRules } from "../rules.ts";
import type { Rpc } from "../rpc.ts";

interface Asked {
  readonly txHash: string;
  /** How many nodes must agree on what no hash can prove. */
  readonly quorum: number;
  /** Undefined if the network's chain id is unknown. */
  readonly chainId: string | undefined;
}

/**
 * One node is enough: its answer is rebuilt and must have that hash. That a transaction has no
 * signature can't be proven, so a quorum must say it.
 */
export async function readSentBytes(endpoints: Endpoints, asked: Asked): Promise<SentBytes> {
  try {
    return await endpoints.read(async (rpc) => proven(await lookUp(rpc, asked), asked));
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    const unsigned = await readUnsigned(endpoints, asked);
    if (unsigned) return unsigned;
    throw error;
  }
}

async function lookUp(rpc: Rpc, { txHash }: Asked): Promise<Json> {
  const answer = await rpc.call("eth_getTransactionByHash", [txHash]);
  if (answer === null) throw new NodeError(`${rpc.host} does not know ${txHash}`);
  return record(answer, "a transaction");
}

function proven(tx: Json, { txHash, chainId }: Asked): SentBytes {
  const sender = nodeAddress(tx.from, "a transaction's sender");
  const reported = readReported(tx);
  const isSame = keccak256(reported.raw) === txHash &&
    signerOf(keccak256(reported.order), reported.signature) === sender;
  if (!isSame) throw new NodeError(`A node reported ${txHash} with content of another hash`);
  if (reported.chainId !== null && chainId !== undefined && String(reported.chainId) !== chainId) {
    throw new NodeError(
      `${txHash} was signed for chain ${reported.chainId}, and this is ${chainId}`,
    );
  }
  const known = { txHash, sender, nonce: safeNumber(tx.nonce, "a nonce") };
  const { raw, type, to, hasAccessList } = reported;
  const batch = batchOf(reported);
  if (batch) return { ...known, raw, payment: null, batch };
  const isOfOurKind = (type === LEGACY || type === EIP1559) && !hasAccessList;
  if (isOfOurKind && to !== null) return { ...known, raw, payment: paymentOf(reported) };
  const isDeployed = isOfOurKind && reported.data === initCode(sender) && reported.valueRaw === 0n;
  const deploys = isDeployed ? { deploys: collectorAddress({ ...known, owner: sender }) } : {};
  return { ...known, raw: isDeployed ? raw : "", payment: null, ...deploys };
}

async function readUnsigned(endpoints: Endpoints, asked: Asked): Promise<SentBytes | undefined> {
  const answers = await endpoints.each(async (rpc) => unsigned(await lookUp(rpc, asked), asked));
  const found = answers.flatMap((answer) => answer.ok && answer.value ? [answer.value] : []);
  const [first] = found;
  const isAlike = found.every((one) => one.sender === first?.sender && one.nonce === first.nonce);
  // A node that shows a signature, even a wrong one, contradicts the others.
  const isDenied = answers.some((answer) => answer.ok && !answer.value);
  return isAlike && !isDenied && found.length >= asked.quorum ? first : undefined;
}

function unsigned(tx: Json, { txHash }: Asked): SentBytes | undefined {
  if (!isReportedUnsigned(tx)) return undefined;
  const sender = nodeAddress(tx.from, "a transaction's sender");
  return { txHash, raw: "", sender, nonce: safeNumber(tx.nonce, "a nonce"), payment: null };
}

function signerOf(
  digest: string,
  { r, s, parity }: Signature,
): string | undefined {
  const bytes = present(fromHex(digest.slice(2)), "A hash is hex");
  try {
    const key = new secp256k1.Signature(r, s).addRecoveryBit(parity).recoverPublicKey(bytes);
    return evmRules.addressOf(key.toRawBytes(false));
  } catch {
    return undefined;
  }
}

/** Undefined unless everything in it is what we would put into a batch for this collector. */
function batchOf(reported: Reported): SentBatch | undefined {
  const { to, type, valueRaw, hasAccessList, chainId, data } = reported;
  const isOfOurKind = to !== null && valueRaw === 0n && !hasAccessList &&
    [LEGACY, EIP1559, EIP7702].includes(type);
  const call = isOfOurKind ? readBatchCall(data) : undefined;
  if (!call || to === null) return undefined;
  const authorizations = reported.authorizations.flatMap((one) => {
    const address = signerOf(hashAuthorization(one), { ...halvesOf(one), parity: one.yParity });
    const isOurs = [to, NOBODY].includes(one.address) && one.chainId === chainId && one.chainId > 0;
    if (address === undefined || !isOurs) return [];
    return [{ address, nonce: one.nonce, delegate: one.address === to ? to : null }];
  });
  const isWhole = authorizations.length === reported.authorizations.length;
  return isWhole ? { collector: to, orders: call.orders, authorizations } : undefined;
}

function halvesOf({ r, s }: { r: string; s: string }) {
  return { r: BigInt(r), s: BigInt(s) };
}

const RECIPIENT = { from: 34, to: 74 };
const WHOLE_CALL_CHARS = 138;

function paymentOf({ to, valueRaw, data }: Reported): SentPayment | null {
  if (to === null) return null;
  if (data === "0x") return { to, contract: null, amountRaw: valueRaw };
  if (data.length !== WHOLE_CALL_CHARS || valueRaw !== 0n) return null;
  const payment = {
    contract: to,
    to: addressOfBytes(data.slice(RECIPIENT.from, RECIPIENT.to)),
    amountRaw: BigInt(`0x${data.slice(RECIPIENT.to)}`),
  };
  return transferCall(payment) === data ? payment : null;
}
