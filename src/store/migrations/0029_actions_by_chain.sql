-- Engines lease the most overdue actions of each chain: thousands that wait on one chain must not delay those of another.
alter table actions add column chain text;
update actions set chain = swaps.chain from swaps where swaps.order_id = actions.order_id and swaps.leg = actions.leg;
alter table actions alter column chain set not null;

-- The chain of a swap never changes.
create function set_chain_of_action() returns trigger language plpgsql as $$
begin
  new.chain := (select swaps.chain from swaps where swaps.order_id = new.order_id and swaps.leg = new.leg);
  return new;
end $$;
create trigger action_inserted before insert on actions for each row when (new.chain is null) execute function set_chain_of_action();

drop index actions_due_redeems, actions_due_others;
create index actions_due_redeems on actions (chain, due_at) where (wanted or cancelling) and verb = 'redeem';
create index actions_due_others on actions (chain, due_at) where (wanted or cancelling) and verb <> 'redeem';
-- They may share the transaction of one that is due.
create index actions_unsent_redeems on actions (chain, due_at) where (wanted or cancelling) and verb = 'redeem' and last_tx is null;
