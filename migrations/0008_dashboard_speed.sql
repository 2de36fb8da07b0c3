-- What the dashboard's lists are narrowed by, and the hours of volumes that nobody looks at any more.

CREATE INDEX webhook_deliveries_endpoint_state ON webhook_deliveries (endpoint_id, state, event_id);
CREATE INDEX volumes_hours ON volumes (starts_at_ms) WHERE span = 'hour';

-- What one did to one thing: either alone may have a million rows.
CREATE INDEX audit_log_actor_subject ON audit_log (actor, subject, id);
