import type { PreparedTransfer } from "../chains/transfer.ts";
import { type CodeRecord, refusalOfCode } from "./rules/code_payments.ts";
import { codeRecords } from "../withdrawals/reads/recipients.ts";
import type { AddressRow } from "../wallets/tables/addresses.ts";
import { raiseAlert } from "../books/alerts.ts";
import { CannotPayYet } from "../domain/cannot_pay.ts";
import type { Deps } from "../deps/deps.ts";

const DAY_MS = 24 * 3_600_000;

const NOTHING: CodeRecord = { waiting: 0, paid: 0, failed: 0 };

/** A wallet's past payments to code, plus those of the current batch as they are added. */
export interface CodePayments {
  /** Counts the payment, or throws if it is one too many. */
  add(prepared: PreparedTransfer): void;
}

export async function codePayments(
  deps: Deps,
  { wallet, prepared }: { wallet: AddressRow; prepared: readonly PreparedTransfer[] },
): Promise<CodePayments> {
  if (!prepared.some(({ callsCode }) => callsCode)) return { add: () => {} };
  const { network, address: sender } = wallet;
  const sinceMs = deps.clock.nowMs() - DAY_MS;
  const records = await codeRecords(deps.db, { network, sender, sinceMs });
  return {
    add: ({ request: { to }, callsCode }) => {
      if (!callsCode) return;
      const refusal = refusalOfCode(records, to);
      if (refusal === "account") void alertUnproven(deps, wallet);
      if (refusal) throw new CannotPayYet(REFUSALS[refusal]);
      const record = records.get(to) ?? NOTHING;
      records.set(to, { ...record, waiting: record.waiting + 1 });
    },
  };
}

const REFUSALS = {
  recipient:
    "Earlier payments to this recipient's contract are not in a block yet: try again later",
  account: "Too many payments to contracts have failed or are not in a block yet: try again later",
};

async function alertUnproven(deps: Deps, { accountId, network }: AddressRow): Promise<void> {
  const alert = {
    kind: "recipient_failing",
    subject: `account:${accountId} network:${network}`,
    ...accountId === null ? {} : { accountId },
    message: `Account ${accountId} pays too many contracts on ${network} that have never taken a ` +
      "payment before: further ones are refused until those are in a block, or for 24 hours " +
      "where they failed",
  } as const;
  await raiseAlert(deps, alert).catch((error) =>
    deps.log.warn("no alert could be written", { error })
  );
}
