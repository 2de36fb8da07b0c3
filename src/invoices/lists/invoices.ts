import { INVOICE_STATUSES } from "../rules/status.ts";
import { INVOICES_LISTED, isCalled, isReferenceBeginning } from "../reads/listed.ts";
import type { InvoiceRow } from "../tables/invoices.ts";
import { choice, type Filter, type List, text, TIMES } from "../../operations/lists/list.ts";

const status: Filter<string> = {
  kind: choice(INVOICE_STATUSES),
  api: "status",
  label: "Status",
  help: "only those with this status",
  example: "underpaid",
  column: "status",
};

/** A program asks for one of its own references, to the letter. */
const reference: Filter<string> = {
  kind: text(128),
  api: "reference",
  page: null,
  label: "Reference",
  help: "only those with this reference",
  example: "order-7",
  about: "Only those with this one.",
  means: (_, reference) => isCalled("reference", reference),
};

/** A person remembers how it begins. */
const beginning: Filter<string> = {
  ...reference,
  api: undefined,
  page: "reference",
  flag: null,
  means: ({ db }, reference, { accountId }) => isReferenceBeginning(db, { accountId, reference }),
};

const customer: Filter<string> = {
  kind: text(256),
  api: "customer",
  label: "Customer",
  help: "only this customer's",
  example: "customer-7",
  about: "Only this customer's.",
  means: (_, customer) => isCalled("customer", customer),
};

export const INVOICES: List<InvoiceRow> = {
  title: "Invoices",
  listing: INVOICES_LISTED,
  filters: { status, reference, beginning, customer, ...TIMES },
};
