-- Records each change of a status in the order list.
create or replace function note_status_changes() returns trigger language plpgsql as $$
begin
  insert into status_changes (app, order_id, status)
  select added.app, added.order_id, added.status from added join removed using (seq) where added.status <> removed.status;
  return null;
end $$;

create or replace trigger status_noted after update on order_list referencing new table as added old table as removed
  for each statement execute function note_status_changes();
