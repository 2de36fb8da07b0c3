-- Whether an operator had switched a currency off, however much was said of the account since.

CREATE INDEX audit_log_currencies ON audit_log (subject, id)
WHERE action NOT GLOB 'withdrawal.*' AND action = 'account.currency_enabled';
