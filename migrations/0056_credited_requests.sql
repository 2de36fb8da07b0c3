-- Whether a request is settled is looked up without its payments that don't count yet: anybody can send many.

CREATE INDEX transactions_credited_address ON transactions (address_id, currency, id)
WHERE address_id IS NOT NULL AND confirmed_at_ms IS NOT NULL;

CREATE INDEX transactions_credited_request ON transactions (deposit_request_id, currency, id)
WHERE deposit_request_id IS NOT NULL AND confirmed_at_ms IS NOT NULL;
