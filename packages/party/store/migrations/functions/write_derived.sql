-- Writes what a pass of the reconciler derived, in one message. Returns whether actions are newly wanted. `orders`: all that the pass took; `derived`: those
-- whose state is known.
create or replace function write_derived(pass json) returns boolean language plpgsql as $$
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
