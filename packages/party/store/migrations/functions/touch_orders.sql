-- Marks orders whose grants, fills or prefunds changed, to be derived again.
create or replace function touch_orders() returns trigger language plpgsql as $$
begin
  insert into touched_orders (order_id) select distinct order_id from changed;
  return null;
end $$;

create or replace trigger grants_inserted after insert on grants referencing new table as changed for each statement execute function touch_orders();
create or replace trigger grants_updated after update on grants referencing new table as changed for each statement execute function touch_orders();
create or replace trigger grants_deleted after delete on grants referencing old table as changed for each statement execute function touch_orders();
create or replace trigger fills_inserted after insert on fills referencing new table as changed for each statement execute function touch_orders();
create or replace trigger fills_updated after update on fills referencing new table as changed for each statement execute function touch_orders();
create or replace trigger fills_deleted after delete on fills referencing old table as changed for each statement execute function touch_orders();
create or replace trigger prefunds_inserted after insert on prefunds referencing new table as changed for each statement execute function touch_orders();
create or replace trigger prefunds_updated after update on prefunds referencing new table as changed for each statement execute function touch_orders();
