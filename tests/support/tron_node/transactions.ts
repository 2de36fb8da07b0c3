import { sha256 } from "@noble/hashes/sha2.js";
import { toHex } from "../../../src/base/bytes.ts";
import type { HexAddress } from "./addresses.ts";
import {
  decode,
  encode,
  hexBytes,
  type Message,
  parse,
  print,
  sparse,
  type Value,
} from "./api/proto.ts";
import { CONTRACT_SCHEMAS, RAW, RESULT, TRANSACTION } from "./api/schemas.ts";

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
    hexBytes((message.raw_data ?? "") as string),
    (message.signature ?? []) as readonly string[],
  );
}

export function transactionOf(
  rawBytes: Uint8Array<ArrayBuffer>,
  signatures: readonly string[],
): Transaction {
  const raw = decode(RAW, rawBytes);
  const contracts = (raw.contract ?? []) as readonly Message[];
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
  const rawJson = json.raw_data as Message;
  const contracts = (rawJson.contract as readonly Message[]).flatMap((contract) => {
    const type = String(contract.type);
    const schema = CONTRACT_SCHEMAS[type];
    if (!schema) return [];
    const value = parse(schema, (contract.parameter as Message).value as Message, visible);
    return [packedContract({ type, value, permissionId: Number(contract.Permission_id ?? 0) })];
  });
  const { contract: _, ...header } = rawJson;
  const raw = { ...parse(RAW, header, visible), contract: contracts };
  return transactionOf(encode(RAW, raw), (json.signature ?? []) as readonly string[]);
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

export function ownerOf({ contracts }: Transaction): HexAddress {
  return String(contracts[0]?.value?.owner_address ?? "");
}

export function int64(value: Value | undefined): bigint {
  return (value ?? 0n) as bigint;
}

function contractPart(contract: Message): ContractPart {
  const parameter = (contract.parameter ?? {}) as Message;
  const type = String(contract.type ?? "AccountCreateContract");
  const schema = CONTRACT_SCHEMAS[type];
  const bytes = hexBytes((parameter.value ?? "") as string);
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
  const bytes = toHex(encode(CONTRACT_SCHEMAS[type]!, value));
  return sparse({
    type,
    parameter: { type_url: `${TYPE_URL}${type}`, value: bytes },
    Permission_id: permissionId,
  });
}
