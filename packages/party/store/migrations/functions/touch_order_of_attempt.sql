-- Marks the order of an attempt that contains the secret: whether the secret counts as shown follows from these attempts.
create or replace function touch_order_of_attempt() returns trigger language plpgsql as $$
begin
  insert into touched_orders (order_id) select order_id from actions where key = new.action_key;
  return null;
end $$;

create or replace trigger attempt_inserted after insert on attempts for each row when (new.holds_secret) execute function touch_order_of_attempt();
create or replace trigger attempt_refused after update of refused_at on attempts for each row
  when (new.holds_secret and (old.refused_at is null) <> (new.refused_at is null)) execute function touch_order_of_attempt();
