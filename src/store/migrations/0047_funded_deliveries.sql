-- Messages about orders that somebody has paid are delivered first: they must be found among any number of others.
create index webhook_deliveries_funded on webhook_deliveries (webhook_id, id) where dead_at is null and status not in ('created', 'expired');
