-- What an app or an owner costs a solver: by value, and only as far as its own deposits prove it.

alter table order_risks
  -- The service that gave the order.
  add column service text not null default '',
  -- Unix seconds: when the outcome was found first.
  add column judged_at bigint,
  -- What the price moved in favour of the user from the order until the solver paid, in millionths of a dollar; negative: against it.
  add column gained_usd_micros bigint;
update order_risks set judged_at = created_at where outcome is not null;
update order_risks set service = split_part(app, '/', 1) where app <> '';
drop index order_risks_ended;
create index order_risks_judged on order_risks (judged_at) where outcome is not null;

-- Quotes that an app asked for, by hour: how many, and what they would have paid.
create table quote_counts (
  app text not null,
  -- Unix seconds, of its beginning.
  hour bigint not null,
  quotes bigint not null,
  usd_micros numeric(78, 0) not null,
  primary key (hour, app)
);

-- The order that was made at the price of this quote: it covers no other one.
alter table quotes add column taken_by text;

-- A revert alone may come from a reorg, or from another redeem of its batch. It is the recipient's fault if the trial after it fails too, or if the
-- next transaction reverts as well.
create or replace function note_refused_payout() returns trigger language plpgsql as $$
begin
  perform note_failed_payout(new.order_id, case
    when exists (select from attempts where action_key = new.key and reverted_at is not null) then 3 else 1 end);
  return null;
end $$;

create or replace function note_reverted_payout() returns trigger language plpgsql as $$
begin
  perform note_failed_payout(order_id, 3) from actions where key = new.action_key and leg = 'destination' and verb = 'redeem'
    and exists (select from attempts where action_key = new.action_key and reverted_at is not null and tx <> new.tx);
  return null;
end $$;
