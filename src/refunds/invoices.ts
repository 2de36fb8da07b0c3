import { filterGenuine } from "../books/tampered.ts";
import type { Deps } from "../deps/deps.ts";
import type { WithdrawalRow } from "../withdrawals/table.ts";
import { Refunds } from "./table.ts";

/** The invoices that withdrawals refund, by the withdrawal's id. Look-ups share statements. */
export async function invoicesRefunded(
  deps: Deps,
  rows: readonly Pick<WithdrawalRow, "id">[],
): Promise<ReadonlyMap<number, number>> {
  const links = await Promise.all(rows.map(({ id }) => deps.db.find(Refunds, [id])));
  const ours = await filterGenuine(deps, Refunds, links.filter((link) => link !== undefined));
  return new Map(ours.map(({ withdrawalId, invoiceId }) => [withdrawalId, invoiceId]));
}
