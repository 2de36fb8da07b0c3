import { zip } from "../../../base/lists.ts";
import { NodeError } from "../../faults.ts";
import type { TransferRefused } from "../../transfer.ts";
import { hexOf } from "../decode.ts";
import type { Fee } from "./fees.ts";
import { resultOf, type RpcItem } from "../rpc_reply.ts";
import type { Rpc, RpcCall } from "../rpc.ts";
import { fundedOverrides, refusalOf, refusalOfAnswer } from "./trial.ts";
import { atLatest, callOf, offered, type TrialOptions } from "./_trial_calls.ts";

export interface RehearsalOptions extends TrialOptions {
  /** Both exactly as they will be signed: code can look at them and behave differently without. */
  readonly gas: bigint;
  readonly fee: Fee;
}

export type Rehearsal = { readonly kind: "passed" } | TransferRefused;

/** Runs the very transaction that will be signed. */
export async function rehearse(rpc: Rpc, options: RehearsalOptions): Promise<Rehearsal> {
  const [item] = await rpc.batch([callFor(options)]);
  const rehearsal = readRehearsal(options, item);
  if (!needsFunding(rehearsal, options)) return rehearsal;
  const [again] = await rpc.batch([callFor(options, fundedOverrides(options))]);
  return readRehearsal(options, again);
}

/** All in one body. Undefined where only a separate rehearsal can decide. */
export async function rehearseAll(
  rpc: Rpc,
  asked: readonly RehearsalOptions[],
): Promise<(Rehearsal | undefined)[]> {
  const items = await rpc.batch(asked.map((options) => callFor(options)));
  return zip(asked, items).map(([options, item]) => {
    try {
      const rehearsal = readRehearsal(options, item);
      return needsFunding(rehearsal, options) ? undefined : rehearsal;
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      return undefined;
    }
  });
}

/** Overrides are a last resort: code that looks at balances would see them. */
function callFor({ request, gas, fee }: RehearsalOptions, overrides?: unknown): RpcCall {
  const { to, valueRaw, data } = callOf(request);
  const tx = { from: request.from, to, value: hexOf(valueRaw), data };
  const full = { ...tx, gas: hexOf(gas), ...offered(fee) };
  return { method: "eth_call", params: atLatest(full, overrides) };
}

function readRehearsal({ request }: RehearsalOptions, item: RpcItem): Rehearsal {
  const refused = refusalOf(item);
  if (refused) return refused;
  const answer = resultOf(item);
  const unpaid = request.contract === null ? undefined : refusalOfAnswer(answer);
  return unpaid ?? { kind: "passed" };
}

function needsFunding(rehearsal: Rehearsal, { isFunded }: RehearsalOptions): boolean {
  return isFunded && rehearsal.kind === "refused" && rehearsal.cause === "unaffordable";
}
