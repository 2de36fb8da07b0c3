import type { Visit } from "../visit.ts";
import { Money, NamedAccount, Status } from "./facts.tsx";
import type { Column } from "./table.tsx";

/** Columns that several tables have. */

export const NETWORK: Column<{ readonly network: string }> = {
  title: "Network",
  cell: ({ network }) => network,
};

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

/** Shown to operators only. */
export function accountColumn<Row extends { readonly accountId: number | null }>(
  visit: Visit,
): Column<Row>[] {
  const cell = ({ accountId }: Row) => <NamedAccount visit={visit} id={accountId} />;
  return visit.seesAll ? [{ title: "Account", isMinor: true, cell }] : [];
}
