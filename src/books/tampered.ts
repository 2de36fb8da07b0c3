import { AccountCurrencies } from "../accounts/tables/accounts.ts";
import { alertRead, insertAlert, logAlert, type NewAlert } from "./alerts.ts";
import { Balances, Freezes } from "./table.ts";
import type { Deps } from "../deps/deps.ts";
import type { Db } from "../store/engine/db.ts";
import { tampered, TamperedRow } from "../store/engine/tampered_row.ts";
import { readAll } from "../store/engine/workspace.ts";
import type { AnyRow, Table } from "../store/tables/table.ts";

export type Reporting = Pick<Deps, "db" | "clock" | "log">;

/**
 * For a row read outside a unit. If it is not genuine, its account pays nothing until an operator
 * has looked.
 */
export async function isGenuine<Row extends AnyRow>(
  deps: Reporting,
  table: Table<Row>,
  row: Row,
): Promise<boolean> {
  if (deps.db.isGenuine(table, row)) return true;
  await reportTampered(deps, tampered(table, row));
  return false;
}

/** For readers of the API and dashboard, who are not shown rows that somebody else changed. */
export async function genuine<Row extends AnyRow>(
  deps: Reporting,
  table: Table<Row>,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  const forged = rows.find((row) => !deps.db.isGenuine(table, row));
  if (!forged) return rows;
  const fault = tampered(table, forged);
  await reportTampered(deps, fault);
  throw fault;
}

/** Leaves out rows that aren't genuine and reports each to the operator. */
export async function filterGenuine<Row extends AnyRow>(
  deps: Reporting,
  table: Table<Row>,
  rows: readonly Row[],
): Promise<Row[]> {
  const ours: Row[] = [];
  for (const row of rows) {
    if (await isGenuine(deps, table, row)) ours.push(row);
  }
  return ours;
}

export function tamperedSubject(
  { table, key, accountId }: Pick<TamperedRow, "table" | "key" | "accountId">,
): string {
  const owner = accountId === null ? "" : `account:${accountId} `;
  return `${owner}${table}:${key}`;
}

function tamperedAlert(fault: TamperedRow): NewAlert & { readonly kind: "tampered" } {
  const { accountId, message, until, advice } = fault;
  const paused = accountId === null ? "" : ` and account ${accountId} pays nothing`;
  return {
    kind: "tampered",
    subject: tamperedSubject(fault),
    message: `${message}: it is not used${paused} until ${until}`,
    advice,
  };
}

export async function reportTampered(deps: Reporting, fault: TamperedRow): Promise<void> {
  const { accountId } = fault;
  const alert = tamperedAlert(fault);
  const assets = accountId === null ? [] : await assetsOf(deps.db, accountId);
  const nowMs = deps.clock.nowMs();
  const isNew = await deps.db.write({
    reads: [alertRead(alert.kind, alert.subject), ...readAll(Freezes, assets.map(keyOf))],
    decide: (view) => {
      for (const asset of assets) {
        if (view.find(Freezes, keyOf(asset))) continue;
        const reason = `Tampered with: ${fault.message}`;
        view.insertKeyed(Freezes, { ...asset, code: "tampered", reason, createdAtMs: nowMs });
      }
      return insertAlert(view, { ...alert, nowMs });
    },
  });
  if (isNew) logAlert(deps, alert);
}

interface Asset {
  readonly accountId: number;
  readonly network: string;
  readonly currency: string;
}

/** Everything that the account may hold or pay. */
async function assetsOf(db: Db, accountId: number): Promise<Asset[]> {
  const [enabled, held] = await Promise.all([
    db.list(AccountCurrencies, { accountId }),
    db.list(Balances, { accountId }),
  ]);
  const all = [...enabled, ...held].map(({ network, currency }) => ({
    accountId,
    network,
    currency,
  }));
  return [...new Map(all.map((asset) => [keyOf(asset).join("/"), asset])).values()];
}

function keyOf({ accountId, network, currency }: Asset) {
  return [accountId, network, currency];
}

/** Reports each tampered row that a unit meets. */
export function reportingDb(deps: Reporting): Db {
  return {
    ...deps.db,
    write: async (unit) => {
      try {
        return await deps.db.write(unit);
      } catch (error) {
        if (error instanceof TamperedRow) await reportTampered(deps, error);
        throw error;
      }
    },
  };
}

/** All at once, because one at a time is slower; a tampered row stops only its own work. */
export async function eachGenuine<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<(R | undefined)[]> {
  return await Promise.all(items.map((item) =>
    work(item).catch((error) => {
      if (!(error instanceof TamperedRow)) throw error;
      return undefined;
    })
  ));
}
