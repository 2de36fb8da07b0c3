import { DEPOSIT_REQUEST_STATUSES, type DepositRequestStatus } from "../rules/deposit_request.ts";
import { DEPOSIT_REQUESTS_LISTED, isRequestInState } from "../reads/requests_listed.ts";
import type { DepositRequestRow } from "../../wallets/tables/addresses.ts";
import { choice, COINS, type Filter, type List, TIMES } from "../../operations/lists/list.ts";
import { atAddress, user } from "./transactions.ts";

const status: Filter<string> = {
  kind: choice(DEPOSIT_REQUEST_STATUSES),
  api: "status",
  label: "Status",
  help: "only those with this status",
  example: "settled",
  means: ({ clock }, status) => isRequestInState(status as DepositRequestStatus, clock.nowMs()),
};

export const DEPOSIT_REQUESTS: List<DepositRequestRow> = {
  title: "Deposit requests",
  listing: DEPOSIT_REQUESTS_LISTED,
  filters: { status, user, address: atAddress, ...COINS, ...TIMES },
};
