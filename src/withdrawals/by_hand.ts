import { present } from "../base/assert.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import type { Given, Payout } from "./rules/fields.ts";
import { isSamePayout } from "./rules/same_payout.ts";
import type { WithdrawalRow } from "./table.ts";
import { broadcastWithdrawal } from "./broadcast.ts";
import { createWithdrawal } from "./create.ts";
import type { WithdrawalInput } from "./hold.ts";
import type { HandCaller } from "../books/claim_signature.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { findAccount } from "../books/find.ts";
import { handKeyOf } from "../access/manage_api_keys.ts";

export interface HandOrder extends Payout, Given {
  readonly accountId: number;
  /** A form sent twice pays once. */
  readonly clientReference: string;
  readonly actor: Actor;
}

/** A person is waiting for the page. */
const BUDGET_MS = 8_500;

/** With the same checks, hold and sending as through the API. */
export function withdrawByHand(deps: Deps, order: HandOrder): Promise<WithdrawalRow> {
  return payAs(deps, order, (input) => createWithdrawal(deps, input));
}

interface Made {
  readonly row: WithdrawalRow;
  readonly isReplay: boolean;
  /** An earlier one with this reference had another purpose. */
  readonly isOther?: boolean;
}

/** Sends what the person made, unless somebody has to approve it. */
export async function payAs(
  deps: Deps,
  order: HandOrder,
  make: (input: WithdrawalInput & { caller: HandCaller }) => Promise<Made>,
): Promise<WithdrawalRow> {
  const { actor, accountId, ...wanted } = order;
  await findAccount(deps, accountId);
  const keyId = await handKeyOf(deps, { accountId, actor });
  const caller = { accountId, keyId, actor, signature: null };
  const { row, isReplay, isOther } = await make({ ...wanted, caller });
  if (row.approval === "waiting" && !isReplay) return row;
  if (!isReplay) return await broadcastWithdrawal(deps, row, { actor, budgetMs: BUDGET_MS });
  const catalog = await deps.catalog.current();
  const { decimals } = present(catalog.currency(row.network, row.currency), "Currencies stay");
  if (isOther || !isSamePayout(row, order, { decimals })) {
    const { clientReference: reference } = order;
    throw refuse("withdrawal_reference_taken", { id: row.id, reference });
  }
  return row;
}
