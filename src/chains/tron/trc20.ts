import { readTokenText, type TokenTexts } from "../token_text.ts";
import { NodeError } from "../faults.ts";
import { type TokenMove, transferReader } from "../token_moves.ts";
import { encodeAddress, fromEvmAddress } from "./address.ts";
import { hexBytes, list, record } from "./decode.ts";
import { decodeLog, type TronLog } from "./blocks/decode_info.ts";
import { type NodeView, type TronNode, wordsOf } from "./node.ts";

export const TRANSFER_SELECTOR = "a9059cbb";
export const TRANSFER_FUNCTION = "transfer(address,uint256)";

/** Call arguments without the selector. Addresses are 21 bytes in hex. */
export function transferArguments({ to, amountRaw }: { to: string; amountRaw: bigint }): string {
  return addressWord(to) + amountRaw.toString(16).padStart(64, "0");
}

export const readTransferLog = transferReader({ prefix: "", addressOf: fromEvmAddress });

export function readTransferLogs(logs: readonly TronLog[]): TokenMove[] {
  return logs.flatMap((log) => readTransferLog(log) ?? []);
}

export type Trial =
  | {
    readonly kind: "answered";
    readonly words: string;
    readonly energy: bigint;
    /** Undefined if the node doesn't report logs. */
    readonly logs: readonly TronLog[] | undefined;
  }
  | { readonly kind: "failed"; readonly reason: string };

interface ContractCall {
  readonly from: string;
  readonly contract: string;
  readonly function: string;
  readonly arguments: string;
  readonly view?: NodeView;
}

/** Runs the call on this node only. Nodes refuse in three different forms. */
export async function tryCall(node: TronNode, call: ContractCall): Promise<Trial> {
  const answer = record(
    await node.ask(`${call.view ?? "wallet"}/triggerconstantcontract`, {
      owner_address: call.from,
      contract_address: call.contract,
      function_selector: call.function,
      parameter: call.arguments,
      call_value: 0,
    }),
    "a trial",
  );
  const { result, code, message } = record(answer.result, "a trial's result");
  if (result !== true || code !== undefined) {
    return { kind: "failed", reason: wordsOf(message ?? code) };
  }
  const { ret } = record(answer.transaction ?? {}, "a trial's transaction");
  const [end] = list(ret ?? [], "a trial's end").map((item) => record(item, "a trial's end"));
  if (end?.ret === "FAILED" || message !== undefined) {
    return { kind: "failed", reason: wordsOf(message) };
  }
  const words = list(answer.constant_result ?? [], "a trial's answer");
  const { energy_used: used } = answer;
  if (typeof used !== "number" || !Number.isSafeInteger(used) || used < 0) {
    throw new NodeError(`${node.host} gives no energy for a trial`);
  }
  return {
    kind: "answered",
    words: hexBytes(words[0], "a trial's answer"),
    energy: BigInt(used),
    logs: answer.logs === undefined
      ? undefined
      : list(answer.logs, "a trial's logs").map(decodeLog),
  };
}

/** No answer is not a balance of zero. */
export async function balanceOn(
  node: TronNode,
  { owner, contract, view }: { owner: string; contract: string; view: NodeView },
): Promise<bigint> {
  const trial = await tryCall(node, {
    from: owner,
    view,
    contract,
    function: "balanceOf(address)",
    arguments: addressWord(owner),
  });
  if (trial.kind === "answered" && trial.words.length === 64) return BigInt(`0x${trial.words}`);
  const why = trial.kind === "failed" ? trial.reason : "is it a token?";
  throw new NodeError(`${encodeAddress(contract)} answers no balance: ${why}`);
}

/** Undefined if there is no token. */
export async function decimalsOn(node: TronNode, contract: string): Promise<number | undefined> {
  const trial = await tryCall(node, {
    from: contract,
    contract,
    function: "decimals()",
    arguments: "",
  });
  if (trial.kind === "failed" || trial.words.length !== 64) return undefined;
  const decimals = BigInt(`0x${trial.words}`);
  return decimals > 255n ? undefined : Number(decimals);
}

/** Undefined if there is no token. */
export async function textsOn(node: TronNode, contract: string): Promise<TokenTexts | undefined> {
  const [name, symbol] = await Promise.all(["name()", "symbol()"].map(async (called) => {
    const trial = await tryCall(node, {
      from: contract,
      contract,
      function: called,
      arguments: "",
    });
    return trial.kind === "failed" ? undefined : readTokenText(trial.words);
  }));
  return name && symbol ? { name, symbol } : undefined;
}

function addressWord(address: string): string {
  return address.slice(2).padStart(64, "0");
}
