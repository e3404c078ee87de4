-- A pass of the reconciler takes orders in one message and writes what it derived in another: each round trip would lengthen every swap.
-- The functions are volatile, so each of their statements has a snapshot of its own.

-- Only one transaction at a time derives an order: it sees all that was written before, so no older state is written after it.
create function lock_orders(order_ids text[]) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(7206020, key) from (select distinct hashtext(id) as key from unnest(order_ids) as id order by key) as sorted;
end $$;

-- Touched orders, oldest first, without those that another transaction takes, and due orders of these shards. Locks them all. Read them in a later
-- statement, and delete the touched rows when the orders are derived: later changes have later rows.
-- `is_full`: there may be more.
create function take_orders(query json, out touched bigint[], out order_ids text[], out is_full boolean) language plpgsql as $$
declare
  most constant integer := query ->> 'limit';
  at_seconds constant bigint := query ->> 'now';
  shards constant smallint[] := array(select json_array_elements_text(query -> 'shards'));
  touched_ids text[];
  due text[];
begin
  select coalesce(array_agg(id), '{}'), coalesce(array_agg(order_id), '{}') into touched, touched_ids
  from (select id, order_id from touched_orders order by id limit most for update skip locked) as taken;

  with clocks as materialized (
    select chain.id || clock.name as clock, clock.value
    from json_array_elements_text(query -> 'chains') as chain (id)
      left join lateral (select height, time, final_height from blocks where chain = chain.id order by height desc limit 1) as tip on true
      cross join lateral (
        values (' height', coalesce(tip.height, 0)), (' time', coalesce(tip.time, 0)),
          (' final', coalesce(tip.final_height, (query ->> 'untagged')::bigint)), (' age', at_seconds - coalesce(tip.time, 0))
      ) as clock (name, value)
    union all values ('now', at_seconds), ('recheck', (query ->> 'nowMs')::bigint)
  )
  select coalesce(array_agg(order_id), '{}') into due from (
    select distinct late.order_id from clocks cross join lateral (
      -- Literal limits, so that the planner chooses the indexes.
      (select order_id from order_clocks where clock = clocks.clock and until <= clocks.value and shard = any(shards) order by until limit 200)
      union all
      (select order_id from order_clocks where clock = clocks.clock and since > clocks.value and shard = any(shards) order by since desc limit 200)
    ) as late limit most
  ) as found;

  order_ids := array(select distinct id from unnest(touched_ids || due) as id);
  is_full := cardinality(touched) >= most or cardinality(due) >= most;
  perform lock_orders(order_ids);
end $$;

-- Makes the wanted actions of these orders equal to `wishes`. Newly wanted actions are due now. True if there are any. `confirmed`: initiations that
-- need no cancelling when they are dropped. Locks actions in the order of their keys, as everyone who locks several.
create function sync_wanted(order_ids text[], wishes json, confirmed text[]) returns boolean language plpgsql as $$
declare
  is_any_new boolean;
  dropped text[];
begin
  insert into actions (key, order_id, leg, verb, wanted)
  select key, order_id, leg, verb, true from json_to_recordset(wishes) as wish (key text, order_id text, leg text, verb text)
  where order_id = any(order_ids) and not exists (select from actions where actions.key = wish.key and actions.wanted)
  order by key collate "C"
  on conflict (key) do update set wanted = true, cancelling = false, due_at = now(), failures = 0, last_error = null, refusal = null, updated_at = now();
  is_any_new := found;

  dropped := array(
    select key from actions
    where order_id = any(order_ids) and wanted and not exists (select from json_to_recordset(wishes) as wish (key text) where wish.key = actions.key)
    order by key collate "C" for update
  );
  if cardinality(dropped) > 0 then
    -- Only an initiation does harm when it is mined late. All others pay the rightful owner at any time. Locked before, so this sees an attempt that
    -- was recorded concurrently.
    update actions set wanted = false, due_at = now(), updated_at = now(),
      cancelling = verb = 'initiate' and key <> all(confirmed) and exists (select from attempts where action_key = actions.key)
    where key = any(dropped);
  end if;
  return is_any_new;
end $$;

-- Writes what a pass derived. True if actions are newly wanted. `orders`: all that the pass took; `derived`: those whose state is known.
create function write_derived(pass json) returns boolean language plpgsql as $$
declare
  taken constant text[] := array(select json_array_elements_text(pass -> 'orders'));
  is_any_new boolean;
begin
  is_any_new := sync_wanted(
    array(select json_array_elements_text(pass -> 'derived')), pass -> 'wanted', array(select json_array_elements_text(pass -> 'confirmed'))
  );

  if json_array_length(pass -> 'statuses') > 0 then
    update order_list set status = given.status
    from json_to_recordset(pass -> 'statuses') as given (id text, status text) join orders on orders.id = given.id
    where order_list.seq = orders.seq and order_list.status <> given.status;
  end if;

  delete from order_clocks where order_id = any(taken) and not exists (
    select from json_to_recordset(pass -> 'ranges') as given (order_id text, clock text)
    where given.order_id = order_clocks.order_id and given.clock = order_clocks.clock
  );
  insert into order_clocks (order_id, clock, since, until)
  select order_id, clock, since, until from json_to_recordset(pass -> 'ranges') as given (order_id text, clock text, since bigint, until bigint)
  -- A conflict locks and writes the row even if it stays as it is.
  where not exists (
    select from order_clocks as known
    where known.order_id = given.order_id and known.clock = given.clock
      and known.since is not distinct from given.since and known.until is not distinct from given.until
  )
  order by order_id, clock
  on conflict (order_id, clock) do update set since = excluded.since, until = excluded.until;

  delete from touched_orders where id in (select json_array_elements_text(pass -> 'touched')::bigint);
  return is_any_new;
end $$;
