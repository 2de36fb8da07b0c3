import { selectorOf } from "../contracts/abi.ts";
import { Accounts } from "../accounts.ts";
import { validateTransfer } from "../contracts/execute.ts";
import { callContract, type Run } from "../contracts/run_contract.ts";
import { ContractValidation } from "../failures.ts";
import { type Message, parse, print, sparse } from "./proto.ts";
import { DecoderFault } from "./request.ts";
import type { Reading } from "./reads.ts";
import { CONTRACT_SCHEMAS, INTERNAL_TRANSACTION, RETURN, TRANSACTION_INFO } from "./schemas.ts";
import { printTransaction, rawBytesOf, type Transaction, transactionOf } from "../transactions.ts";
import { fromHex, toHex, utf8 } from "../../../../src/base/bytes.ts";
import { topOf } from "./view.ts";

const EXPIRES_AFTER_MS = 60_000;
const CONSTANT_CALL_ENERGY_MAX = 100_000_000n;

/** An unsigned payment, checked like a signed one but for the signature. */
export function createTransaction({ chain, request }: Reading): Message {
  const value = parse(CONTRACT_SCHEMAS.TransferContract!, request.fields, request.visible);
  validateTransfer(chain, value);
  const header = request.text("extra_data") === "" ? {} : { data: memo(request) };
  const transaction = build(chain, { type: "TransferContract", value }, header);
  return { visible: request.visible, ...printTransaction(transaction, request.visible) };
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

/** A revert is a result: `result.result` is true, and only the message and `ret` show it. */
export function triggerConstantContract(reading: Reading): Message {
  return reported(reading, (): Message => {
    const { chain, request } = reading;
    const value = triggered(reading);
    const transaction = build(chain, { type: "TriggerSmartContract", value }, {});
    const run = tryOut(reading, value, transaction);
    const isFailed = run.error !== undefined;
    const message = isFailed ? { message: toHex(utf8(run.error)) } : {};
    const { log } = print(TRANSACTION_INFO, { log: run.logs }, false);
    return {
      result: print(RETURN, { result: true, ...message }, request.visible),
      ...sparse({
        energy_used: run.energy,
        energy_penalty: run.penalty,
        constant_result: [run.returned],
        logs: log,
        internal_transactions: run.internal.map((each) =>
          print(INTERNAL_TRANSACTION, each, request.visible)
        ),
      }),
      transaction: {
        ret: [isFailed ? { ret: "FAILED" } : {}],
        ...shown(transaction, request.visible),
      },
    };
  });
}

/** `vm.estimateEnergy` is off on most nodes. */
export function estimateEnergy(reading: Reading): Message {
  return reported(reading, () => {
    if (!reading.chain.estimatesEnergy) {
      throw new ContractValidation("this node does not support estimate energy");
    }
    const value = triggered(reading);
    const transaction = build(reading.chain, { type: "TriggerSmartContract", value }, {});
    const run = tryOut(reading, value, transaction);
    if (run.error !== undefined) throw new Error(run.error);
    return { result: { result: true }, energy_required: run.energy };
  });
}

/** Runs on the state of the view, and leaves nothing behind. */
function tryOut({ chain, view }: Reading, value: Message, { txId }: Transaction): Run {
  const contract = chain.contracts.get(String(value.contract_address));
  if (!contract) throw new ContractValidation("Smart contract is not exist.");
  const written = new Map<string, unknown>();
  const scratch = {
    get: <T>(key: string) =>
      (written.has(key) ? written.get(key) : view.state.get<T>(key)) as T | undefined,
    set: (key: string, changed: unknown) => void written.set(key, changed),
  };
  const accounts = new Accounts(
    scratch,
    () => chain.chainParameters,
    () => topOf(view).timestampMs,
  );
  return callContract({ accounts, contracts: chain.contracts }, {
    contract,
    caller: String(value.owner_address),
    value: (value.call_value ?? 0n) as bigint,
    data: String(value.data ?? ""),
    txId,
    limit: CONSTANT_CALL_ENERGY_MAX,
  });
}

function triggered({ request }: Reading): Message {
  const { visible } = request;
  const value = parse(CONTRACT_SCHEMAS.TriggerSmartContract!, request.fields, visible);
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

/** These never answer `Error`: what goes wrong stands in `result`. */
function reported({ request }: Reading, work: () => Message): Message {
  try {
    return work();
  } catch (error) {
    const { name, message } = error as Error;
    const isValidation = error instanceof ContractValidation;
    const text = isValidation ? message : `class ${name} : ${message}`;
    const code = isValidation ? "CONTRACT_VALIDATE_ERROR" : "OTHER_ERROR";
    return { result: print(RETURN, { code, message: toHex(utf8(text)) }, request.visible) };
  }
}

/** References the solid block and lives for a minute. */
function build(
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

function shown(transaction: Transaction, visible: boolean): Message {
  return { visible, ...printTransaction(transaction, visible) };
}

function memo(request: Reading["request"]): string {
  return request.visible ? toHex(utf8(request.text("extra_data"))) : request.bytes("extra_data");
}
