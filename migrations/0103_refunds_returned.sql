-- What was refunded and has arrived is kept with its invoice, and no longer added up for each page.

-- What the sums of the invoice count as arrived; null: it has not.
ALTER TABLE refunds ADD COLUMN returned TEXT;

-- Those that the sums may have to count otherwise one day.
CREATE INDEX refunds_moving ON refunds (invoice_id, withdrawal_id)
WHERE returned IS NULL AND counted IS NOT '0';

DROP TRIGGER invoices_refund_ended;

-- It has arrived, or its money is the account's again, so it was not given back.
CREATE TRIGGER invoices_refund_ended AFTER UPDATE OF status ON withdrawals
WHEN NEW.status IS NOT OLD.status AND NEW.status IN ('confirmed', 'failed', 'cancelled')
BEGIN
  UPDATE invoices SET judge_at_ms = 0
  WHERE id = (SELECT invoice_id FROM refunds WHERE withdrawal_id = NEW.id);
END;

-- Those that have arrived already are added up by and by.
UPDATE invoices SET judge_at_ms = 1
WHERE id IN (
    SELECT r.invoice_id
    FROM refunds AS r
    JOIN withdrawals AS w ON w.id = r.withdrawal_id
    WHERE w.status = 'confirmed'
  )
  AND (judge_at_ms IS NULL OR judge_at_ms > 1);
