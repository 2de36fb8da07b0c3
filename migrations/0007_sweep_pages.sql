-- The dashboard lists an account's sweeps, newest first.
CREATE INDEX sweeps_account ON sweeps (account_id, id);
CREATE INDEX sweeps_account_state ON sweeps (account_id, state, id);
