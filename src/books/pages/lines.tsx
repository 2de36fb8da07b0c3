import { adjustersOf } from "../../accounts/adjusters.ts";
import { Amount, assetOf } from "../../domain/money/amount.ts";
import type { LedgerKind } from "../../domain/money/balance.ts";
import { changedValue, changeOf } from "../rules/statement.ts";
import type { LedgerEntryRow } from "../table.ts";
import { Users } from "../../access/tables/users.ts";
import { Money, Time } from "../../dashboard/parts/facts.tsx";
import type { Column } from "../../dashboard/parts/table.tsx";
import { BASE, type Visit } from "../../dashboard/visit.ts";

export const KIND_NAMES: Readonly<Record<LedgerKind, string>> = {
  credit: "Deposit",
  reversal: "Deposit undone",
  hold: "Held for payout",
  release: "Hold released",
  debit: "Payout",
  adjust: "Manual booking",
};

type Bookers = ReadonlyMap<number, string>;

/** Merchants see that it was the operator, and operators see which one. */
export async function bookersOf(
  visit: Visit,
  entries: readonly LedgerEntryRow[],
): Promise<Bookers> {
  const actors = await adjustersOf(visit.deps, entries);
  const named = [...actors].map(async ([id, actor]) => [id, await bookerOf(visit, actor)] as const);
  return new Map(await Promise.all(named));
}

async function bookerOf({ deps, seesAll }: Visit, actor: string): Promise<string> {
  if (!seesAll) return "the operator";
  const [, userId] = /^user:(\d+)$/.exec(actor) ?? [];
  const user = userId === undefined ? undefined : await deps.db.find(Users, [Number(userId)]);
  return user?.email ?? actor;
}

/** Those of the page show values if any of them has one. */
export function lineColumns(
  rows: readonly LedgerEntryRow[],
  bookers: Bookers,
): Column<LedgerEntryRow>[] {
  const worth: Column<LedgerEntryRow> = {
    title: "Value then",
    isNumber: true,
    cell: (row) => <Worth row={row} />,
  };
  return [
    {
      ...{ title: "Time", isOrder: true, at: "age" },
      cell: ({ createdAtMs }) => <Time atMs={createdAtMs} />,
    },
    {
      title: "Entry",
      at: "title",
      cell: (row) => <Booked row={row} booker={bookers.get(row.id)} />,
    },
    {
      title: "Change",
      isNumber: true,
      at: "amount",
      cell: (row) => <Change change={changesOf(row).balance} />,
    },
    ...rows.some(({ value }) => value !== null) ? [worth] : [],
    {
      title: "Balance",
      isNumber: true,
      at: "state",
      cell: (row) => (
        <>
          <span class="phones quiet">Balance</span> <Money amount={row.balanceAfter} isWhole />
        </>
      ),
    },
    {
      title: "Held",
      isNumber: true,
      isMinor: true,
      cell: ({ heldAfter }) => <Money amount={heldAfter} isWhole />,
    },
  ];
}

/** As signed texts, "0" if the entry didn't change it. */
export function changesOf(row: LedgerEntryRow): { balance: string; held: string } {
  const amount = Amount.parse(row.amount, assetOf(row));
  const { balance, held } = changeOf({ kind: row.kind, amount });
  return { balance: balance.toString(), held: held.toString() };
}

const Change = ({ change }: { change: string }) =>
  change === "0" ? <span class="quiet">–</span> : <Money amount={signed(change)} isWhole />;

/** Of the change of the balance. */
const Worth = ({ row }: { row: LedgerEntryRow }) => {
  const { value, currency } = changedValue(row);
  if (value === null || value === "0") return <span class="quiet">–</span>;
  return <Valued value={value} currency={currency} />;
};

export const Valued = ({ value, currency }: { value: string; currency: string }) => (
  <Money amount={signed(value)} quote={currency} decimals={2} />
);

export function signed(change: string): string {
  return change.startsWith("-") || change === "0" ? change : `+${change}`;
}

const Booked = ({ row, booker }: { row: LedgerEntryRow; booker: string | undefined }) => {
  const { kind, note } = row;
  return (
    <>
      <Subject row={row} />
      {kind === "adjust" && ` by ${booker ?? "the operator"}`}{" "}
      {note !== null && (
        <div class="small quiet whole">
          <bdi>{note}</bdi>
        </div>
      )}
    </>
  );
};

const Subject = ({ row: { kind, transactionId, withdrawalId } }: { row: LedgerEntryRow }) => {
  const name = KIND_NAMES[kind];
  if (transactionId !== null) {
    return <a href={`${BASE}/deposits/${transactionId}`}>{`${name} ${transactionId}`}</a>;
  }
  if (withdrawalId === null) return <>{name}</>;
  return <a href={`${BASE}/withdrawals/${withdrawalId}`}>{`${name} ${withdrawalId}`}</a>;
};
