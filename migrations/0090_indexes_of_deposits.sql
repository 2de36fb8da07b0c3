-- A payout belongs to no address and no deposit request, so it isn't written to their indexes.

DROP INDEX transactions_address;

CREATE INDEX transactions_address ON transactions (address_id, currency, id)
WHERE address_id IS NOT NULL;

DROP INDEX transactions_address_newest;

CREATE INDEX transactions_address_newest ON transactions (address_id, id)
WHERE address_id IS NOT NULL;

DROP INDEX transactions_request;

CREATE INDEX transactions_request ON transactions (deposit_request_id, currency, id)
WHERE deposit_request_id IS NOT NULL;
