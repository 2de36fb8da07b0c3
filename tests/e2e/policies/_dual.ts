import { setSettings } from "../../../src/access/require_second_factor.ts";
import { setAccount } from "../../../src/accounts/set_account.ts";
import { COMMAND_LINE, type Decider } from "../../../src/approvals/decider.ts";
import { isGatewayRole, type Role } from "../../../src/access/rules/roles.ts";
import { ActionRefused } from "../../../src/domain/refusals/refuse.ts";
import { makePerson as person } from "../../support/people/proposals.ts";
import { makeRuled, type Ruled } from "./_ruled.ts";

/** Two operators, an account with a merchant, and dual control of both. */
export interface Dual extends Ruled {
  readonly ann: Decider;
  readonly bob: Decider;
  readonly merchant: Decider;
}

export const CLI: Decider = { person: COMMAND_LINE, actor: "cli", user: undefined };

export function makePerson(
  { deps, accountId }: Pick<Ruled, "deps" | "accountId">,
  role: Role,
  name: string,
): Promise<Decider> {
  return person(deps, { role, name, accountId: isGatewayRole(role) ? null : accountId });
}

export async function makeDual(
  { before = async () => {} }: { before?: (ruled: Ruled) => Promise<void> } = {},
): Promise<Dual> {
  const ruled = await makeRuled();
  await before(ruled);
  const ann = await makePerson(ruled, "operator", "ann");
  const bob = await makePerson(ruled, "operator", "bob");
  const merchant = await makePerson(ruled, "merchant", "merchant");
  const on = { change: { dualControl: true }, actor: "test" };
  await setSettings(ruled.deps, on);
  await setAccount(ruled.deps, { id: ruled.accountId, ...on });
  return { ...ruled, ann, bob, merchant };
}

export async function refusalOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof ActionRefused) return error.code;
    return error instanceof Error ? error.name : String(error);
  }
  return "none";
}
