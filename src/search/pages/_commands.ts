import { foldAscii } from "../../base/fold_ascii.ts";
import { withAccount } from "../../dashboard/parts/account.tsx";
import type { Visit } from "../../dashboard/visit.ts";
import { orderName } from "../../dashboard/words/orders.ts";
import { search } from "../reads/search.ts";
import { searchTerm } from "../words/term.ts";

/** A page to go to, which does what was typed. */
export interface Command {
  readonly title: string;
  readonly path: string;
  /** What was typed is all of its name. */
  readonly isExact: boolean;
}

/** Pages that aren't in the navigation, as one would ask for them. */
const DOINGS: readonly (readonly [title: string, path: string])[] = [
  ["New invoice", "/invoices/new"],
  ["New payout", "/withdrawals/new"],
  ["Pay many at once", "/batches/new"],
  ["New payment link", "/payment-links/new"],
  ["New API key", "/keys/new"],
  ["New webhook", "/webhooks/new"],
  ["New rule", "/rules/new"],
  ["New user", "/users/new"],
  ["Inbox", "/inbox"],
  ["Stop all payouts", "/stop"],
];

/** Pages whose names begin like that, or have a word that does; all of them if nothing was typed. */
export function commandsFor(visit: Visit, typed: string): Command[] {
  const wanted = foldAscii(typed.trim());
  const pages = visit.facts.nav.map(({ label, path }) => [label, path] as const);
  return [...DOINGS, ...pages].flatMap(([title, path]) => {
    const name = foldAscii(title);
    const isMeant = name.startsWith(wanted) || name.includes(` ${wanted}`);
    if (!isMeant || !visit.may("GET", path)) return [];
    return [{ title, path: withAccount(visit, path), isExact: name === wanted }];
  });
}

const REFUND = /^refund +(?:order +|invoice +)?(\S.*)$/i;
const INVOICES_MAX = 8;

/** "refund 1042" for the invoice with this reference or number. */
export async function refundsFor(visit: Visit, typed: string): Promise<Command[]> {
  const term = searchTerm(REFUND.exec(typed.trim())?.[1] ?? "");
  if (!term) return [];
  const asked = { term, accountId: visit.accountId, limit: INVOICES_MAX };
  const { invoices } = await search(visit.deps.db, asked);
  const exact = invoices.filter(({ id, reference }) =>
    id === term.id || reference !== null && foldAscii(reference) === term.folded
  );
  return (exact.length > 0 ? exact : invoices).flatMap((row) => {
    const path = `/invoices/${row.id}/refund`;
    if (!visit.may("GET", path)) return [];
    return [{ title: `Refund ${orderName(row)}`, path, isExact: exact.includes(row) }];
  });
}
