-- A payment is listed under the request that had its pool address when it was paid.

CREATE INDEX deposit_requests_owner ON deposit_requests (address_id, created_at_ms, id);
