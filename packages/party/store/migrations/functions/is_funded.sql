-- Whether a source has a deposit that inventory is reserved for. At most five deposits count, and they add up to at least 5/6 of the amount: without one
-- of at least a sixth nothing is reserved.
create or replace function is_funded(source swaps) returns boolean language sql stable
  return exists (
    select from events
    where events.chain = source.chain and events.swap_id = source.swap_id and events.kind = 'initiated' and events.amount >= source.amount / 6
  );
