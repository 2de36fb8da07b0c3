import { present } from "../../../base/assert.ts";
import { at, first, zip } from "../../../base/lists.ts";
import { NEEDS_MORE_GAS, type TransferRefused, type TransferRequest } from "../../transfer.ts";
import { NodeError } from "../../faults.ts";
import { hexBytes, hexOf, quantity } from "../decode.ts";
import { isTransferAnswerOk } from "../erc20.ts";
import { isOutOfGas, isRevert, isUnaffordable } from "../error_classes.ts";
import { resultOf, type RpcItem } from "../rpc_reply.ts";
import type { Rpc, RpcCall } from "../rpc.ts";
import { baseOf, callsFor, ESTIMATE, type TrialOptions } from "./_trial_calls.ts";

export type Trial =
  | {
    readonly kind: "passed";
    readonly gas: bigint;
    /** Gas needed if the recipient holds none of the token by then, if that was asked. */
    readonly newHolderGas?: bigint | undefined;
    /** Gas for the same transaction to an account that never existed, at this chain's current prices. */
    readonly baseGas: bigint;
    /** Whether the called address (recipient or token) has code. */
    readonly hasCode: boolean;
  }
  | TransferRefused;

const REASON_CHARS_MAX = 200;

export async function tryOut(rpc: Rpc, options: TrialOptions): Promise<Trial> {
  const calls = callsFor(options);
  const base = baseOf(options);
  const items = await ask(rpc, [base.call, ...calls]);
  const trial = readTrial(options.request, { own: items.slice(1), base: first(items) });
  if (!needsFunding(trial, options)) return trial;
  // A node may charge its L1 fees in a trial too.
  const overrides = fundedOverrides(options);
  const funded = [baseOf(options, overrides).call, ...callsFor(options, overrides)];
  const again = await rpc.batch(funded);
  return readTrial(options.request, { own: again.slice(1), base: first(again) });
}

const INVALID_PARAMS = -32_602;

/** Some old nodes estimate at a block of their own choice and accept no second argument. */
async function ask(rpc: Rpc, calls: readonly RpcCall[]): Promise<RpcItem[]> {
  const items = await rpc.batch(calls);
  const isOld = (call: RpcCall, item: RpcItem) =>
    call.method === ESTIMATE && !item.ok && item.error.code === INVALID_PARAMS;
  const refused = zip(calls, items).filter(([call, item]) => isOld(call, item));
  if (refused.length === 0) return items;
  const answers = await rpc.batch(
    refused.map(([{ params }]) => ({ method: ESTIMATE, params: params.slice(0, 1) })),
  );
  const again = new Map(zip(refused, answers).map(([[, item], answer]) => [item, answer]));
  return items.map((item) => again.get(item) ?? item);
}

const PLENTY_RAW = 2n ** 96n;

export function fundedOverrides({ request: { from, amountRaw } }: TrialOptions): unknown {
  return { [from]: { balance: hexOf(amountRaw + PLENTY_RAW) } };
}

function needsFunding(trial: Trial, { isFunded }: TrialOptions): boolean {
  return isFunded && trial.kind === "refused" && trial.cause === "unaffordable";
}

/** All in one body. Undefined where only a separate trial can decide. */
export async function tryOutAll(
  rpc: Rpc,
  asked: readonly TrialOptions[],
): Promise<(Trial | undefined)[]> {
  const bases = new Map(asked.map((options) => baseOf(options)).map((base) => [base.key, base]));
  const calls = asked.map((options) => callsFor(options));
  const items = await rpc.batch([...bases.values().map(({ call }) => call), ...calls.flat()]);
  const baseItems = new Map(zip([...bases.keys()], items.slice(0, bases.size)));
  let at = bases.size;
  return zip(asked, calls).map(([options, { length }]) => {
    const own = items.slice(at, at += length);
    try {
      const base = present(baseItems.get(baseOf(options).key), "Each has its base");
      const trial = readTrial(options.request, { own, base });
      return needsFunding(trial, options) ? undefined : trial;
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      return undefined;
    }
  });
}

function readTrial(
  request: TransferRequest,
  { own, base }: { own: readonly RpcItem[]; base: RpcItem },
): Trial {
  const [estimate, answer, code] = [at(own, 0), at(own, 1), at(own, 2)];
  const toNew = own[3];
  const refused = refusalOf(estimate) ?? refusalOf(answer);
  if (refused) return refused;
  const hasCode = hexBytes(resultOf(code), "code") !== "0x";
  if (request.contract !== null) {
    // A call of an address without code succeeds and answers nothing, just like USDT.
    if (!hasCode) return reverts("no contract is there");
    const unpaid = refusalOfAnswer(resultOf(answer));
    if (unpaid) return unpaid;
  }
  return {
    kind: "passed",
    gas: quantity(resultOf(estimate), "a gas estimate"),
    // A token may refuse holders it doesn't know.
    newHolderGas: toNew?.ok ? quantity(toNew.result, "a gas estimate") : undefined,
    baseGas: quantity(resultOf(base), "a gas estimate"),
    hasCode,
  };
}

export function refusalOfAnswer(answer: unknown): TransferRefused | undefined {
  return isTransferAnswerOk(answer)
    ? undefined
    : reverts("the token answers that it would not transfer");
}

export function reverts(reason: string): TransferRefused {
  return { kind: "refused", cause: "reverts", reason };
}

/** Undefined if the call succeeded. Any other error says nothing about the transfer. */
export function refusalOf(item: RpcItem): TransferRefused | undefined {
  if (item.ok) return undefined;
  const reason = item.error.text.slice(0, REASON_CHARS_MAX);
  if (isOutOfGas(item.error)) return reverts(NEEDS_MORE_GAS);
  if (isRevert(item.error)) return reverts(reason);
  if (isUnaffordable(item.error)) return { kind: "refused", cause: "unaffordable", reason };
  throw item.error;
}
