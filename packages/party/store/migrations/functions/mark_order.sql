-- Marks an order whose decline changed. The trigger is in keep_inventory_marks.sql.
create or replace function mark_order() returns trigger language plpgsql as $$
begin
  insert into inventory_marks (order_id) values (new.id);
  return null;
end $$;
