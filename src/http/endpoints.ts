import type { Handler } from "hono";
import type { Deps } from "../actions/deps.ts";
import type { Permission } from "../domain/permissions.ts";
import type { HttpEnv } from "./request_state.ts";
import { listBalances } from "./routes/balances.ts";
import { listCurrencies } from "./routes/currencies.ts";
import { postDepositAddress, readDepositRequest } from "./routes/deposits.ts";
import { readHotWalletAddress } from "./routes/hot_wallet.ts";
import { ping } from "./routes/ping.ts";
import { listTransactions } from "./routes/transactions.ts";
import { postWithdrawal, readWithdrawal } from "./routes/withdrawals.ts";

export interface Endpoint {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly permission: Permission;
  readonly handle: Handler<HttpEnv>;
}

/** The whole API, in the order of the spec's section 4. */
export function endpointsOf(deps: Deps): Endpoint[] {
  return [
    { method: "GET", path: "/v1/_ping", permission: "read_balance", handle: ping() },
    {
      method: "GET",
      path: "/v1/currencies",
      permission: "list_currencies",
      handle: listCurrencies(deps),
    },
    { method: "GET", path: "/v1/balances", permission: "read_balance", handle: listBalances(deps) },
    {
      method: "POST",
      path: "/v1/deposit-addresses",
      permission: "request_deposit_address",
      handle: postDepositAddress(deps),
    },
    {
      method: "GET",
      path: "/v1/deposit-requests/:request_id",
      permission: "read_deposit_status",
      handle: readDepositRequest(deps),
    },
    {
      method: "POST",
      path: "/v1/withdrawals",
      permission: "withdraw",
      handle: postWithdrawal(deps),
    },
    {
      method: "GET",
      path: "/v1/withdrawals/:withdrawal_id",
      permission: "read_withdrawal_status",
      handle: readWithdrawal(deps),
    },
    {
      method: "GET",
      path: "/v1/transactions",
      permission: "list_transactions",
      handle: listTransactions(deps),
    },
    {
      method: "GET",
      path: "/v1/hot-wallet-address",
      permission: "request_withdrawal_funding_address",
      handle: readHotWalletAddress(deps),
    },
  ];
}
