import { selectorOf } from "../contracts/abi.ts";
import { present } from "../../../base/assert.ts";
import { validateTransfer } from "../contracts/execute.ts";
import { STAKING } from "../contracts/stake.ts";
import { ContractValidation } from "../failures.ts";
import { parse, print } from "./proto.ts";
import { DecoderFault } from "./request.ts";
import type { Reading } from "./reads.ts";
import { RETURN } from "./answer_schemas.ts";
import { contractSchema } from "./schemas.ts";
import { printTransaction, rawBytesOf, type Transaction, transactionOf } from "../transactions.ts";
import { fromHex, toHex, utf8 } from "../../../base/bytes.ts";
import type { Message } from "./values.ts";

const EXPIRES_AFTER_MS = 60_000;

/** An unsigned payment, checked like a signed one but for the signature. */
export function createTransaction({ chain, request }: Reading): Message {
  const value = parse(contractSchema("TransferContract"), request.fields, request.visible);
  validateTransfer(chain, value);
  const header = request.text("extra_data") === "" ? {} : { data: memo(request) };
  const transaction = build(chain, { type: "TransferContract", value }, header);
  return { visible: request.visible, ...printTransaction(transaction, request.visible) };
}

/** An unsigned transaction of Stake 2.0, checked like a signed one but for the signature. */
export function staking(type: string): (reading: Reading) => Message {
  return ({ chain, request }) => {
    const value = parse(contractSchema(type), request.fields, request.visible);
    present(STAKING[type], type).check(chain, value);
    return shown(build(chain, { type, value }, {}), request.visible);
  };
}

export function triggerSmartContract(reading: Reading): Message {
  return reported(reading, (): Message => {
    const { chain, request } = reading;
    const value = triggered(reading);
    if (!chain.contracts.has(String(value.contract_address))) {
      throw new ContractValidation("No contract or not a valid smart contract");
    }
    const transaction = build(chain, { type: "TriggerSmartContract", value }, {
      fee_limit: request.int64("fee_limit"),
    });
    return { result: { result: true }, transaction: shown(transaction, request.visible) };
  });
}

export function triggered({ request }: Reading): Message {
  const { visible } = request;
  const value = parse(contractSchema("TriggerSmartContract"), request.fields, visible);
  if (!value.owner_address) throw new InvalidParameter("owner_address isn't set.");
  if (!value.contract_address) throw new InvalidParameter("contract_address isn't set.");
  const selector = request.text("function_selector");
  if (selector === "") return value;
  const data = selectorOf(selector) + request.text("parameter");
  if (!fromHex(data)) throw new DecoderFault(data);
  return { ...value, data: data.toLowerCase() };
}

class InvalidParameter extends Error {
  override name = "java.security.InvalidParameterException";
}

/** These never answer `Error`: `result` says what went wrong. */
export function reported({ request }: Reading, work: () => Message): Message {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const { name, message } = error;
    const isValidation = error instanceof ContractValidation;
    const text = isValidation ? message : `class ${name} : ${message}`;
    const code = isValidation ? "CONTRACT_VALIDATE_ERROR" : "OTHER_ERROR";
    return { result: print(RETURN, { code, message: toHex(utf8(text)) }, request.visible) };
  }
}

/** References the solid block and lives for a minute. */
export function build(
  chain: Reading["chain"],
  contract: { readonly type: string; readonly value: Message },
  header: Message,
): Transaction {
  const { id } = chain.solid;
  return transactionOf(
    rawBytesOf(contract, {
      ...header,
      ref_block_bytes: id.slice(12, 16),
      ref_block_hash: id.slice(16, 32),
      expiration: BigInt(chain.headMs + EXPIRES_AFTER_MS),
      timestamp: BigInt(chain.nowMs),
    }),
    [],
  );
}

export function shown(transaction: Transaction, visible: boolean): Message {
  return { visible, ...printTransaction(transaction, visible) };
}

function memo(request: Reading["request"]): string {
  return request.visible ? toHex(utf8(request.text("extra_data"))) : request.bytes("extra_data");
}
