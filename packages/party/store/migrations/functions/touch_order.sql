-- Marks an order to be derived again. Only some columns matter to these triggers, and triggers by column have no transition tables.
-- A new order is not touched: without an event, a grant or a prefund nothing can be wanted.
create or replace function touch_order() returns trigger language plpgsql as $$
begin
  insert into touched_orders (order_id) values (case tg_table_name when 'orders' then to_jsonb(new) ->> 'id' else to_jsonb(new) ->> 'order_id' end);
  return null;
end $$;

create or replace trigger order_touched after update of declined, secret_signed_at, seen_secret, closed_at on orders for each row
  when (old.declined is distinct from new.declined or (old.secret_signed_at is null) <> (new.secret_signed_at is null)
    or old.seen_secret is distinct from new.seen_secret or (old.closed_at is not null and new.closed_at is null))
  execute function touch_order();
create or replace trigger swap_touched after update of user_address, amount, swap_id on swaps for each row
  when (old.user_address is distinct from new.user_address or old.amount <> new.amount or old.swap_id <> new.swap_id)
  execute function touch_order();
-- An unmined transaction that is being cancelled keeps its order open.
create or replace trigger action_touched after update of cancelling on actions for each row
  when (old.cancelling and not new.cancelling and not new.wanted) execute function touch_order();
