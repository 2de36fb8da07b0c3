import { AccountCurrencies, ReceivingWallets } from "../../accounts/tables/accounts.ts";
import { NetworkBlocks, NetworkCursors, NetworkEndpoints } from "../../following/table.ts";
import { Currencies } from "../table.ts";
import { Payees } from "../../payees/table.ts";
import { type Db, queryOne } from "../../store/engine/db.ts";
import { type Read, read } from "../../store/engine/workspace.ts";
import { primaryKeyOf } from "../../store/reads/sealed.ts";
import type { AnyRow, Table } from "../../store/tables/table.ts";
import { Addresses, type AddressRow } from "../../wallets/tables/addresses.ts";
import { AllowedRecipients } from "../../withdrawals/table.ts";

interface NetworkUse {
  readonly isBooked: boolean;
  /** Customers have addresses there. */
  readonly isIssued: boolean;
  /** The first payment rule that names it. */
  readonly policyId: number | null;
}

export async function networkUse(db: Db, network: string): Promise<NetworkUse> {
  const row = await queryOne(
    db,
    `SELECT
  EXISTS (SELECT 1 FROM transactions WHERE network = ?1)
  OR EXISTS (SELECT 1 FROM signed_transactions WHERE network = ?1)
  OR EXISTS (SELECT 1 FROM balances WHERE network = ?1) AS booked,
  EXISTS (SELECT 1 FROM addresses WHERE purpose = 'deposit' AND network = ?1) AS issued,
  (SELECT min(id) FROM policies WHERE network = ?1) AS policy`,
    [network],
  );
  const policyId = row.policy === null ? null : Number(row.policy);
  return { isBooked: row.booked === 1, isIssued: row.issued === 1, policyId };
}

/** Hot wallets and the gas wallet. */
export function walletsOf(db: Db, network: string): Promise<AddressRow[]> {
  return db.rows(Addresses, "WHERE purpose IN ('hot', 'gas') AND network = ? ORDER BY id", [
    network,
  ]);
}

/** What belongs to a network that was never used. */
const PARTS: readonly Table<AnyRow>[] = [
  NetworkCursors,
  NetworkBlocks,
  NetworkEndpoints,
  Currencies,
  AccountCurrencies,
  ReceivingWallets,
  AllowedRecipients,
  Payees,
];

export async function partsOf(db: Db, network: string): Promise<Read[]> {
  const parts = await Promise.all(
    PARTS.map(async (table) => {
      const rows = await db.rows(table, "WHERE network = ?", [network]);
      return rows.map((row) => read(table, primaryKeyOf(table, row)));
    }),
  );
  return parts.flat();
}
