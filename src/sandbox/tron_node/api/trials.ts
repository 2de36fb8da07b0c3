import { toHex, utf8 } from "../../../base/bytes.ts";
import type { Entry } from "../account.ts";
import { Accounts } from "../accounts.ts";
import { callContract, type Run } from "../contracts/run_contract.ts";
import { ContractValidation } from "../failures.ts";
import type { Transaction } from "../transactions.ts";
import { INTERNAL_TRANSACTION, RETURN, TRANSACTION_INFO } from "./answer_schemas.ts";
import { build, reported, shown, triggered } from "./builds.ts";
import { print, sparse } from "./proto.ts";
import type { Reading } from "./reads.ts";
import { int64In, type Message } from "./values.ts";
import { topOf } from "./view.ts";

const CONSTANT_CALL_ENERGY_MAX = 100_000_000n;

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
  const written = new Map<string, Entry>();
  const scratch = {
    get: (key: string) => written.get(key) ?? view.state.get(key),
    set: (key: string, changed: Entry) => void written.set(key, changed),
  };
  const accounts = new Accounts(
    scratch,
    () => chain.chainParameters,
    () => topOf(view).timestampMs,
  );
  return callContract({ accounts, contracts: chain.contracts }, {
    contract,
    caller: String(value.owner_address),
    value: int64In(value.call_value),
    data: String(value.data ?? ""),
    txId,
    limit: CONSTANT_CALL_ENERGY_MAX,
  });
}
