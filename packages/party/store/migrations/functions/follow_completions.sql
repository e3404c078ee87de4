-- Keeps the ledger in step with the order list: a completed order gets a row, and a completion that a reorg undid loses it.
create or replace function follow_completions() returns trigger language plpgsql as $$
declare
  completed constant bigint[] := array(
    select seq from added join removed using (seq) where is_completed(added.status) and not is_completed(removed.status)
  );
  undone constant bigint[] := array(
    select seq from added join removed using (seq) where not is_completed(added.status) and is_completed(removed.status)
  );
begin
  if cardinality(completed) > 0 then perform add_to_ledger(completed); end if;
  if cardinality(undone) > 0 then
    with gone as (delete from ledger where seq = any(undone) and not final returning *)
    insert into ledger_changes
    select from_chain, to_chain, created_at / 21600, -count(*), -sum(volume), -sum(fees) from gone group by 1, 2, 3;
  end if;
  return null;
end $$;

create or replace trigger order_completed after update on order_list referencing new table as added old table as removed
  for each statement execute function follow_completions();
