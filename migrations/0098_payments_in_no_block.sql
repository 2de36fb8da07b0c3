-- A payment that left the chain for good stops counting for its invoice until it is mined again.

CREATE TRIGGER invoices_payment_adrift AFTER UPDATE OF block_hash ON transactions
WHEN NEW.status = 'detected' AND (NEW.block_hash IS NULL) <> (OLD.block_hash IS NULL)
BEGIN
  UPDATE invoices SET judge_at_ms = 0
  WHERE id = (SELECT invoice_id FROM invoice_payments WHERE transaction_id = NEW.id);
END;

UPDATE invoices SET judge_at_ms = 0
WHERE id IN (
  SELECT p.invoice_id
  FROM invoice_payments AS p
  JOIN transactions AS t ON t.id = p.transaction_id
  WHERE t.status = 'detected' AND t.block_hash IS NULL
);
