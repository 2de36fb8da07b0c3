-- Deliveries of one webhook and of one account by their state, and the hours of volumes that nobody looks at.

CREATE INDEX webhook_deliveries_endpoint_state ON webhook_deliveries (endpoint_id, state, event_id);
CREATE INDEX volumes_hours ON volumes (starts_at_ms) WHERE span = 'hour';
