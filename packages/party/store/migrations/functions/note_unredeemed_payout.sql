-- Records, in a solver, a locked payment that came back although neither the client's secret nor the solver was the reason.
create or replace function note_unredeemed_payout() returns trigger language plpgsql as $$
begin
  perform note_failed_payout(order_id, 1) from commitments where order_id = new.order_id and way = 'locked';
  return null;
end $$;

create or replace trigger payout_unredeemed after update of outcome on order_risks for each row
  when (new.outcome = 'failed' and old.outcome is distinct from 'failed') execute function note_unredeemed_payout();
