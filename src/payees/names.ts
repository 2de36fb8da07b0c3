import { genuine } from "../books/tampered.ts";
import type { Deps } from "../deps/deps.ts";
import { payeesAt } from "./reads.ts";
import { Payees } from "./table.ts";

export interface Recipient {
  readonly accountId: number;
  readonly network: string;
  readonly toAddress: string;
}

/** What accounts call their recipients. */
export type PayeeNames = (of: Recipient) => string | undefined;

export async function payeeNames(deps: Deps, rows: readonly Recipient[]): Promise<PayeeNames> {
  const places = rows.map((row) => ({ ...row, address: row.toAddress }));
  const found = await genuine(deps, Payees, await payeesAt(deps.db, places));
  const listed = found.filter(({ removedAtMs }) => removedAtMs === null);
  return ({ accountId, network, toAddress }) =>
    listed.find((one) =>
      one.accountId === accountId && one.network === network && one.address === toAddress
    )?.label;
}
