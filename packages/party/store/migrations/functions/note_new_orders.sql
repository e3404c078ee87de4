-- Records the first status of new orders.
create or replace function note_new_orders() returns trigger language plpgsql as $$
begin
  -- Only a rebuild of the list inserts other statuses, and it changes none.
  insert into status_changes (app, order_id, status) select app, order_id, status from added where status = 'created';
  return null;
end $$;

create or replace trigger order_noted after insert on order_list referencing new table as added
  for each statement execute function note_new_orders();
