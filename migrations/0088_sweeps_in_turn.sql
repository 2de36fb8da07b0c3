-- Accounts take turns with their due sweeps: this steps from one account to the next.

CREATE INDEX sweeps_due_of_account ON sweeps (network, account_id, next_try_at_ms)
WHERE state = 'waiting';
