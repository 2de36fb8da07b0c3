-- Each payout asks whether its account is suspended, and whether it was when it was requested.

CREATE INDEX audit_log_suspensions ON audit_log (subject, id)
WHERE action NOT GLOB 'withdrawal.*' AND action IN ('account.suspended', 'account.unsuspended');
