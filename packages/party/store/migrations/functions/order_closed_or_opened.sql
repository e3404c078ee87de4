-- Notes on both swaps of an order whether the order is open, which decides how they are watched.
create or replace function order_closed_or_opened() returns trigger language plpgsql as $$
begin
  update swaps set watched_in = default, open = new.closed_at is null where order_id = new.id;
  return null;
end $$;

create or replace trigger order_closed_or_opened after update of closed_at on orders
  for each row when ((old.closed_at is null) <> (new.closed_at is null)) execute function order_closed_or_opened();
