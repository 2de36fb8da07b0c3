-- A new withdrawal is left out of these indexes by comparing two words instead of looking up one of three.

DROP INDEX withdrawals_recipient;
CREATE INDEX withdrawals_recipient ON withdrawals (account_id, lower(to_address), id)
WHERE status NOT IN ('pending', 'broadcasted');

DROP INDEX withdrawals_recipient_begin;
CREATE INDEX withdrawals_recipient_begin
ON withdrawals (substr(lower(to_address), 1, 14), account_id)
WHERE status NOT IN ('pending', 'broadcasted');

DROP INDEX withdrawals_recipient_end;
CREATE INDEX withdrawals_recipient_end ON withdrawals (substr(lower(to_address), -6), account_id)
WHERE status NOT IN ('pending', 'broadcasted');

DROP INDEX withdrawals_text;
CREATE INDEX withdrawals_text ON withdrawals (lower(client_reference), id)
WHERE client_reference IS NOT NULL AND status NOT IN ('pending', 'broadcasted');

DROP INDEX withdrawals_account_text;
CREATE INDEX withdrawals_account_text ON withdrawals (account_id, lower(client_reference), id)
WHERE client_reference IS NOT NULL AND status NOT IN ('pending', 'broadcasted');
