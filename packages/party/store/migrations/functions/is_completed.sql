-- Statuses that count as completed: the user has the payout.
create or replace function is_completed(status text) returns boolean language sql immutable as $$
  select status in ('redeem_detected', 'redeemed', 'counterparty_redeemed')
$$;
