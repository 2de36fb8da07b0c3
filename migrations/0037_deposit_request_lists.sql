-- An account's deposit requests can be read by network and currency, newest first.

CREATE INDEX deposit_requests_asset ON deposit_requests (account_id, network, currency, id);
