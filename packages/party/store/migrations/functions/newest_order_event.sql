-- The number of the newest order event; 0 before the first. Pruning never removes the newest row.
create or replace function newest_order_event() returns bigint language sql stable as $$
  select coalesce((select id from order_events order by id desc limit 1), 0)
$$;
