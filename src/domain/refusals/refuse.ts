import { OperatorError } from "../refusal.ts";
import { ACCESS } from "../../access/rules/refusals.ts";
import { ACCOUNTS } from "../../accounts/rules/refusals.ts";
import { BOOKS } from "../../books/rules/refusals.ts";
import { COLLECTORS } from "../../collectors/rules/refusals.ts";
import { ENERGY } from "../../energy/rules/refusals.ts";
import { DEPOSITS } from "../../deposits/rules/refusals.ts";
import { FOLLOWING } from "../../following/rules/refusals.ts";
import { INTEGRITY } from "../../integrity/rules/refusals.ts";
import { NETWORKS } from "../../networks/rules/refusals.ts";
import { STORE } from "./store.ts";
import { SWEEPS } from "../../sweeps/rules/refusals.ts";
import { NOTIFICATIONS } from "../../notifications/rules/refusals.ts";
import { OPERATIONS } from "../../upkeep/rules/refusals.ts";
import { POLICIES } from "../../policies/rules/refusals.ts";
import { RATES } from "../../rates/rules/refusals.ts";
import { RECONCILE } from "../../reconcile/rules/refusals.ts";
import { ADOPTING, BACKUPS, RECOVERING, RESUMING } from "../../restore/rules/refusals.ts";
import { SETTLEMENT } from "../../settlement/rules/refusals.ts";
import { TRANSFERS } from "../../transfers/rules/refusals.ts";
import { WEBHOOKS } from "../../webhooks/rules/refusals.ts";
import { WITHDRAWALS } from "../../withdrawals/rules/refusals.ts";

/** The fact of each refusal, for every reader. What to do about it differs: see `RefusalWords`. */
export const FACTS = {
  ...STORE,
  ...BOOKS,
  ...INTEGRITY,
  ...NETWORKS,
  ...COLLECTORS,
  ...ENERGY,
  ...RATES,
  ...ACCOUNTS,
  ...ACCESS,
  ...TRANSFERS,
  ...DEPOSITS,
  ...POLICIES,
  ...WITHDRAWALS,
  ...SWEEPS,
  ...WEBHOOKS,
  ...NOTIFICATIONS,
  ...FOLLOWING,
  ...SETTLEMENT,
  ...RECONCILE,
  ...OPERATIONS,
  ...ADOPTING,
  ...RESUMING,
  ...RECOVERING,
  ...BACKUPS,
};

type Facts = typeof FACTS;
export type ActionRefusalCode = keyof Facts;

interface Cause {
  readonly cause?: unknown;
}

type Given<C extends ActionRefusalCode> = Parameters<Facts[C]> extends [infer F]
  ? [fields: F & Cause]
  : [fields?: Cause];

/** What an adapter says about some of them, in terms of its own commands or pages. */
export type RefusalWords = { readonly [C in ActionRefusalCode]?: Facts[C] };

/** What an action refuses to do for people, by a code that each adapter words for its readers. */
export class ActionRefused extends OperatorError {
  constructor(readonly code: ActionRefusalCode, readonly fields: object, cause?: unknown) {
    super(word(FACTS, { code, fields }), cause === undefined ? {} : { cause });
  }
}

export function refuse<C extends ActionRefusalCode>(
  code: C,
  ...[given = {}]: Given<C>
): ActionRefused {
  const { cause, ...fields } = given;
  return new ActionRefused(code, fields, cause);
}

export function wordRefusal(words: RefusalWords, refusal: ActionRefused): string | undefined {
  return words[refusal.code] && word(words, refusal);
}

/** `refuse` has matched the fields with the code. */
function word(
  words: RefusalWords,
  { code, fields }: { code: ActionRefusalCode; fields: object },
): string {
  return (words[code] as (fields: object) => string)(fields);
}
