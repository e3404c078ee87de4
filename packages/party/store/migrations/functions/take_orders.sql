-- Takes touched orders, oldest first, without those that another transaction takes, and due orders of these shards, in one message. Locks them all. The caller
-- reads them in a later statement, and deletes the touched rows when the orders are derived: later changes have later rows. The function is volatile, so each
-- of its statements has a snapshot of its own.
-- `upToMark`: touched orders with newer marks are left to the engine that watches their chain; absent: all are taken.
-- `news`: touched orders without stored ranges, or with the ranges of an order that has not been quiet since its first news.
-- `is_full`: there may be more. `newest_mark`: the newest mark before any was taken.
create or replace function take_orders(query json, out touched bigint[], out order_ids text[], out news text[], out is_full boolean, out newest_mark bigint) language plpgsql as $$
declare
  most constant integer := query ->> 'limit';
  at_seconds constant bigint := query ->> 'now';
  shards constant smallint[] := array(select json_array_elements_text(query -> 'shards'));
  up_to_mark constant bigint := coalesce((query ->> 'upToMark')::bigint, 9223372036854775807);
  touched_ids text[];
  due text[];
begin
  newest_mark := (select last_value from touched_orders_id_seq);
  select coalesce(array_agg(id), '{}'), coalesce(array_agg(order_id), '{}') into touched, touched_ids
  from (select id, order_id from touched_orders where id <= up_to_mark order by id limit most for update skip locked) as taken;

  with clocks as materialized (
    select chain.id || clock.name as clock, clock.value
    from json_array_elements_text(query -> 'chains') as chain (id)
      left join lateral (select height, time, final_height from blocks where chain = chain.id order by height desc limit 1) as tip on true
      cross join lateral (
        values (' height', coalesce(tip.height, 0)), (' time', coalesce(tip.time, 0)),
          (' final', coalesce(tip.final_height, (query ->> 'untagged')::bigint)), (' age', at_seconds - coalesce(tip.time, 0))
      ) as clock (name, value)
    union all values ('now', at_seconds), ('settle', at_seconds), ('recheck', (query ->> 'nowMs')::bigint)
  )
  select coalesce(array_agg(order_id), '{}') into due from (
    select distinct late.order_id from clocks cross join lateral (
      -- The limits are literals, so that the planner chooses the indexes.
      (select order_id from order_clocks where clock = clocks.clock and until <= clocks.value and shard = any(shards) order by until limit 200)
      union all
      (select order_id from order_clocks where clock = clocks.clock and since > clocks.value and shard = any(shards) order by since desc limit 200)
    ) as late limit most
  ) as found;

  order_ids := array(select distinct id from unnest(touched_ids || due) as id);
  is_full := cardinality(touched) >= most or cardinality(due) >= most;
  perform lock_orders(order_ids);
  -- The orders are locked, so nobody writes their ranges meanwhile.
  news := array(
    select distinct id from unnest(touched_ids) as id
    where not exists (select from order_clocks where order_id = id and clock = 'now')
      and not exists (select from order_clocks where order_id = id and clock = 'facts')
  );
end $$;
