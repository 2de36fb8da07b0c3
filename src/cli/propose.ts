import { doOrPropose } from "../actions/proposals/propose.ts";
import type { Made, Results } from "../actions/proposals/carry_out.ts";
import type { OrderKind, Orders } from "../domain/access/orders.ts";
import type { ProposalRow } from "../store/tables/control/proposals.ts";
import type { Asking } from "../operations/operation.ts";
import { proposalShape } from "./shapes/control.ts";

/** What dual control covers, as help says it. */
export const DUAL_CONTROL =
  "changes of rules, payees, receiving wallets, keys with withdraw, roles, second factors, sources " +
  "of rates, waiting times and this setting itself, unless they only make it stricter";

interface Change<K extends OrderKind> {
  readonly kind: K;
  readonly wanted: Orders[K];
  readonly made?: Made;
  shape(done: Results[K]): object | Promise<object>;
  /** More to say about a proposal. */
  also?(row: ProposalRow): object;
}

/** The answer of a command whose change may have to wait for a second person. */
export async function changeOrPropose<K extends OrderKind>(
  context: Asking,
  { shape, also, ...asked }: Change<K>,
): Promise<object> {
  const outcome = await doOrPropose(await context.deps(), { ...asked, actor: context.actor });
  if (!outcome.proposal) return await shape(outcome.done);
  const { id } = outcome.proposal;
  context.note(
    `Nothing has changed: dual control is on, so somebody else must approve proposal ${id}`,
  );
  return { ...proposalShape(outcome.proposal), ...also?.(outcome.proposal) };
}
