-- Payouts that failed because of their recipient, across orders: a recipient that rejects, an owner or an app with many of them.

create table failed_payouts (
  order_id text primary key references orders (id),
  chain text not null,
  recipient text not null,
  -- The owner of the source; empty if there is none.
  owner text not null,
  app text not null,
  -- 1: refused before anything was sent; 3: mined and reverted, at our expense, with the secret in it.
  weight smallint not null,
  at timestamptz not null default now()
);
create index failed_payouts_at on failed_payouts (at);

-- The highest weight of an order counts, from its last failure on.
create function note_failed_payout(failed text, failed_weight integer) returns void language sql as $$
  insert into failed_payouts (order_id, chain, recipient, owner, app, weight)
  select orders.id, swaps.chain, orders.destination_owner, orders.source_owner, coalesce(orders.app, ''), failed_weight
  from orders join swaps on swaps.order_id = orders.id and swaps.leg = 'destination'
  where orders.id = failed
  on conflict (order_id) do update set weight = greatest(failed_payouts.weight, excluded.weight), at = now()
$$;

-- The service: the recipient's refusal is written down with the action.
create function note_refused_payout() returns trigger language plpgsql as $$
begin
  perform note_failed_payout(new.order_id, 1);
  return null;
end $$;
create trigger payout_refused after update of refusal on actions for each row
  when (new.leg = 'destination' and new.verb = 'redeem' and new.refusal is not null and new.refusal is distinct from old.refusal)
  execute function note_refused_payout();

create function note_reverted_payout() returns trigger language plpgsql as $$
begin
  perform note_failed_payout(order_id, 3) from actions where key = new.action_key and leg = 'destination' and verb = 'redeem';
  return null;
end $$;
create trigger payout_reverted after update of reverted_at on attempts for each row
  when (new.reverted_at is not null and old.reverted_at is null) execute function note_reverted_payout();

-- A solver: what it locked came back, and neither the client's secret nor the solver itself was the reason.
create function note_unredeemed_payout() returns trigger language plpgsql as $$
begin
  perform note_failed_payout(order_id, 1) from commitments where order_id = new.order_id and way = 'locked';
  return null;
end $$;
create trigger payout_unredeemed after update of outcome on order_risks for each row
  when (new.outcome = 'failed' and old.outcome is distinct from 'failed') execute function note_unredeemed_payout();
