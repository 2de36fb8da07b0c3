import {
  DEPOSIT_REQUEST_STATUSES,
  type DepositRequestStatus,
} from "../../domain/states/deposit_request.ts";
import {
  DEPOSIT_REQUESTS_LISTED,
  isRequestInState,
} from "../../store/reads/lists/deposit_requests.ts";
import type { DepositRequestRow } from "../../store/tables/addresses.ts";
import { choice, COINS, type Filter, type List, TIMES } from "./list.ts";
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
