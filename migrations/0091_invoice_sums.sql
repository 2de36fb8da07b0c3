-- What an invoice has is kept with it, and no longer added up by everybody who looks at it.

ALTER TABLE invoices ADD COLUMN sums TEXT;

-- What the sums of the invoice count for it; null: not yet.
ALTER TABLE refunds ADD COLUMN counted TEXT;

CREATE TRIGGER invoices_refunded AFTER INSERT ON refunds WHEN NEW.counted IS NULL
BEGIN
  UPDATE invoices SET judge_at_ms = 0 WHERE id = NEW.invoice_id;
END;

-- Its money is the account's again, so it was not given back.
CREATE TRIGGER invoices_refund_ended AFTER UPDATE OF status ON withdrawals
WHEN NEW.status IS NOT OLD.status AND NEW.status IN ('failed', 'cancelled')
BEGIN
  UPDATE invoices SET judge_at_ms = 0
  WHERE id = (SELECT invoice_id FROM refunds WHERE withdrawal_id = NEW.id);
END;

-- Added up by and by: those that are open, and those with payments. What changes is marked with 0
-- and goes first.
UPDATE invoices SET judge_at_ms = 1 WHERE judge_at_ms IS NOT NULL AND judge_at_ms > 0;
UPDATE invoices SET judge_at_ms = 1
WHERE id IN (SELECT invoice_id FROM invoice_payments) AND judge_at_ms IS NULL;
