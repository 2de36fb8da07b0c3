import { sha256 } from "@noble/hashes/sha2.js";
import { toHex } from "../../base/bytes.ts";
import { first } from "../../base/lists.ts";
import type { HexAddress } from "./addresses.ts";
import { decode, encode, hexBytes, parse, print, sparse } from "./api/proto.ts";
import { type Message, messageIn, messagesIn, textIn, textsIn } from "./api/values.ts";
import { CONTRACT_SCHEMAS, contractSchema, RAW, RESULT, TRANSACTION } from "./api/schemas.ts";

const TYPE_URL = "type.googleapis.com/protocol.";

/** One contract of a transaction, its parameter decoded where this node knows the type. */
interface ContractPart {
  readonly type: string;
  readonly permissionId: number;
  readonly typeUrl: string;
  readonly value: Message | undefined;
}

export interface Transaction {
  readonly txId: string;
  readonly rawBytes: Uint8Array<ArrayBuffer>;
  readonly raw: Message;
  readonly contracts: readonly ContractPart[];
  readonly signatures: readonly Uint8Array[];
  /** Without a result, as bandwidth is counted. */
  readonly size: number;
  readonly ret: Message;
}

export function readTransaction(bytes: Uint8Array): Transaction {
  const message = decode(TRANSACTION, bytes);
  return transactionOf(
    hexBytes(textIn(message.raw_data)),
    textsIn(message.signature),
  );
}

export function transactionOf(
  rawBytes: Uint8Array<ArrayBuffer>,
  signatures: readonly string[],
): Transaction {
  const raw = decode(RAW, rawBytes);
  const contracts = messagesIn(raw.contract);
  return {
    txId: toHex(sha256(rawBytes)),
    rawBytes,
    raw,
    contracts: contracts.map(contractPart),
    signatures: signatures.map(hexBytes),
    size: encode(TRANSACTION, { raw_data: toHex(rawBytes), signature: signatures }).length,
    ret: {},
  };
}

/** A transaction that nobody signed yet. */
export function rawBytesOf(
  contract: { readonly type: string; readonly value: Message; readonly permissionId?: number },
  header: Message,
): Uint8Array<ArrayBuffer> {
  return encode(RAW, { ...header, contract: [packedContract(contract)] });
}

/**
 * Reads JSON as /wallet/broadcasttransaction does: only raw_data and the signatures count, and
 * contracts of unknown types are left out.
 */
export function packTransaction(json: Message, visible: boolean): Transaction {
  const rawJson = messageIn(json.raw_data);
  const contracts = messagesIn(rawJson.contract).flatMap((contract) => {
    const type = String(contract.type);
    const schema = CONTRACT_SCHEMAS[type];
    if (!schema) return [];
    const value = parse(schema, messageIn(messageIn(contract.parameter).value), visible);
    return [packedContract({ type, value, permissionId: Number(contract.Permission_id ?? 0) })];
  });
  const { contract: _, ...header } = rawJson;
  const raw = { ...parse(RAW, header, visible), contract: contracts };
  return transactionOf(encode(RAW, raw), textsIn(json.signature));
}

/** `ret`, signatures, id and data, as the HTTP API shows a transaction. */
export function printTransaction(transaction: Transaction, visible: boolean): Message {
  const { contract: _, ...header } = transaction.raw;
  const contracts = transaction.contracts.map((contract) => ({
    parameter: {
      value: print(CONTRACT_SCHEMAS[contract.type] ?? {}, contract.value ?? {}, visible),
      type_url: contract.typeUrl,
    },
    type: contract.type,
    ...(contract.permissionId > 0 && { Permission_id: contract.permissionId }),
  }));
  const ret = transaction.ret.contractRet === undefined
    ? []
    : [print(RESULT, transaction.ret, visible)];
  return {
    ...sparse({ ret, signature: transaction.signatures.map(toHex) }),
    txID: transaction.txId,
    raw_data: { contract: contracts, ...print(RAW, header, visible) },
    raw_data_hex: toHex(transaction.rawBytes),
  };
}

/** The only one of a transaction that was checked. */
export function contractOf({ contracts }: Transaction): ContractPart {
  return first(contracts);
}

export function ownerOf({ contracts }: Transaction): HexAddress {
  return String(contracts[0]?.value?.owner_address ?? "");
}

function contractPart(contract: Message): ContractPart {
  const parameter = messageIn(contract.parameter);
  const type = String(contract.type ?? "AccountCreateContract");
  const schema = CONTRACT_SCHEMAS[type];
  const bytes = hexBytes(textIn(parameter.value));
  return {
    type,
    permissionId: Number(contract.Permission_id ?? 0),
    typeUrl: String(parameter.type_url ?? ""),
    value: schema && decode(schema, bytes),
  };
}

function packedContract(
  { type, value, permissionId = 0 }: {
    readonly type: string;
    readonly value: Message;
    readonly permissionId?: number;
  },
): Message {
  const bytes = toHex(encode(contractSchema(type), value));
  return sparse({
    type,
    parameter: { type_url: `${TYPE_URL}${type}`, value: bytes },
    Permission_id: permissionId,
  });
}
