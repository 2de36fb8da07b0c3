import { z } from "zod";
import { genuine } from "../../books/tampered.ts";
import { withdrawalStatusShape } from "../../domain/shapes.ts";
import { WITHDRAWALS } from "../list.ts";
import { type WithdrawalRow, Withdrawals } from "../table.ts";
import { listed } from "../../http/lists/listed.ts";
import { readWithdrawal, Withdrawal } from "./withdrawals.ts";

const ListedWithdrawal = Withdrawal.extend({
  client_reference: z.string().nullable().meta({ description: "Your name for it." }),
}).meta({ id: "ListedWithdrawal" });

export const listWithdrawals = listed({
  of: WITHDRAWALS,
  path: "/v1/withdrawals",
  operationId: "listWithdrawals",
  permission: "read_withdrawal_status",
  tag: "Withdrawals",
  summary: "List withdrawals",
  description:
    "All withdrawals of the account, newest first. `from` and `until` refer to `requested_at`.",
  data: ListedWithdrawal,
  refusals: [],
  example: {
    query: { status: "confirmed", from: "2026-01-31" },
    data: { ...readWithdrawal.example.data, client_reference: "order-7" },
  },
  entries: async (deps, rows) => (await genuine(deps, Withdrawals, rows)).map(listedWithdrawal),
});

function listedWithdrawal(row: WithdrawalRow): z.input<typeof ListedWithdrawal> {
  return { ...withdrawalStatusShape(row), client_reference: row.clientReference };
}
