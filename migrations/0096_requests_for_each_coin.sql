-- Coins of one network share an invoice's address, and each that was chosen has a request of its own.

ALTER TABLE deposit_requests ADD COLUMN shared_with_id INTEGER REFERENCES deposit_requests (id);

CREATE UNIQUE INDEX deposit_requests_shared ON deposit_requests (shared_with_id, currency)
WHERE shared_with_id IS NOT NULL;
