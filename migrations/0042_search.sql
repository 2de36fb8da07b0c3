-- Addresses, customers, requests, accounts, keys and webhooks are found by their beginning or end.

-- Fourteen characters tell addresses apart, and keep the index a third as large.
CREATE INDEX addresses_begin ON addresses (substr(lower(address), 1, 14), account_id);
CREATE INDEX addresses_end ON addresses (substr(lower(address), -6), account_id);
CREATE INDEX addresses_customer ON addresses (lower(user_identifier), id)
WHERE user_identifier IS NOT NULL;
CREATE INDEX addresses_account_customer ON addresses (account_id, lower(user_identifier), id)
WHERE user_identifier IS NOT NULL;
CREATE INDEX receiving_wallets_begin ON receiving_wallets (substr(lower(address), 1, 14), account_id);
CREATE INDEX receiving_wallets_end ON receiving_wallets (substr(lower(address), -6), account_id);
CREATE INDEX deposit_requests_key ON deposit_requests (lower(idempotency_key), id)
WHERE idempotency_key IS NOT NULL;
CREATE INDEX deposit_requests_account_key ON deposit_requests (account_id, lower(idempotency_key), id)
WHERE idempotency_key IS NOT NULL;
CREATE INDEX accounts_name ON accounts (lower(name));
CREATE INDEX api_keys_label ON api_keys (lower(label));
CREATE INDEX api_keys_search ON api_keys (lower(key_id));
CREATE INDEX webhook_endpoints_host
ON webhook_endpoints (replace(replace(lower(url), 'https://', ''), 'http://', ''));
CREATE INDEX addresses_newest_customers ON addresses (id) WHERE user_identifier IS NOT NULL;
CREATE INDEX addresses_account_newest_customers ON addresses (account_id, id)
WHERE user_identifier IS NOT NULL;
