import { present } from "../../../base/assert.ts";
import { at, first, last, zip } from "../../../base/lists.ts";
import { NEEDS_MORE_GAS, type TransferRefused, type TransferRequest } from "../../transfer.ts";
import { NodeError } from "../../faults.ts";
import { believed } from "../collector/gas_limits.ts";
import { hexBytes, hexOf, quantity } from "../decode.ts";
import { isTransferAnswerOk } from "../erc20.ts";
import { isOutOfGas, isRevert, isUnaffordable } from "../error_classes.ts";
import { resultOf, type RpcItem } from "../../pool/json/rpc_reply.ts";
import type { Newest } from "../../pool/endpoints.ts";
import type { Rpc, RpcCall } from "../rpc.ts";
import {
  baseOf,
  callOf,
  callsFor,
  ESTIMATE,
  isForNewHolder,
  type Signed,
  type TrialOptions,
} from "./_trial_calls.ts";
import { readState, stateCalls, type TriedWallets } from "../wallet_state.ts";

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
    /** What was rehearsed with it and passed. */
    readonly rehearsed?: Signed | undefined;
  }
  | TransferRefused;

const REASON_CHARS_MAX = 200;

export interface TrialPlace {
  readonly tried: TriedWallets;
  /** Of the node that is asked. */
  readonly newest: Newest | undefined;
}

export async function tryOut(
  rpc: Rpc,
  options: TrialOptions,
  place: TrialPlace,
): Promise<Trial> {
  const calls = callsFor(options);
  const base = baseOf(options);
  const wallet = walletAsked([options], place);
  const all = await ask(rpc, [base.call, ...calls, ...wallet.calls]);
  wallet.note(all.slice(1 + calls.length));
  const items = all.slice(0, 1 + calls.length);
  const trial = readTrial(options, { own: items.slice(1), base: first(items) });
  if (!needsFunding(trial, options)) return trial;
  // A node may charge its L1 fees in a trial too.
  const overrides = fundedOverrides(options);
  const funded = [baseOf(options, overrides).call, ...callsFor(options, overrides)];
  const again = await rpc.batch(funded);
  return readTrial(options, { own: again.slice(1), base: first(again) });
}

/** The state of the wallet that pays, in the same body, for whoever signs next. */
function walletAsked(asked: readonly TrialOptions[], { tried, newest }: TrialPlace) {
  const height = tried.heightOn(newest);
  if (height === undefined) return { calls: [], note: () => {} };
  const address = first(asked).request.from;
  const contracts = [...new Set(asked.flatMap(({ request }) => request.contract ?? []))];
  const wallet = { address, contracts };
  return {
    calls: stateCalls(wallet, height),
    note: (items: readonly RpcItem[]) => {
      // Whoever signs then asks for it.
      if (items.every(({ ok }) => ok)) tried.note(address, readState(items, { contracts, height }));
    },
  };
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
  place: TrialPlace,
): Promise<(Trial | undefined)[]> {
  const bases = new Map(asked.map((options) => baseOf(options)).map((base) => [base.key, base]));
  const calls = asked.map((options) => callsFor(options));
  const wallet = walletAsked(asked, place);
  const own = [...bases.values().map(({ call }) => call), ...calls.flat()];
  const items = await rpc.batch([...own, ...wallet.calls]);
  wallet.note(items.slice(own.length));
  const baseItems = new Map(zip([...bases.keys()], items.slice(0, bases.size)));
  let at = bases.size;
  return zip(asked, calls).map(([options, { length }]) => {
    const answers = items.slice(at, at += length);
    try {
      const base = present(baseItems.get(baseOf(options).key), "Each has its base");
      const trial = readTrial(options, { own: answers, base });
      return needsFunding(trial, options) ? undefined : trial;
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      return undefined;
    }
  });
}

function readTrial(
  { request, likely }: TrialOptions,
  { own, base }: { own: readonly RpcItem[]; base: RpcItem },
): Trial {
  const [estimate, answer, code] = [at(own, 0), at(own, 1), at(own, 2)];
  const toNew = isForNewHolder(request) ? at(own, 3) : undefined;
  const isRehearsed = likely !== undefined && hasPassed(request, last(own));
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
    gas: gasOf(request, estimate),
    // A token may refuse holders it doesn't know.
    newHolderGas: toNew?.ok ? gasOf(request, toNew) : undefined,
    baseGas: quantity(resultOf(base), "a gas estimate"),
    hasCode,
    rehearsed: isRehearsed ? likely : undefined,
  };
}

/** What a node estimates: no less than what is charged before anything runs. */
export function gasOf(request: TransferRequest, estimate: RpcItem): bigint {
  const bare = { ...callOf(request), authorizations: 0, running: 0n };
  return believed(quantity(resultOf(estimate), "a gas estimate"), bare);
}

/** What hasn't is rehearsed again, by itself. */
function hasPassed({ contract }: TransferRequest, item: RpcItem): boolean {
  return item.ok && (contract === null || isTransferAnswerOk(item.result));
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
