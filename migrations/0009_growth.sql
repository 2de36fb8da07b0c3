-- Lists by several conditions at once: each kind of row is read in order, however many others there are.

CREATE INDEX transactions_kind ON transactions (account_id, direction, status, network, currency, id);

-- Nearly everything was delivered and is found without an index: only what was not has one.
DROP INDEX webhook_deliveries_state;
CREATE INDEX webhook_deliveries_unsettled ON webhook_deliveries (state, event_id)
  WHERE state <> 'delivered';
CREATE INDEX webhook_deliveries_unsettled_endpoint ON webhook_deliveries (endpoint_id, state, event_id)
  WHERE state <> 'delivered';
