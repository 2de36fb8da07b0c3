import { z } from "zod";
import { genuine } from "../../actions/books/tampered.ts";
import {
  DEPOSIT_REQUEST_STATUSES,
  depositRequestStatus,
} from "../../domain/states/deposit_request.ts";
import { creditsOf, depositRequestsListed } from "../../store/reads/lists/deposit_requests.ts";
import { DepositRequests } from "../../store/tables/addresses.ts";
import { Transactions } from "../../store/tables/transactions.ts";
import { list } from "../lists/list.ts";
import * as fields from "../lists/fields.ts";
import { addressIdsFor, FILTERS, listedFor } from "../lists/listed_for.ts";
import { DepositRequest, readDepositRequest, requestFacts } from "./deposits.ts";

const ListedDepositRequest = DepositRequest.omit({ transactions: true })
  .meta({ id: "ListedDepositRequest" });

export const listDepositRequests = list({
  path: "/v1/deposit-requests",
  operationId: "listDepositRequests",
  permission: "read_deposit_status",
  tag: "Deposits",
  summary: "List deposit requests",
  description:
    "All deposit requests, newest first, without their payments. `from` and `until` refer to `created_at`.",
  query: z.object({
    status: fields.oneOf(DEPOSIT_REQUEST_STATUSES),
    user_identifier: fields.userIdentifier,
    address: fields.address,
    ...FILTERS,
  }),
  data: ListedDepositRequest,
  refusals: [],
  example: {
    query: { status: "settled", from: "2026-01-31" },
    data: withoutTransactions(readDepositRequest.example.data),
  },
  page: async (deps, { query, ...asked }) => {
    const { db, clock } = deps;
    const { status, address, user_identifier: user } = query;
    const nowMs = clock.nowMs();
    const found = await depositRequestsListed(db, {
      ...await listedFor(deps, { ...asked, ...query }),
      status: status ?? null,
      addressIds: await addressIdsFor(deps, { accountId: asked.accountId, address, user }),
      nowMs,
    });
    const requests = await genuine(deps, DepositRequests, found.rows);
    const credits = await creditsOf(db, requests);
    await genuine(deps, Transactions, [...credits.values()]);
    const rows = requests.map((row) => {
      const { displayExpiresAtMs } = row;
      const facts = { displayExpiresAtMs, hasCredited: credits.has(row.id) };
      return { ...requestFacts(row), status: depositRequestStatus(facts, nowMs) };
    });
    // One may have been settled since it was found.
    return {
      rows: status === undefined ? rows : rows.filter((row) => row.status === status),
      next: found.next,
    };
  },
});

function withoutTransactions(data: object): object {
  return Object.fromEntries(Object.entries(data).filter(([name]) => name !== "transactions"));
}
