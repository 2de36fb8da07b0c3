-- Payments, payouts and our own transactions are found by the beginning or end of what they show.

CREATE INDEX transactions_hash_end ON transactions (substr(tx_hash, -6), account_id)
WHERE direction = 'deposit';
CREATE INDEX transactions_payer_begin ON transactions (substr(lower(from_address), 1, 14), account_id)
WHERE direction = 'deposit';
CREATE INDEX transactions_payer_end ON transactions (substr(lower(from_address), -6), account_id)
WHERE direction = 'deposit';
CREATE INDEX signed_transfers_hash_end ON signed_transfers (substr(tx_hash, -6));

-- Only those that have ended: an order pays for no index that grows at random places.
CREATE INDEX withdrawals_recipient_begin
ON withdrawals (substr(lower(to_address), 1, 14), account_id)
WHERE status IN ('confirmed', 'failed', 'cancelled');
CREATE INDEX withdrawals_recipient_end ON withdrawals (substr(lower(to_address), -6), account_id)
WHERE status IN ('confirmed', 'failed', 'cancelled');
CREATE INDEX withdrawals_text ON withdrawals (lower(client_reference), id)
WHERE client_reference IS NOT NULL AND status IN ('confirmed', 'failed', 'cancelled');
CREATE INDEX withdrawals_account_text ON withdrawals (account_id, lower(client_reference), id)
WHERE client_reference IS NOT NULL AND status IN ('confirmed', 'failed', 'cancelled');
