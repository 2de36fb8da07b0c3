import type { Guarded, Made } from "../control/guarded.ts";
import type { Asking } from "./operation.ts";
import { doOrPropose } from "../proposals/propose.ts";
import { proposalShape } from "../proposals/shapes.ts";
import type { ProposalRow } from "../proposals/table.ts";

/** What dual control covers, as help says it. */
export const DUAL_CONTROL =
  "changes of rules, payees, receiving wallets, keys with withdraw, roles, second factors, sources " +
  "of rates, waiting times and this setting itself, unless they only make it stricter, and coins " +
  "taken out of gas wallets";

/** What is answered if it has to wait. */
export type Proposed = ReturnType<typeof proposalShape>;

interface Wish<Wanted, Result, Shape> {
  readonly wanted: Wanted;
  readonly made?: Made;
  shape(done: Result): Shape | Promise<Shape>;
  /** More to say about a proposal. */
  also?(row: ProposalRow): object;
}

/** The answer of a command whose change may have to wait for a second person. */
export async function changeOrPropose<Wanted extends object, Result, Shape extends object>(
  context: Asking,
  change: Guarded<Wanted, Result>,
  { shape, also, ...asked }: Wish<Wanted, Result, Shape>,
): Promise<Shape | Proposed> {
  const { actor } = context;
  const outcome = await doOrPropose(await context.deps(), change, { ...asked, actor });
  if (!outcome.proposal) return await shape(outcome.done);
  const { id } = outcome.proposal;
  context.note(
    `Nothing has changed: dual control is on, so somebody else must approve proposal ${id}`,
  );
  return { ...proposalShape(outcome.proposal), ...also?.(outcome.proposal) };
}
