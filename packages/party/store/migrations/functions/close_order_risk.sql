-- The outcome of a closed order is final. An outcome that was found before the order closed is found again.
create or replace function close_order_risk() returns trigger language plpgsql as $$
begin
  update order_risks set closed = true, outcome = null where order_id = new.id;
  return null;
end $$;

create or replace trigger order_closed_risk after update of closed_at on orders for each row
  when (new.app is null and new.closed_at is not null and old.closed_at is null) execute function close_order_risk();
