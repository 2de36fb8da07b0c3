-- What waits for a decision is a message of its own: whether it arrived before the rest did.

ALTER TABLE notice_receivers ADD COLUMN decided_to INTEGER;
