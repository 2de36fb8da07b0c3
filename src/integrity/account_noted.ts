import { AccountCurrencies, Accounts } from "../accounts/tables/accounts.ts";
import { NotSignedYet } from "../books/stopped.ts";
import { reportTampered } from "../books/tampered.ts";
import { accountWords } from "../control/reads/account_words.ts";
import type { Deps } from "../deps/deps.ts";
import { OldRow } from "./newest.ts";
import { INTEGRITY } from "./rules/refusals.ts";
import { TamperedRow } from "../store/engine/tampered_row.ts";
import { type WithdrawalRow, Withdrawals } from "../withdrawals/table.ts";

/** An old row of its account let it pass. */
class WronglyAccepted extends TamperedRow {
  override name = "WronglyAccepted";
  override until = "you have cancelled it";

  constructor({ id, accountId }: WithdrawalRow) {
    const row = { key: String(id), accountId };
    super(Withdrawals.name, row, INTEGRITY.withdrawal_not_allowed({ id }));
  }
}

/** Whether the log says that the account couldn't be paid from when it was requested. */
export async function wasWronglyAccepted(
  { db }: Pick<Deps, "db">,
  row: WithdrawalRow,
): Promise<boolean> {
  const { wasSuspended, wasBarred } = await accountWords(db, row);
  return wasSuspended || wasBarred;
}

/**
 * The log has the last word on suspensions and on currencies that an operator switched off: an
 * account's old row has a valid seal.
 */
export async function checkAccountNoted(deps: Deps, row: WithdrawalRow): Promise<void> {
  const words = await accountWords(deps.db, row);
  const fault = faultOf(words, row);
  if (fault) {
    await reportTampered(deps, fault);
    throw fault;
  }
  if (words.isSuspended) throw new NotSignedYet("The account is suspended");
}

function faultOf(
  words: Awaited<ReturnType<typeof accountWords>>,
  row: WithdrawalRow,
): TamperedRow | undefined {
  const { accountId, network, currency } = row;
  if (words.wasSuspended || words.wasBarred) return new WronglyAccepted(row);
  if (words.isSaidSuspended && !words.isSuspended) {
    const account = new TamperedRow(Accounts.name, { key: String(accountId), accountId });
    return new OldRow(account, "account_suspended");
  }
  if (!words.isSaidOff || !words.isOn) return undefined;
  const key = [accountId, network, currency].join("/");
  const switches = new TamperedRow(AccountCurrencies.name, { key, accountId });
  return new OldRow(switches, "payouts_switched_off");
}
