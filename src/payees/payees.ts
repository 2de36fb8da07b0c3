import { beginOf, looksLike } from "../chains/any_address.ts";
import { rulesOf } from "../chains/registry.ts";
import { refuse } from "../domain/refusals/refuse.ts";
import { payeesOf, recipientsLike } from "./reads.ts";
import { type PayeeRow, Payees } from "./table.ts";
import { read } from "../store/engine/workspace.ts";
import { findAccount, findNetwork } from "../books/find.ts";
import { insertNotice } from "../books/alerts.ts";
import { isoUtc } from "../domain/time.ts";
import { recordAudit } from "../books/records.ts";
import { guardOf } from "../control/guard.ts";
import { type By, guarded } from "../control/guarded.ts";
import { lastSaidOf } from "../control/reads/last_words.ts";
import type { Actor, Deps } from "../deps/deps.ts";
import type { NetworkRow } from "../networks/table.ts";

const ADDED = "payee.added";
const REMOVED = "payee.removed";

interface NewPayee {
  readonly accountId: number;
  readonly network: string;
  readonly address: string;
  readonly label: string;
  readonly usableAfterMs: number;
}

interface AddedPayee {
  readonly row: PayeeRow;
  /** A known address that this one could be mistaken for. */
  readonly looksLike: string | undefined;
}

export const payeeAdd = guarded({
  kind: "payee.add",
  ability: "pay",
  sentence: ({ accountId, network, address, label }: NewPayee) =>
    `add "${label}", ${address} on ${network}, as a payee of account ${accountId}`,
  run: (deps, wanted, how) => addPayee(deps, { ...wanted, ...how }),
});

/** Added again, it waits as long as the first time, or longer. */
export async function addPayee(deps: Deps, order: NewPayee & By): Promise<AddedPayee> {
  const { accountId, label, usableAfterMs, actor, mandate } = order;
  await findAccount(deps, accountId);
  const network = await findNetwork(deps, order.network);
  const address = payeeAddress(network, order.address);
  const place = { accountId, network: network.code, address };
  const other = await lookAlike(deps, place);
  const known = read(Payees, [accountId, network.code, address], "recipient");
  const guard = await guardOf(deps, { accountId, mandate });
  const row = await deps.db.write({
    reads: [known, ...guard.reads],
    decide: (view) => {
      const { nowMs } = view;
      const before = view.rowOf(known);
      if (before?.removedAtMs === null) throw refuse("payee_listed", { id: before.id, address });
      const after = { ...place, label, usableAfterMs, looksLike: other ?? null };
      guard.pass(view, { isLooser: true, before: before ?? null, after });
      const usableAtMs = Math.max(before?.usableAtMs ?? 0, nowMs + usableAfterMs);
      const fresh = { ...place, label, usableAtMs, createdAtMs: nowMs, removedAtMs: null };
      const row = before ? view.update(Payees, before, fresh) : view.insert(Payees, fresh);
      const detail = { before: before ?? null, after: row, usableAtMs };
      const subject = subjectOf(row);
      recordAudit(view, { actor, action: ADDED, subject, detail, nowMs });
      insertNotice(view, { topic: "security", accountId, ...said(row, other), nowMs });
      return row;
    },
  });
  return { row, looksLike: other };
}

/** While it waits, whoever didn't add it can still remove it. */
function said(
  { accountId, network, address, label, usableAtMs }: PayeeRow,
  other: string | undefined,
): { title: string; text: string } {
  const known = other === undefined ? "" : ` It looks like ${other}, but it is another address.`;
  return {
    title: `Check the new payee "${label}" of account ${accountId}`,
    text: `${address} on ${network}, usable from ${isoUtc(usableAtMs)} on.${known}`,
  };
}

export async function removePayee(
  deps: Deps,
  { id, actor }: { id: number; actor: Actor },
): Promise<PayeeRow> {
  return await deps.db.write({
    reads: [read(Payees, [id])],
    decide: (view) => {
      const before = view.find(Payees, [id]);
      if (!before || before.removedAtMs !== null) throw refuse("payee_unknown", { id });
      const { nowMs } = view;
      const stricter = view.atOnce("one payee less is stricter");
      const row = stricter.update(Payees, before, { removedAtMs: nowMs });
      const detail = { before, after: row };
      const subject = subjectOf(row);
      recordAudit(view, { actor, action: REMOVED, subject, detail, nowMs });
      return row;
    },
  });
}

/**
 * From when on the log says that it may be used; undefined: it doesn't, or not any more. An old row
 * with a valid seal may have been put back.
 */
export async function usableFrom(
  { db }: Pick<Deps, "db">,
  id: number,
): Promise<number | undefined> {
  const last = await lastSaidOf(db, { subject: subjectOf({ id }), actions: [ADDED, REMOVED] });
  return last?.action === ADDED ? Number(last.detail.usableAtMs) : undefined;
}

function subjectOf({ id }: Pick<PayeeRow, "id">): string {
  return `payee:${id}`;
}

/** As the network writes it; throws if it is no address there. */
export function payeeAddress(network: NetworkRow, address: string): string {
  const { isAddress, canonicalAddress } = rulesOf(network);
  if (!isAddress(address)) throw refuse("payee_address_wrong", { address, network: network.code });
  return canonicalAddress(address);
}

/** Address poisoning: a payment of nothing from an address that looks like one in use. */
export async function lookAlike(
  { db }: Deps,
  place: { accountId: number; network: string; address: string },
): Promise<string | undefined> {
  const begin = beginOf(place.address);
  const [payees, recipients] = await Promise.all([
    payeesOf(db, place),
    recipientsLike(db, { ...place, begin }),
  ]);
  const known = [...payees.map(({ address }) => address), ...recipients];
  return known.find((address) => looksLike(address, place.address));
}
