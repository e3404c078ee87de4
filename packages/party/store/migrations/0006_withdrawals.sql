-- An operator sends inventory to an address. Its action has no order; leases, attempts and nonces are those of all actions.
alter table actions alter column order_id drop not null;
alter table actions alter column leg drop not null;
alter table actions add constraint actions_of_orders check ((order_id is null) = (verb = 'withdraw') and (leg is null) = (order_id is null));

create table withdrawals (
  id text primary key,
  action_key text not null unique references actions (key),
  asset text not null,
  recipient text not null,
  -- In the smallest unit.
  amount numeric(78, 0) not null,
  requested_at timestamptz not null default now(),
  -- The operator's own wish; the engine applies its delay besides.
  not_before timestamptz not null default now(),
  -- When the engine counted it for the limit of the day, before it was signed, and its worth then.
  counted_at timestamptz,
  usd_micros numeric(78, 0),
  -- The block in which it was paid or failed, as the chain shows it now. A reorg clears it.
  settled_height bigint,
  paid_tx text,
  failure text,
  cancelled_at timestamptz
);
create index withdrawals_by_time on withdrawals (requested_at);
create index withdrawals_counted on withdrawals (counted_at) where counted_at is not null;
create index withdrawals_open on actions (key) where wanted and verb = 'withdraw';
