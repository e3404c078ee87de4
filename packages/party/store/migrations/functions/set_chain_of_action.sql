-- Copies the chain of the swap to its action. The chain of a swap never changes.
create or replace function set_chain_of_action() returns trigger language plpgsql as $$
begin
  new.chain := (select swaps.chain from swaps where swaps.order_id = new.order_id and swaps.leg = new.leg);
  return new;
end $$;

create or replace trigger action_inserted before insert on actions for each row when (new.chain is null) execute function set_chain_of_action();
