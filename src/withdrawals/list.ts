import { anyAddress } from "../chains/any_address.ts";
import { CLIENT_REFERENCE_MAX } from "./rules/fields.ts";
import { WITHDRAWAL_STATUSES } from "./rules/moves.ts";
import { hasOne } from "../store/lists/listing.ts";
import { isPaidTo, isReferredTo, isRefundOf, WITHDRAWALS_LISTED } from "./reads/listed.ts";
import type { WithdrawalRow } from "./table.ts";
import {
  address,
  choice,
  COINS,
  type Filter,
  linked,
  type List,
  text,
  TIMES,
} from "../operations/lists/list.ts";

const status: Filter<string> = {
  kind: choice(WITHDRAWAL_STATUSES),
  api: "status",
  label: "Status",
  help: "only those with this status",
  example: "pending",
  column: "status",
};

const reference: Filter<string> = {
  kind: text(CLIENT_REFERENCE_MAX),
  api: "client_reference",
  label: "Reference",
  help: "only those with this reference: the client_reference of the API",
  example: "order-7",
  about: "Only those with this reference, whichever of the account's keys sent it.",
  means: ({ db }, reference, { accountId }) => isReferredTo(db, { accountId, reference }),
};

const recipient: Filter<string> = {
  kind: address,
  api: "to_address",
  page: "to_address",
  flag: "to-address",
  label: "To address",
  help: "only those paid to this address, in any spelling",
  example: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  means: (_, text) => {
    const recipient = anyAddress(text);
    return recipient ? isPaidTo(recipient) : hasOne("to_address", []);
  },
};

const invoice: Filter<number> = {
  kind: linked,
  api: "invoice_id",
  label: "Invoice",
  help: "only those that refund this invoice",
  example: "7",
  about: "Only those of this invoice.",
  means: ({ db }, id) => isRefundOf(db, id),
};

export const WITHDRAWALS: List<WithdrawalRow> = {
  title: "Withdrawals",
  listing: WITHDRAWALS_LISTED,
  filters: { status, ...COINS, ...TIMES, reference, recipient, invoice },
};
