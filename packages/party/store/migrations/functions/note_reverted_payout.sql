-- Records a payout that reverted, if another transaction of the same action reverted before: one revert alone may come from a reorg, or from another
-- redeem of its batch.
create or replace function note_reverted_payout() returns trigger language plpgsql as $$
begin
  perform note_failed_payout(order_id, 3) from actions where key = new.action_key and leg = 'destination' and verb = 'redeem'
    and exists (select from attempts where action_key = new.action_key and reverted_at is not null and tx <> new.tx);
  return null;
end $$;

create or replace trigger payout_reverted after update of reverted_at on attempts for each row
  when (new.reverted_at is not null and old.reverted_at is null) execute function note_reverted_payout();
