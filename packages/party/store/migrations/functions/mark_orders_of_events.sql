-- Marks funded orders with new events. The triggers are in keep_inventory_marks.sql.
create or replace function mark_orders_of_events() returns trigger language plpgsql as $$
begin
  insert into inventory_marks (order_id)
  select distinct source.order_id
  from (select distinct chain, swap_id from changed) as changed
    join swaps as either_leg on either_leg.chain = changed.chain and either_leg.swap_id = changed.swap_id
    join swaps as source on source.order_id = either_leg.order_id and source.leg = 'source'
    join orders on orders.id = source.order_id
  -- Only a solver has orders without an app.
  where orders.app is null and is_funded(source);
  return null;
end $$;
