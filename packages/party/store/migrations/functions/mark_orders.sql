-- Marks orders whose fill or grant changed. The triggers are in keep_inventory_marks.sql.
create or replace function mark_orders() returns trigger language plpgsql as $$
begin
  insert into inventory_marks (order_id)
  select distinct changed.order_id from changed join orders on orders.id = changed.order_id where orders.app is null;
  return null;
end $$;
