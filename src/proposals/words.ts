import type { Guarded, Made } from "../control/guarded.ts";
import { doOrPropose, type Outcome } from "./propose.ts";
import type { ProposalRow } from "./table.ts";
import type { Visit } from "../dashboard/visit.ts";

/** Makes the change, or a proposal of it if dual control wants a second person. */
export function changeOrPropose<Wanted extends object, Result>(
  { deps, actor }: Visit,
  change: Guarded<Wanted, Result>,
  asked: { readonly wanted: Wanted; readonly made?: Made },
): Promise<Outcome<Result>> {
  return doOrPropose(deps, change, { ...asked, actor });
}

export function waitsText({ id }: Pick<ProposalRow, "id">): string {
  return `Nothing has changed yet: somebody else must approve proposal ${id} in their inbox`;
}

/** Saying again that it is off would look like switching it off. */
export function switched(
  dualControl: boolean,
  before: boolean | null,
): { readonly dualControl?: boolean } {
  return dualControl === (before === true) ? {} : { dualControl };
}
