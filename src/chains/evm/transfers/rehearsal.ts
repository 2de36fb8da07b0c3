import { zip } from "../../../base/lists.ts";
import { NodeError } from "../../faults.ts";
import type { TransferRefused } from "../../transfer.ts";
import { resultOf, type RpcItem } from "../../pool/json/rpc_reply.ts";
import type { Rpc } from "../rpc.ts";
import { fundedOverrides, refusalOf, refusalOfAnswer } from "./trial.ts";
import { rehearsalCall, type Signed, type TrialOptions } from "./_trial_calls.ts";

export interface RehearsalOptions extends Omit<TrialOptions, "fee" | "likely">, Signed {}

export type Rehearsal = { readonly kind: "passed" } | TransferRefused;

/** Runs the very transaction that will be signed. */
export async function rehearse(rpc: Rpc, options: RehearsalOptions): Promise<Rehearsal> {
  const [item] = await rpc.batch([rehearsalCall(options)]);
  const rehearsal = readRehearsal(options, item);
  if (!needsFunding(rehearsal, options)) return rehearsal;
  const [again] = await rpc.batch([rehearsalCall(options, fundedOverrides(options))]);
  return readRehearsal(options, again);
}

/** All in one body. Undefined where only a separate rehearsal can decide. */
export async function rehearseAll(
  rpc: Rpc,
  asked: readonly RehearsalOptions[],
): Promise<(Rehearsal | undefined)[]> {
  const items = await rpc.batch(asked.map((options) => rehearsalCall(options)));
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
