-- Invoices are found by how their references begin, and their events by their number.

CREATE INDEX invoices_text ON invoices (lower(reference), id) WHERE reference IS NOT NULL;
CREATE INDEX invoices_account_text ON invoices (account_id, lower(reference), id)
WHERE reference IS NOT NULL;
CREATE INDEX events_invoice ON events (account_id, payload ->> '$.data.invoice_id', id)
WHERE type >= 'invoice.' AND type < 'invoice/';
