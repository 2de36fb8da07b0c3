-- What merchants are told, and what the books were found right from, carries a keyed hash as well.

ALTER TABLE deposit_requests ADD COLUMN seal TEXT;
ALTER TABLE events ADD COLUMN seal TEXT;
ALTER TABLE ledger_checks ADD COLUMN seal TEXT;
ALTER TABLE webhook_endpoints ADD COLUMN seal TEXT;
