-- Counts new rows of the order list, per bucket of 8,192 positions.
create or replace function count_added_orders() returns trigger language plpgsql as $$
begin
  insert into order_count_changes
  select app, status, from_chain, to_chain, solver_id, seq >> 13, count(*) from added group by 1, 2, 3, 4, 5, 6;
  return null;
end $$;

create or replace trigger order_list_added after insert on order_list referencing new table as added
  for each statement execute function count_added_orders();
