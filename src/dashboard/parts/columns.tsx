import type { Visit } from "../visit.ts";
import { Money, NamedAccount, Status } from "./facts.tsx";
import type { Column } from "./table.tsx";

/** Columns that several tables have. */

export function networkColumn(visit: Visit): Column<{ readonly network: string }> {
  return { title: "Network", cell: ({ network }) => visit.network(network) };
}

export const AMOUNT: Column<{ readonly amount: string; readonly currency: string }> = {
  title: "Amount",
  isNumber: true,
  at: "amount",
  cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
};

export const STATUS: Column<{ readonly status: string }> = {
  title: "Status",
  at: "state",
  cell: ({ status }) => <Status value={status} />,
};

/** Of several accounts at once: their names take the place of a column. */
export function isAmongOthers(visit: Visit): boolean {
  return visit.seesAll && visit.accountWanted() === null;
}

/** For those who see several and haven't chosen one. */
export function accountColumn<Row extends { readonly accountId: number | null }>(
  visit: Visit,
): Column<Row>[] {
  const cell = ({ accountId }: Row) => <NamedAccount visit={visit} id={accountId} />;
  return isAmongOthers(visit) ? [{ title: "Account", isMinor: true, cell }] : [];
}
