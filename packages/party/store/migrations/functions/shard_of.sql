-- The shard of an order. Engines share the orders that are due by their shards. A generated column depends on this function, so it never changes; the number of
-- shards is SHARDS in the code.
create or replace function shard_of(order_id text) returns smallint language sql immutable strict parallel safe
  return (hashtextextended(order_id, 0) & 31)::smallint;
