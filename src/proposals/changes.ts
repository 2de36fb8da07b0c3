import { invariant } from "../base/assert.ts";
import type { ProposalRow } from "./table.ts";
import { userEnable, userReset, userSetRole } from "../access/change_user.ts";
import { keyCreate } from "../access/manage_api_keys.ts";
import { secondFactorOff } from "../access/manage_second_factor.ts";
import { userCreate } from "../access/manage_users.ts";
import { settingSet } from "../access/require_second_factor.ts";
import { roleKeyCreate } from "../access/role_keys.ts";
import { keySet } from "../access/set_api_key.ts";
import { receivingWalletSet } from "../accounts/receiving_wallet.ts";
import { accountSet } from "../accounts/set_account.ts";
import type { Guarded } from "../control/guarded.ts";
import { rowAccept } from "../integrity/manage_integrity.ts";
import { rulesAccept } from "../policies/accept.ts";
import { ruleEdit, ruleRemove, ruleSwitchOff } from "../policies/manage.ts";
import { payeeAdd } from "../payees/payees.ts";
import { gasWithdraw } from "../transfers/withdraw_gas.ts";
import { rateSourceAdd, rateSourceRemove } from "../rates/manage.ts";

/** Every change that dual control covers. One that isn't here is neither proposed nor carried out. */
export const CHANGES: readonly Guarded[] = [
  ruleSwitchOff,
  ruleRemove,
  ruleEdit,
  rulesAccept,
  payeeAdd,
  receivingWalletSet,
  keyCreate,
  roleKeyCreate,
  keySet,
  userCreate,
  userReset,
  userEnable,
  userSetRole,
  secondFactorOff,
  accountSet,
  settingSet,
  rateSourceAdd,
  rateSourceRemove,
  rowAccept,
  gasWithdraw,
];

const BY_KIND: ReadonlyMap<string, Guarded> = new Map(
  CHANGES.map((change) => [change.kind, change]),
);

export function changeOf({ kind }: Pick<ProposalRow, "kind">): Guarded {
  const change = BY_KIND.get(kind);
  invariant(change, () => `A proposal of an unknown kind: ${kind}`);
  return change;
}

export function proposalSentence(row: Pick<ProposalRow, "kind" | "wanted" | "before">): string {
  return changeOf(row).sentence(row.wanted, { ...row.before });
}

/** Not one that an account's own people set. */
export function isOperatorsRule(row: Pick<ProposalRow, "kind" | "before">): boolean {
  if (changeOf(row).ability !== "manage_rules") return false;
  return row.before === null || !("setBy" in row.before) || row.before.setBy !== "merchant";
}
