-- Once an operator says that a network's coins are real, or are not, its open invoices are judged again;
-- and servers say where they are reached.

-- How often that was changed; null: never.
ALTER TABLE networks ADD COLUMN test_changes INTEGER;

-- The same when it was decided whether the payment is worthless.
ALTER TABLE invoice_payments ADD COLUMN test_changes INTEGER;

CREATE INDEX invoices_unsettled ON invoices (status, id)
WHERE status IN ('open', 'processing', 'underpaid');

-- By and by: what changes is marked with 0 and goes first.
CREATE TRIGGER networks_test_changed AFTER UPDATE OF test_changes ON networks
WHEN NEW.test_changes IS NOT OLD.test_changes
BEGIN
  UPDATE invoices SET judge_at_ms = 1
  WHERE judge_at_ms IS NOT 0 AND id IN (
    SELECT i.id
    FROM invoices AS i
    WHERE i.status IN ('open', 'processing', 'underpaid') AND EXISTS (
      SELECT 1
      FROM invoice_payments AS p
      CROSS JOIN transactions AS t ON t.id = p.transaction_id
      WHERE p.invoice_id = i.id AND t.network = NEW.code
    )
  );
END;

-- Where payers reach it, sealed with the master key, because commands print links to it. Null: an
-- older version.
ALTER TABLE instances ADD COLUMN public_url TEXT;
