import { z } from "zod";
import { genuine } from "../../actions/books/tampered.ts";
import { withdrawalStatusShape } from "../../domain/shapes.ts";
import { WITHDRAWAL_STATUSES } from "../../domain/states/withdrawal_moves.ts";
import { withdrawalsListed } from "../../store/reads/lists/withdrawals.ts";
import { type WithdrawalRow, Withdrawals } from "../../store/tables/withdrawals.ts";
import { list } from "../lists/list.ts";
import * as fields from "../lists/fields.ts";
import { FILTERS, listedFor } from "../lists/listed_for.ts";
import { readWithdrawal, Withdrawal } from "./withdrawals.ts";

const ListedWithdrawal = Withdrawal.extend({
  client_reference: z.string().nullable().meta({ description: "Your name for it." }),
}).meta({ id: "ListedWithdrawal" });

export const listWithdrawals = list({
  path: "/v1/withdrawals",
  operationId: "listWithdrawals",
  permission: "read_withdrawal_status",
  tag: "Withdrawals",
  summary: "List withdrawals",
  description:
    "All withdrawals of the account, newest first. `from` and `until` refer to `requested_at`.",
  query: z.object({
    status: fields.oneOf(WITHDRAWAL_STATUSES),
    ...FILTERS,
    client_reference: fields.clientReference,
    to_address: fields.address,
    invoice_id: fields.invoiceId,
  }),
  data: ListedWithdrawal,
  refusals: [],
  example: {
    query: { status: "confirmed", from: "2026-01-31" },
    data: { ...readWithdrawal.example.data, client_reference: "order-7" },
  },
  page: async (deps, { query, ...asked }) => {
    const { status, to_address: to } = query;
    const { rows, next } = await withdrawalsListed(deps.db, {
      ...await listedFor(deps, { ...asked, ...query }),
      status: status ?? null,
      invoiceId: query.invoice_id ?? null,
      recipient: to ? { address: to.canonical, hasOneSpelling: to.hasOneSpelling } : null,
      reference: query.client_reference ?? null,
    });
    return { rows: (await genuine(deps, Withdrawals, rows)).map(listedWithdrawal), next };
  },
});

function listedWithdrawal(row: WithdrawalRow): z.input<typeof ListedWithdrawal> {
  return { ...withdrawalStatusShape(row), client_reference: row.clientReference };
}
