-- Counts removed rows of the order list, per bucket of 8,192 positions.
create or replace function count_removed_orders() returns trigger language plpgsql as $$
begin
  insert into order_count_changes
  select app, status, from_chain, to_chain, solver_id, seq >> 13, -count(*) from removed group by 1, 2, 3, 4, 5, 6;
  return null;
end $$;

create or replace trigger order_list_removed after delete on order_list referencing old table as removed
  for each statement execute function count_removed_orders();
