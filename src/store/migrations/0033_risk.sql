-- What a solver risks: what is halted, whose orders these are and how they ended, and the inventory that is kept for funded orders.

create table halts (
  -- '*': everything; a chain; or a pair, as `<asset>-><asset>`.
  scope text not null,
  -- 'operator', or the name of a circuit breaker.
  cause text not null,
  reason text not null,
  since timestamptz not null default now(),
  -- Null: until it is removed.
  until timestamptz,
  primary key (scope, cause)
);

-- One row for each order of a solver.
create table order_risks (
  order_id text primary key references orders (id),
  -- Opaque names from the service; empty if it gives none.
  app text not null,
  owner text not null,
  pair text not null,
  -- What the solver pays, in millionths of a dollar, at the prices of the order.
  usd_micros bigint not null,
  created_at bigint not null,
  deadline bigint not null,
  -- Set by a trigger when the order is closed.
  closed boolean not null default false,
  -- abandoned: never funded. withheld: the client kept its secret until the solver took its payment back. failed: refunded for another reason.
  outcome text check (outcome in ('completed', 'abandoned', 'withheld', 'failed'))
);
create index order_risks_past_deadline on order_risks (deadline) where outcome is null;
create index order_risks_closed on order_risks (order_id) where closed and outcome is null;
create index order_risks_created on order_risks (created_at);
create index order_risks_ended on order_risks (created_at) where outcome is not null;

-- The outcome of a closed order is final. One that was found before is found anew.
create function close_order_risk() returns trigger language plpgsql as $$
begin
  update order_risks set closed = true, outcome = null where order_id = new.id;
  return null;
end $$;
create trigger order_closed_risk after update of closed_at on orders for each row
  when (new.app is null and new.closed_at is not null and old.closed_at is null) execute function close_order_risk();

-- Granted once, never changed by another order. It counts while its order may still have to be paid, which is derived.
create table reservations (
  order_id text primary key references orders (id),
  asset text not null,
  amount numeric(78, 0) not null,
  at timestamptz not null default now()
);
create index reservations_at on reservations (at);

alter table quotes add column app text;

insert into order_risks (order_id, app, owner, pair, usd_micros, created_at, deadline, closed)
select orders.id, '', '', source.asset || '->' || destination.asset, 0, extract(epoch from orders.created_at)::bigint, orders.deadline,
  orders.closed_at is not null
from orders
  join swaps as source on source.order_id = orders.id and source.leg = 'source'
  join swaps as destination on destination.order_id = orders.id and destination.leg = 'destination'
where orders.app is null;

-- What was promised before keeps its place.
insert into reservations (order_id, asset, amount)
select commitments.order_id, swaps.asset, swaps.amount
from commitments join swaps on swaps.order_id = commitments.order_id and swaps.leg = 'destination'
where commitments.way = 'locked'
union
select fills.order_id, swaps.asset, swaps.amount
from fills join swaps on swaps.order_id = fills.order_id and swaps.leg = 'destination' join orders on orders.id = fills.order_id
where fills.signature is not null and orders.app is null;
