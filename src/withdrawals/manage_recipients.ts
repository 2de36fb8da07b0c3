import { rulesOf } from "../chains/registry.ts";
import { isFailing } from "./rules/failing_recipient.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { type FailedPayments, failedTwice } from "./reads/recipients.ts";
import { type AllowedRecipientRow, AllowedRecipients } from "./table.ts";
import { read, type View } from "../store/engine/workspace.ts";
import { alertRead, closeAlert } from "../books/alerts.ts";
import { recipientFailing } from "./failing_recipient.ts";
import { recordAudit } from "../books/records.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import { findNetwork } from "../books/find.ts";

/** A recipient who isn't paid again until an operator allows it. */
export interface FailingRecipient extends Omit<FailedPayments, "contract"> {
  readonly currency: string;
}

export async function failingRecipients(
  { db, catalog }: Pick<Deps, "db" | "catalog">,
): Promise<FailingRecipient[]> {
  const [found, known] = await Promise.all([failedTwice(db), catalog.current()]);
  return found.filter(({ signedAtMs }) => isFailing(signedAtMs)).map(({ contract, ...row }) => ({
    ...row,
    currency: known.currencyByContract(row.network, contract)?.symbol ?? contract ?? "",
  }));
}

interface AllowOrder {
  readonly network: string;
  readonly address: string;
  /** If absent, every account that may not pay it. */
  readonly accountId?: number | undefined;
  readonly actor: Actor;
}

/** An operator has looked: payments to it are tried again, and two more may fail. */
export async function allowRecipient(deps: Deps, order: AllowOrder): Promise<FailingRecipient[]> {
  const network = await findNetwork(deps, order.network);
  const { code } = network;
  const { isAddress, canonicalAddress } = rulesOf(network);
  if (!isAddress(order.address)) {
    throw refuse("address_wrong", { text: order.address, network: code });
  }
  const address = canonicalAddress(order.address);
  const refused = (await failingRecipients(deps)).filter((row) =>
    row.network === code && row.address === address &&
    (order.accountId === undefined || row.accountId === order.accountId)
  );
  if (refused.length === 0) {
    throw refuse("recipient_not_refused", { address, network: code });
  }
  const accountIds = [...new Set(refused.map(({ accountId }) => accountId))];
  const nowMs = deps.clock.nowMs();
  // If the clock was set back, earlier failures must still be before this time.
  const allowedAtMs = Math.max(nowMs, ...refused.flatMap(({ signedAtMs }) => signedAtMs));
  const rows = accountIds.map((accountId) => ({ accountId, network: code, address, allowedAtMs }));
  await deps.db.write({
    reads: rows.flatMap((row) => {
      const { kind, subject } = recipientFailing(row);
      return [read(AllowedRecipients, keyOf(row)), alertRead(kind, subject)];
    }),
    decide: (view) => rows.forEach((row) => allow(view, { row, actor: order.actor, nowMs })),
  });
  return refused;
}

function keyOf({ accountId, network, address }: AllowedRecipientRow) {
  return [accountId, network, address];
}

function allow(
  view: View,
  { row, actor, nowMs }: { row: AllowedRecipientRow; actor: Actor; nowMs: number },
): void {
  const { accountId, network, address, allowedAtMs } = row;
  const before = view.find(AllowedRecipients, keyOf(row));
  if (before) {
    view.update(AllowedRecipients, before, { allowedAtMs });
  } else view.insertKeyed(AllowedRecipients, row);
  closeAlert(view, { ...recipientFailing(row), nowMs });
  const subject = `account:${accountId}`;
  const sides = { before: { allowedAtMs: before?.allowedAtMs ?? null }, after: { allowedAtMs } };
  const detail = { network, address, ...sides };
  recordAudit(view, { actor, action: "recipient.allowed", subject, detail, nowMs });
}
