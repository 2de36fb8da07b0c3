-- What limits have counted can't be deleted or put back: marks know the one before them, and meters
-- which releases they have taken out.

ALTER TABLE policy_marks ADD COLUMN previous_at_ms INTEGER;
ALTER TABLE policy_meters ADD COLUMN released_to INTEGER;
