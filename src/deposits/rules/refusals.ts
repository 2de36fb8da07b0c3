interface Deposit {
  readonly id: number;
}

interface WithStatus extends Deposit {
  readonly status: string;
}

interface Surplus {
  readonly amount: string;
  readonly symbol: string;
  readonly address: string;
  readonly surplus: string;
  readonly height: number;
}

/** What shows an earlier credit. */
export interface CreditProof {
  readonly where: "audit_log" | "transaction" | "ledger";
  readonly id: number;
}

const PROOFS: Readonly<Record<CreditProof["where"], (id: number) => string>> = {
  audit_log: (id) => `row ${id} of the audit log`,
  transaction: (id) => `transaction ${id}`,
  ledger: (id) => `ledger entry ${id}`,
};

export function creditedBefore(what: string, { where, id }: CreditProof): string {
  return `${what} was credited before, according to ${PROOFS[where](id)}`;
}

export const DEPOSITS = {
  deposit_unknown: ({ id }: Deposit) => `Transaction ${id} is not a deposit`,
  deposit_changed: ({ id }: Deposit) => `Deposit ${id} has changed: look at it again`,
  deposit_not_reversible: ({ id, status }: WithStatus) =>
    `Deposit ${id} is ${status}: only a confirmed deposit that is not on its way to the receiving ` +
    "wallet can be reversed",
  deposit_not_waiting: ({ id, status }: WithStatus) =>
    `Deposit ${id} is ${status}: it is not waiting to be credited`,
  deposit_vouched_for: ({ id }: Deposit) => `Somebody has already vouched for deposit ${id}`,
  deposit_proven: ({ id, isCredited }: Deposit & { isCredited: boolean }) =>
    `The audit log proves that deposit ${id} was ${isCredited ? "" : "not "}credited before: ` +
    "nobody needs to vouch for it",
  audit_log_changed: () => "The audit log has changed: look at these deposits again",
  deposit_tampered: () => "Its row is not as this gateway wrote it",
  deposit_credited_before: (proof: CreditProof) => creditedBefore("It", proof),
  balances_tampered: () => "Balances are not as this gateway wrote them",
  account_books_wrong: () => "The account's books are wrong",
  coins_missing: (
    { address, holds, booked }: { address: string; holds: string; booked: string },
  ) => `${address} holds ${holds}, of which ${booked} were credited before`,
  coins_unknown: () => "No node can say whether its coins are there",
  deposit_address_unknown: ({ text, network }: { text: string; network: string }) =>
    `"${text}" is not a deposit address of ${network}`,
  credit_of_nothing: () => "An amount of 0 credits nothing",
  decimals_too_many: (
    { symbol, network, decimals }: { symbol: string; network: string; decimals: number },
  ) => `${symbol} has ${decimals} decimals on ${network}`,
  surplus_too_small: ({ amount, symbol, address, surplus, height }: Surplus) =>
    `Cannot credit ${amount} ${symbol}: ${address} holds ${surplus} that no transaction explains, ` +
    `at block ${height}, which has enough confirmations`,
  surplus_credited_meanwhile: () => "Somebody else has just credited this address: try again",
  no_block_deep_enough: ({ network }: { network: string }) =>
    `None of the blocks read on ${network} has enough confirmations yet`,
};
