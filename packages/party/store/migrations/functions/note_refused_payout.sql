-- Records, in a service, that a recipient cannot receive. A revert alone may come from a reorg, or from another redeem of its batch: it weighs 3 if the
-- trial after the revert fails too.
create or replace function note_refused_payout() returns trigger language plpgsql as $$
begin
  perform note_failed_payout(new.order_id, case
    when exists (select from attempts where action_key = new.key and reverted_at is not null) then 3 else 1 end);
  return null;
end $$;

create or replace trigger payout_refused after update of refusal on actions for each row
  when (new.leg = 'destination' and new.verb = 'redeem' and new.refusal is not null and new.refusal is distinct from old.refusal)
  execute function note_refused_payout();
