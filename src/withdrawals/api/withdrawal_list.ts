import { genuine } from "../../books/tampered.ts";
import { WITHDRAWALS } from "../list.ts";
import { EXAMPLE, WITHDRAWAL } from "../rules/fields.ts";
import { Withdrawals } from "../table.ts";
import { listed } from "../../http/lists/listed.ts";

export const listWithdrawals = listed({
  of: WITHDRAWALS,
  path: "/v1/withdrawals",
  operationId: "listWithdrawals",
  permission: "read_withdrawal_status",
  tag: "Withdrawals",
  summary: "List withdrawals",
  description:
    "All withdrawals of the account, newest first. `from` and `until` refer to `requested_at`.",
  data: WITHDRAWAL.schema.meta({ id: "ListedWithdrawal" }),
  refusals: [],
  example: {
    query: { status: "confirmed", from: "2026-01-31" },
    data: WITHDRAWAL.of(EXAMPLE),
  },
  entries: async (deps, rows) => (await genuine(deps, Withdrawals, rows)).map(WITHDRAWAL.of),
});
