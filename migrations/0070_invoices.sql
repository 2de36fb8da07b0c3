-- Invoices: what a payer owes, the addresses given for it, and the payments that came to them.

CREATE TABLE invoices (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts (id),
  key_id TEXT NOT NULL,
  idempotency_key TEXT,
  token TEXT NOT NULL,
  amount TEXT NOT NULL,
  currency TEXT NOT NULL,
  tolerance_percent TEXT NOT NULL,
  methods TEXT NOT NULL,
  reference TEXT,
  description TEXT,
  customer TEXT,
  metadata TEXT NOT NULL,
  redirect_url TEXT,
  language TEXT,
  status TEXT NOT NULL
    CHECK (status IN ('open', 'processing', 'paid', 'underpaid', 'expired', 'cancelled')),
  expires_at_ms INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL,
  paid_at_ms INTEGER,
  cancelled_at_ms INTEGER,
  accepted_value TEXT,
  -- When it is looked at next; null: only once a payment comes or changes.
  judge_at_ms INTEGER,
  seal TEXT
) STRICT;

CREATE UNIQUE INDEX invoices_token ON invoices (token);
CREATE UNIQUE INDEX invoices_idempotency ON invoices (key_id, idempotency_key);
CREATE INDEX invoices_account ON invoices (account_id, id);
CREATE INDEX invoices_status ON invoices (account_id, status, id);
CREATE INDEX invoices_reference ON invoices (account_id, reference, id) WHERE reference IS NOT NULL;
CREATE INDEX invoices_customer ON invoices (account_id, customer, id) WHERE customer IS NOT NULL;
CREATE INDEX invoices_due ON invoices (judge_at_ms, id) WHERE judge_at_ms IS NOT NULL;

CREATE TABLE invoice_addresses (
  invoice_id INTEGER NOT NULL REFERENCES invoices (id),
  network TEXT NOT NULL,
  -- Without references: both may be replaced by rows of the same transaction, which come later.
  address_id INTEGER NOT NULL,
  address TEXT NOT NULL,
  deposit_request_id INTEGER NOT NULL,
  allocated_at_ms INTEGER NOT NULL,
  seal TEXT,
  PRIMARY KEY (invoice_id, network)
) STRICT;

CREATE UNIQUE INDEX invoice_addresses_request ON invoice_addresses (deposit_request_id);

CREATE TABLE invoice_payments (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  invoice_id INTEGER NOT NULL REFERENCES invoices (id),
  transaction_id INTEGER NOT NULL REFERENCES transactions (id),
  -- The price of one coin when the payment was seen; null: there was none, or nobody has looked yet.
  later_rate TEXT,
  rated_at_ms INTEGER,
  seal TEXT
) STRICT;

CREATE UNIQUE INDEX invoice_payments_transaction ON invoice_payments (transaction_id);
CREATE INDEX invoice_payments_invoice ON invoice_payments (invoice_id, id);

-- Whatever changes a payment, its invoice is looked at again.
CREATE TRIGGER invoices_paid AFTER INSERT ON invoice_payments
BEGIN
  UPDATE invoices SET judge_at_ms = 0 WHERE id = NEW.invoice_id;
END;

CREATE TRIGGER invoices_payment_moved AFTER UPDATE OF status ON transactions
WHEN NEW.status IS NOT OLD.status
BEGIN
  UPDATE invoices SET judge_at_ms = 0
  WHERE id = (SELECT invoice_id FROM invoice_payments WHERE transaction_id = NEW.id);
END;
