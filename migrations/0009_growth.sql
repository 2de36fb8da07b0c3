-- Transactions by several conditions at once: each kind is read in order, however many others there are.

CREATE INDEX transactions_kind ON transactions (account_id, direction, status, network, currency, id);
