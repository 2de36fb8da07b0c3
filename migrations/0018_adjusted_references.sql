-- What was booked under a reference is found in the audit log too, where its row can't go unnoticed.

CREATE INDEX audit_log_references ON audit_log (subject, json_extract(detail, '$.reference'))
WHERE action = 'account.adjusted' AND json_extract(detail, '$.reference') IS NOT NULL;
