import type { Statement } from "../../accounts/statement.ts";
import { assetOf } from "../../domain/money/amount.ts";
import { LEDGER_KINDS, type LedgerKind } from "../../domain/money/balance.ts";
import { changedValues, changeOf } from "../rules/statement.ts";
import { Money } from "../../dashboard/parts/facts.tsx";
import { type Column, Table } from "../../dashboard/parts/table.tsx";
import { KIND_NAMES, signed, Valued } from "./lines.tsx";

const PLURALS: Readonly<Record<LedgerKind, string>> = {
  credit: "Deposits",
  reversal: "Deposits undone",
  hold: "Held for payouts",
  release: "Holds released",
  debit: "Payouts with their fees",
  adjust: "Manual bookings",
};

interface TotalRow {
  readonly name: string;
  readonly entries: number | null;
  readonly balance: string;
  readonly held: string;
  readonly values: ReturnType<typeof changedValues>;
}

/** From the opening to the closing balance, in one row per kind. */
export const Totals = ({ statement }: { statement: Statement }) => {
  const rows = rowsOf(statement);
  const isValued = rows.some(({ values }) => values.length > 0);
  return (
    <>
      {!statement.addsUp && <Wrong />}
      <Table
        caption={`Totals of ${assetOf(statement.span)}`}
        rows={rows}
        columns={isValued ? [...COLUMNS, VALUE] : COLUMNS}
        empty=""
      />
    </>
  );
};

function rowsOf({ opening, closing, totals }: Statement): TotalRow[] {
  const edge = (name: string, { balance, held }: Statement["opening"]): TotalRow => ({
    ...{ name, entries: null, values: [] },
    ...{ balance: balance.toString(), held: held.toString() },
  });
  const kinds = LEDGER_KINDS.flatMap((kind): TotalRow[] => {
    const total = totals?.get(kind);
    if (!total) return [];
    const { balance, held } = changeOf({ kind, amount: total.amount });
    return [{
      name: total.entries === 1 ? KIND_NAMES[kind] : PLURALS[kind],
      entries: total.entries,
      balance: signed(balance.toString()),
      held: signed(held.toString()),
      values: changedValues(kind, total.values).filter(({ value }) => value !== "0"),
    }];
  });
  return [edge("Opening balance", opening), ...kinds, edge("Closing balance", closing)];
}

const COLUMNS: readonly Column<TotalRow>[] = [
  {
    title: "Total",
    at: "title",
    cell: ({ name, entries }) => entries === null ? <strong>{name}</strong> : name,
  },
  { title: "Entries", isNumber: true, isMinor: true, cell: ({ entries }) => entries ?? "" },
  {
    title: "Balance",
    isNumber: true,
    at: "amount",
    cell: ({ balance }) => <Money amount={balance} isWhole />,
  },
  {
    title: "Held",
    isNumber: true,
    isMinor: true,
    cell: ({ held }) => <Money amount={held} isWhole />,
  },
];

const VALUE: Column<TotalRow> = {
  title: "Value then",
  isNumber: true,
  cell: ({ values, entries }) => values.map((one) => <ValueTotal of={entries} {...one} />),
};

/** A sum that lacks entries says so. */
const ValueTotal = (
  { value, currency, entries, of }: TotalRow["values"][number] & { of: number | null },
) => (
  <div>
    <Valued value={value} currency={currency} />
    {entries !== of && <div class="small quiet">{`${entries} of ${of} entries`}</div>}
  </div>
);

const Wrong = () => (
  <p class="message fault" role="alert">
    These entries do not lead from the opening to the closing balance, so don't use this statement.
    The operator has to check the ledger.
  </p>
);
