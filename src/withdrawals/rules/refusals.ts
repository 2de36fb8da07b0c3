import type { WithdrawalStatus } from "./moves.ts";

interface Withdrawal {
  readonly id: number;
}

interface WithStatus extends Withdrawal {
  readonly status: WithdrawalStatus;
}

export const WITHDRAWALS = {
  withdrawal_unknown: ({ id }: Withdrawal) => `There is no withdrawal ${id}`,
  withdrawal_changed: ({ id }: Withdrawal) => `Withdrawal ${id} has changed; look again`,
  withdrawal_signed: ({ id }: Withdrawal) =>
    `Cannot cancel withdrawal ${id}: it is already signed and may be on its way`,
  withdrawal_not_pending: ({ id, status }: WithStatus) =>
    `Cannot cancel withdrawal ${id}: it is ${status}`,
  withdrawal_not_under_way: ({ id, status }: WithStatus) =>
    `Withdrawal ${id} is ${status}: it has no transaction on its way`,
  withdrawal_mined: ({ id, height }: Withdrawal & { height: number | null }) =>
    `Withdrawal ${id} is in block ${height} and only waits for confirmations`,
  withdrawal_moved: ({ id }: Withdrawal) => `Withdrawal ${id} has been mined or outbid: look again`,
  withdrawal_being_revoked: ({ id }: Withdrawal) => `Withdrawal ${id} is already being revoked`,
  withdrawal_expires: ({ network, minutes }: { network: string; minutes: number }) =>
    `Transactions on ${network} cannot be replaced: one that is not mined expires by itself ` +
    `${minutes} minutes after it was signed, and its withdrawal then fails`,
  withdrawal_not_replaced: ({ id, why }: Withdrawal & { why: string }) =>
    `The transaction of withdrawal ${id} cannot be replaced: ${why}`,
  bid_refused: ({ id, why }: Withdrawal & { why: string | null }) =>
    `The new transaction of withdrawal ${id} is signed, but no node takes it, so the one before ` +
    `it still counts${why === null ? "" : `: ${why}`}`,
  withdrawal_not_in_doubt: ({ id, status }: WithStatus) =>
    `Withdrawal ${id} is ${status}: only withdrawals without a payment log can be settled manually`,
  withdrawal_reference_taken: ({ id, reference }: Withdrawal & { reference: string }) =>
    `Withdrawal ${id} already has the reference "${reference}"`,
  replacing_not_allowed: () => "Only the operator can do this for your account",
  recipient_not_refused: ({ address, network }: { address: string; network: string }) =>
    `Payments to ${address} on ${network} are not refused`,
};
