import { ACCEPT_INVOICE, CANCEL_INVOICE, EXTEND_INVOICE } from "../operations/invoice.ts";
import { formOf } from "../../dashboard/asking.ts";
import { act, done } from "../../dashboard/routes.ts";
import { writeNote } from "../../dashboard/parts/payment/notes.tsx";
import { invoicePage, noteSubject, ownInvoice } from "./invoice.tsx";

const common = { on: invoicePage, to: "/invoices/:id" };

const cancelAct = formOf(CANCEL_INVOICE, {
  ...common,
  path: "/invoices/:id{[0-9]+}/cancel",
  said: () => "The invoice is cancelled",
});

const extendAct = formOf(EXTEND_INVOICE, {
  ...common,
  path: "/invoices/:id{[0-9]+}/extend",
  fields: { names: ["expires-in"] },
  said: () => "The payer has more time, at the same prices",
});

const acceptAct = formOf(ACCEPT_INVOICE, {
  ...common,
  path: "/invoices/:id{[0-9]+}/accept",
  fields: { names: ["reason"] },
  said: () => "The invoice counts as paid",
});

const noteAct = act({
  path: "/invoices/:id{[0-9]+}/notes",
  ability: "approve",
  on: invoicePage,
  run: async (visit) => {
    const row = await ownInvoice(visit);
    await writeNote(visit, noteSubject(row));
    return done(`/invoices/${row.id}`, "The note was added");
  },
});

export const INVOICE_CHANGE_ROUTES = [cancelAct, extendAct, acceptAct, noteAct];
