-- Invoices are found by how their customers begin.

CREATE INDEX invoices_customer_text ON invoices (lower(customer), id) WHERE customer IS NOT NULL;
CREATE INDEX invoices_account_customer_text ON invoices (account_id, lower(customer), id)
WHERE customer IS NOT NULL;
