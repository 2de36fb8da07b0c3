import { genuine } from "../../books/tampered.ts";
import { depositRequestStatus } from "../rules/deposit_request.ts";
import { DEPOSIT_REQUESTS } from "../lists/deposit_requests.ts";
import { creditsOf } from "../reads/requests_listed.ts";
import { DepositRequests } from "../../wallets/tables/addresses.ts";
import { Transactions } from "../tables/transactions.ts";
import { listed } from "../../http/lists/listed.ts";
import { DepositRequest, readDepositRequest, requestFacts } from "./deposits.ts";

const ListedDepositRequest = DepositRequest.omit({ transactions: true })
  .meta({ id: "ListedDepositRequest" });

export const listDepositRequests = listed({
  of: DEPOSIT_REQUESTS,
  path: "/v1/deposit-requests",
  operationId: "listDepositRequests",
  permission: "read_deposit_status",
  tag: "Deposits",
  summary: "List deposit requests",
  description:
    "All deposit requests, newest first, without their payments. `from` and `until` refer to `created_at`.",
  data: ListedDepositRequest,
  refusals: [],
  example: {
    query: { status: "settled", from: "2026-01-31" },
    data: withoutTransactions(readDepositRequest.example.data),
  },
  entries: async (deps, found, { status }) => {
    const { db, clock } = deps;
    const nowMs = clock.nowMs();
    const requests = await genuine(deps, DepositRequests, found);
    const credits = await creditsOf(db, requests);
    await genuine(deps, Transactions, [...credits.values()]);
    const rows = requests.map((row) => {
      const { displayExpiresAtMs } = row;
      const facts = { displayExpiresAtMs, hasCredited: credits.has(row.id) };
      return { ...requestFacts(row), status: depositRequestStatus(facts, nowMs) };
    });
    // One may have been settled since it was found.
    return status === undefined ? rows : rows.filter((row) => row.status === status);
  },
});

function withoutTransactions(data: object): object {
  return Object.fromEntries(Object.entries(data).filter(([name]) => name !== "transactions"));
}
