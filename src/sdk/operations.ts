// Written by `deno task openapi` from the table of endpoints. Don't edit it.

import type { Rows } from "./rows.ts";
import type {
  Balance,
  CreateDepositAddressBody,
  CreateWithdrawalBody,
  Currency,
  Deposit,
  DepositRequest,
  HotWallet,
  LedgerEntry,
  ListBalancesQuery,
  ListDepositRequestsQuery,
  ListDepositsQuery,
  ListedDepositRequest,
  ListedWithdrawal,
  ListLedgerQuery,
  ListTransactionsQuery,
  ListWithdrawalsQuery,
  Ping,
  ReadHotWalletAddressQuery,
  RequestedAddress,
  SubmittedWithdrawal,
  Transaction,
  Withdrawal,
} from "./types.ts";

export interface Operation {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: object;
  readonly body?: object;
  readonly reference?: string;
}

/** A method for each operation of the API. */
export abstract class Operations {
  protected abstract call<T>(operation: Operation): Promise<T>;
  protected abstract rows<T>(operation: Operation): Rows<T>;

  /** Check credentials. Returns the id of the key that signed the request. Permission: `read_balance` */
  ping(): Promise<Ping> {
    return this.call({ method: "GET", path: "/v1/_ping" });
  }

  /** List currencies. Every currency that the account may receive or pay out, with its limits and fees. Not paginated. Permission: `list_currencies` */
  listCurrencies(): Rows<Currency> {
    return this.rows({ method: "GET", path: "/v1/currencies" });
  }

  /** List balances. One row for each currency and network that ever had a balance. Not paginated. Permission: `read_balance` */
  listBalances(query: ListBalancesQuery = {}): Rows<Balance> {
    return this.rows({ method: "GET", path: "/v1/balances", query });
  }

  /** Get an address for a payment. With `user_identifier`, you get the customer's own address. Without it, you get one from a pool, which is reused for other requests later. Permission: `request_deposit_address` */
  createDepositAddress(body: CreateDepositAddressBody): Promise<RequestedAddress> {
    return this.call({
      method: "POST",
      path: "/v1/deposit-addresses",
      body,
      reference: "idempotency_key",
    });
  }

  /** Read a deposit request. Includes the payments that were seen for it: to its address, in its currency. Permission: `read_deposit_status` */
  readDepositRequest(request_id: number): Promise<DepositRequest> {
    return this.call({ method: "GET", path: `/v1/deposit-requests/${request_id}` });
  }

  /** Pay out. Holds the amount and the fee, sends the payment, and then answers. Repeated with the same `client_reference`, it pays nothing: the answer is the first withdrawal as it is now, whatever else the request says. Permission: `withdraw` */
  createWithdrawal(body: CreateWithdrawalBody): Promise<SubmittedWithdrawal | Withdrawal> {
    return this.call({
      method: "POST",
      path: "/v1/withdrawals",
      body,
      reference: "client_reference",
    });
  }

  /** List withdrawals. All withdrawals of the account, newest first. `from` and `until` are about `requested_at`. Unknown or repeated parameters, and unknown fields, are refused with a 422 that names them. Permission: `read_withdrawal_status` */
  listWithdrawals(query: ListWithdrawalsQuery = {}): Rows<ListedWithdrawal> {
    return this.rows({ method: "GET", path: "/v1/withdrawals", query });
  }

  /** Read a withdrawal. Returns its current state. While it is `broadcasted`, its `tx_hash` may change. Permission: `read_withdrawal_status` */
  readWithdrawal(withdrawal_id: number): Promise<Withdrawal> {
    return this.call({ method: "GET", path: `/v1/withdrawals/${withdrawal_id}` });
  }

  /** List transactions. Everything that moved the account's money on a chain, newest first. Permission: `list_transactions` */
  listTransactions(query: ListTransactionsQuery = {}): Rows<Transaction> {
    return this.rows({ method: "GET", path: "/v1/transactions", query });
  }

  /** Read the hot wallet's address. The wallet that pays the account's withdrawals on a network. It needs the currency that is paid out, and the network's own coin for gas. Permission: `request_withdrawal_funding_address` */
  readHotWalletAddress(query: ReadHotWalletAddressQuery): Promise<HotWallet> {
    return this.call({ method: "GET", path: "/v1/hot-wallet-address", query });
  }

  /** List deposit requests. All requests for an address, newest first, without their payments. `from` and `until` are about `created_at`. Unknown or repeated parameters, and unknown fields, are refused with a 422 that names them. Permission: `read_deposit_status` */
  listDepositRequests(query: ListDepositRequestsQuery = {}): Rows<ListedDepositRequest> {
    return this.rows({ method: "GET", path: "/v1/deposit-requests", query });
  }

  /** List deposits. All payments to the account's addresses, newest first. `from` and `until` are about `detected_at`. Unknown or repeated parameters, and unknown fields, are refused with a 422 that names them. Permission: `read_deposit_status` */
  listDeposits(query: ListDepositsQuery = {}): Rows<Deposit> {
    return this.rows({ method: "GET", path: "/v1/deposits", query });
  }

  /** List ledger entries. Everything that changed a balance or what is held of it, newest first. For each currency, the amounts add up to `balance`, and the held amounts to `held`. Unknown or repeated parameters, and unknown fields, are refused with a 422 that names them. Permission: `read_balance` */
  listLedger(query: ListLedgerQuery = {}): Rows<LedgerEntry> {
    return this.rows({ method: "GET", path: "/v1/ledger", query });
  }
}
