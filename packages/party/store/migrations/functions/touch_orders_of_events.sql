-- Marks orders with changed events, to be derived again.
create or replace function touch_orders_of_events() returns trigger language plpgsql as $$
begin
  insert into touched_orders (order_id)
  select distinct swaps.order_id from changed join swaps on swaps.chain = changed.chain and swaps.swap_id = changed.swap_id;
  return null;
end $$;

create or replace trigger events_inserted after insert on events referencing new table as changed for each statement execute function touch_orders_of_events();
create or replace trigger events_updated after update on events referencing new table as changed for each statement execute function touch_orders_of_events();
create or replace trigger events_deleted after delete on events referencing old table as changed for each statement execute function touch_orders_of_events();
