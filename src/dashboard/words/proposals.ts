import { doOrPropose, type Outcome } from "../../actions/proposals/propose.ts";
import type { Made, Results } from "../../actions/proposals/carry_out.ts";
import type { OrderKind, Orders } from "../../domain/access/orders.ts";
import type { ProposalRow } from "../../store/tables/control/proposals.ts";
import type { Visit } from "../visit.ts";

interface Change<K extends OrderKind> {
  readonly kind: K;
  readonly wanted: Orders[K];
  readonly made?: Made;
}

/** Makes the change, or a proposal of it if dual control wants a second person. */
export function changeOrPropose<K extends OrderKind>(
  { deps, actor }: Visit,
  change: Change<K>,
): Promise<Outcome<Results[K]>> {
  return doOrPropose(deps, { ...change, actor });
}

export function waitsText({ id }: ProposalRow): string {
  return `Nothing has changed yet: somebody else must approve proposal ${id} in their inbox`;
}

/** Saying again that it is off would look like switching it off. */
export function switched(
  dualControl: boolean,
  before: boolean | null,
): { readonly dualControl?: boolean } {
  return dualControl === (before === true) ? {} : { dualControl };
}
