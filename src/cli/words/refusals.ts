import {
  type ActionRefused,
  type RefusalWords,
  wordRefusal,
} from "../../domain/refusals/refuse.ts";

/** What to do about it. */
const NEXT: RefusalWords = {
  network_unknown: () => '"network list" lists them',
  currency_unknown: ({ network }) => `"currency list --network ${network}" lists them`,
  account_unknown: () => '"account list" lists them',
  bids_used_up: () => "--anyway bids again",
  withdrawal_signed: ({ id }) => `"withdrawal revoke ${id}" tries to replace it`,
  withdrawal_being_revoked: ({ id }) => `"withdrawal bump ${id}" raises its fee`,
  recipient_not_refused: () => '"recipient list" shows those that are',
};

export function refusalText(refusal: ActionRefused): string {
  const next = wordRefusal(NEXT, refusal);
  return next === undefined ? refusal.message : `${refusal.message}; ${next}`;
}
