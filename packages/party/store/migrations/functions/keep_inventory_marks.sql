-- Makes the triggers of inventory marks. A solver calls this when it starts: only a solver keeps inventory, and in the database of a service these triggers
-- would cost a look-up at every event. Orders that changed while there were no triggers are marked.
create or replace function keep_inventory_marks() returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(7206021);
  if exists (select from pg_trigger where tgname = 'order_declined_mark') then
    return;
  end if;
  create trigger events_inserted_mark after insert on events referencing new table as changed for each statement execute function mark_orders_of_events();
  create trigger events_updated_mark after update on events referencing new table as changed for each statement execute function mark_orders_of_events();
  create trigger events_deleted_mark after delete on events referencing old table as changed for each statement execute function mark_orders_of_events();
  create trigger fills_inserted_mark after insert on fills referencing new table as changed for each statement execute function mark_orders();
  create trigger grants_inserted_mark after insert on grants referencing new table as changed for each statement execute function mark_orders();
  create trigger grants_updated_mark after update on grants referencing new table as changed for each statement execute function mark_orders();
  create trigger order_declined_mark after update of declined on orders for each row
    when (new.app is null and old.declined is distinct from new.declined) execute function mark_order();
  insert into inventory_marks (order_id)
  select orders.id from orders join swaps as source on source.order_id = orders.id and source.leg = 'source'
  where orders.app is null and orders.closed_at is null and is_funded(source);
end $$;
