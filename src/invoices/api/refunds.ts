import { z } from "zod";
import { PAY_OUT } from "../../accounts/rules/usable.ts";
import { makeRefundLink } from "../../refunds/links.ts";
import { refundInvoice as refund } from "../../refunds/refund.ts";
import { idParam, signedCaller } from "../../http/caller.ts";
import { strict } from "../../http/endpoint.ts";
import { ok } from "../../http/reply.ts";
import {
  answerFor,
  createWithdrawal,
  orderOf,
  SubmittedWithdrawal,
  Withdrawal,
  WithdrawalBody,
} from "../../withdrawals/api/withdrawals.ts";
import { EXAMPLE, SUBMITTED } from "../../withdrawals/rules/fields.ts";
import { INVOICE_EXAMPLE } from "./schemas.ts";

const OF_INVOICE = {
  method: "POST",
  tag: "Invoices",
  permission: "withdraw",
  alsoNeeds: "manage_invoices",
} as const;

const PATH = { invoice_id: INVOICE_EXAMPLE.invoice_id };
const COIN = { network: "ETH", currency: "ETH", amount: "0.004" };
const REFUND = {
  ...{ ...EXAMPLE, ...COIN, id: 43, fee: "0.0005", clientReference: "refund-7" },
  txHash: "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060",
};

export const refundInvoice = strict({
  ...OF_INVOICE,
  path: "/v1/invoices/{invoice_id}/refunds",
  operationId: "refundInvoice",
  summary: "Refund an invoice",
  description:
    "Pays out at most what was credited for the invoice in this currency and wasn't refunded yet. Your account pays the fee, and the minimum doesn't apply, but less than the network fee is refunded only if it is all that is left. Otherwise it is a withdrawal like any other, and shares its `client_reference`s.\n\nSo if any payout with this key already had this `client_reference`, nothing is refunded: the response is 200 with that payout, in the fields of `GET /v1/withdrawals/{withdrawal_id}`, and the header `X-CPG-Replay` is `different`, or `same` if it was this refund.\n\nA refund of an invoice from before a restore of the books waits for an approval.",
  body: WithdrawalBody,
  reference: "client_reference",
  data: z.union([SubmittedWithdrawal, Withdrawal]),
  refusals: [
    ...createWithdrawal.refusals,
    "not_found",
    "refund_too_high",
    "refund_too_small",
    "account_suspended",
  ],
  example: {
    path: PATH,
    body: { ...COIN, to_address: REFUND.toAddress, client_reference: REFUND.clientReference },
    // The document has always had these first.
    data: {
      ...{ withdrawal_id: REFUND.id, status: "broadcasted", network: "ETH", currency: "ETH" },
      ...SUBMITTED.of(REFUND),
    },
  },
  handle: (deps) => async (c, { body }) => {
    const caller = signedCaller(c);
    const order = orderOf(body);
    const asked = { ...order, caller, invoiceId: idParam(c, "invoice_id") };
    const { isOfInvoice, ...made } = await refund(deps, asked);
    return await answerFor(deps, c, { ...made, order, isAlike: isOfInvoice });
  },
});

const { network, currency, amount } = WithdrawalBody.shape;

const RefundLink = z.object({
  url: z.string().meta({ description: "For the payer." }),
}).meta({ id: "RefundLink" });

export const createRefundLink = strict({
  ...OF_INVOICE,
  path: "/v1/invoices/{invoice_id}/refund-links",
  operationId: "createRefundLink",
  summary: "Let the payer say where to refund",
  description:
    "The page behind `url` asks once for an address, within 7 days. The refund then waits until somebody of the account approves it. Nobody can read the link again, so send it to the payer now.",
  body: z.object({ network, currency, amount }),
  data: RefundLink,
  refusals: [
    "not_found",
    ...PAY_OUT.refusals,
    "amount_below_minimum",
    "refund_too_high",
    "refund_too_small",
    "account_suspended",
    "replayed_request",
  ],
  example: {
    path: PATH,
    body: COIN,
    data: { url: "https://pay.example.com/refund/mZ2nXcQ1vY8rT4wKpL0aBg" },
  },
  handle: (deps) => async (c, { body }) => {
    const caller = signedCaller(c);
    const invoiceId = idParam(c, "invoice_id");
    return ok(c, { url: await makeRefundLink(deps, { ...body, caller, invoiceId }) });
  },
});
