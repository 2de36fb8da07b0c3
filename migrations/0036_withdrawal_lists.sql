-- An account's withdrawals can be read by status, network and currency together, and by recipient.

DROP INDEX withdrawals_account_status;
CREATE INDEX withdrawals_kind ON withdrawals (account_id, status, network, currency, id);

-- Only those that have ended: an order pays for no index that grows at random places.
CREATE INDEX withdrawals_recipient ON withdrawals (account_id, lower(to_address), id)
WHERE status IN ('confirmed', 'failed', 'cancelled');
