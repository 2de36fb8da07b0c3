import { acceptInvoice, cancelInvoice, extendInvoice } from "../../../actions/invoices/manage.ts";
import { expiresIn, REASON_MAX } from "../../../domain/invoices/kinds.ts";
import * as kind from "../../../domain/kinds.ts";
import { act, done } from "../../routes.ts";
import type { Visit } from "../../visit.ts";
import { writeNote } from "../../parts/payment/notes.tsx";
import { invoicePage, noteSubject, ownInvoice } from "./invoice.tsx";

/** With the owner's account, also if an operator does it. */
async function orderOf(visit: Visit) {
  const { id, accountId } = await ownInvoice(visit);
  return { id, accountId, actor: visit.actor };
}

const cancelAct = act({
  path: "/invoices/:id{[0-9]+}/cancel",
  ability: "manage_invoices",
  isUrgent: true,
  on: invoicePage,
  run: async (visit) => {
    const { id } = await cancelInvoice(visit.deps, await orderOf(visit));
    return done(`/invoices/${id}`, "The invoice is cancelled");
  },
});

const extendAct = act({
  path: "/invoices/:id{[0-9]+}/extend",
  ability: "manage_invoices",
  on: invoicePage,
  run: async (visit) => {
    const order = await orderOf(visit);
    const expiresInS = visit.form.read((fields) => fields.required("expires_in", expiresIn));
    const { id } = await extendInvoice(visit.deps, { ...order, expiresInS });
    return done(`/invoices/${id}`, "The payer has more time, at the same prices");
  },
});

const acceptAct = act({
  path: "/invoices/:id{[0-9]+}/accept",
  ability: "manage_invoices",
  isUrgent: true,
  on: invoicePage,
  run: async (visit) => {
    const order = await orderOf(visit);
    const reason = visit.form.read((fields) =>
      fields.required("reason", kind.text({ max: REASON_MAX }))
    );
    const { id } = await acceptInvoice(visit.deps, { ...order, reason });
    return done(`/invoices/${id}`, "The invoice counts as paid");
  },
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
