-- Counts rows of the order list that changed their kind, per bucket of 8,192 positions.
create or replace function count_changed_orders() returns trigger language plpgsql as $$
begin
  insert into order_count_changes
  select app, status, from_chain, to_chain, solver_id, seq >> 13, sum(n)
  from (select *, 1 as n from added union all select *, -1 as n from removed) as both_sides
  group by 1, 2, 3, 4, 5, 6 having sum(n) <> 0;
  return null;
end $$;

create or replace trigger order_list_changed after update on order_list referencing new table as added old table as removed
  for each statement execute function count_changed_orders();
