-- Search and counts of orders: a projection of their derived status, and counters over it. Both can be dropped and rebuilt.

-- The position of an order in every list, assigned once: it stays the same after a rebuild.
alter table orders add column seq bigint;
update orders set seq = numbered.n
from (select id, row_number() over (order by created_at, id) as n from orders) as numbered where numbered.id = orders.id;
alter table orders alter column seq set not null;
alter table orders alter column seq add generated always as identity;
select setval(pg_get_serial_sequence('orders', 'seq'), (select coalesce(max(seq), 0) + 1 from orders), false);

create table order_list (
  seq bigint primary key,
  order_id text not null,
  app text not null,
  solver_id text not null,
  from_chain text not null,
  to_chain text not null,
  from_owner text not null,
  to_owner text not null,
  status text not null,
  deadline bigint not null,
  created_at bigint not null,
  -- In millionths of a dollar at creation: the source amount, and the source amount less the destination amount.
  volume bigint not null,
  fee bigint not null
);
-- Index-only scans: each index answers its filter, and the filters combined with it, without reading the table.
create index order_list_by_app on order_list (app, seq) include (status, from_chain, to_chain, solver_id);
create index order_list_by_kind on order_list (app, status, from_chain, to_chain, solver_id, seq);
create index order_list_by_from_owner on order_list (from_owner, seq) include (app, status, from_chain, to_chain, solver_id, to_owner);
-- If one account owns both sides, the index on the source's owner finds it already.
create index order_list_by_to_owner on order_list (to_owner, seq) include (app, status, from_chain, to_chain, solver_id, from_owner)
  where to_owner <> from_owner;
create index order_list_by_deadline on order_list (status, from_chain, deadline) where status in ('created', 'expired');
create index order_list_completed on order_list (created_at) where status in ('redeem_detected', 'redeemed', 'counterparty_redeemed');
create index events_by_tx on events (tx);

-- Number of orders of each kind per bucket of 8,192 positions. '*' is the wildcard. Pending changes are in order_count_changes.
create table order_counts (
  app text not null,
  status text not null,
  from_chain text not null,
  to_chain text not null,
  solver_id text not null,
  bucket bigint not null,
  orders bigint not null,
  primary key (app, status, from_chain, to_chain, solver_id, bucket)
);
create index order_counts_empty on order_counts (app) where orders = 0;

-- Volume and fees of completed orders, per quarter of a day of their creation. '*' stands for every chain.
create table order_volumes (
  from_chain text not null,
  to_chain text not null,
  period bigint not null,
  orders bigint not null,
  volume numeric(40, 0) not null,
  fees numeric(40, 0) not null,
  primary key (from_chain, to_chain, period)
);
create index order_volumes_empty on order_volumes (period) where orders = 0;

-- Append-only, so that concurrent orders do not wait for each other's locks. Folded into the tables above from time to time.
create table order_count_changes (
  app text not null,
  status text not null,
  from_chain text not null,
  to_chain text not null,
  solver_id text not null,
  bucket bigint not null,
  period bigint not null,
  orders bigint not null,
  volume numeric(40, 0) not null,
  fees numeric(40, 0) not null
);

create function count_added_orders() returns trigger language plpgsql as $$
begin
  insert into order_count_changes
  select app, status, from_chain, to_chain, solver_id, seq >> 13, created_at / 21600, count(*), sum(volume), sum(fee)
  from added group by 1, 2, 3, 4, 5, 6, 7;
  return null;
end $$;

create function count_removed_orders() returns trigger language plpgsql as $$
begin
  insert into order_count_changes
  select app, status, from_chain, to_chain, solver_id, seq >> 13, created_at / 21600, -count(*), -sum(volume), -sum(fee)
  from removed group by 1, 2, 3, 4, 5, 6, 7;
  return null;
end $$;

create function count_changed_orders() returns trigger language plpgsql as $$
begin
  insert into order_count_changes
  select app, status, from_chain, to_chain, solver_id, seq >> 13, created_at / 21600, sum(n), sum(n * volume), sum(n * fee)
  from (select *, 1 as n from added union all select *, -1 as n from removed) as both_sides
  group by 1, 2, 3, 4, 5, 6, 7 having sum(n) <> 0 or sum(n * volume) <> 0 or sum(n * fee) <> 0;
  return null;
end $$;

create trigger order_list_added after insert on order_list referencing new table as added
  for each statement execute function count_added_orders();
create trigger order_list_removed after delete on order_list referencing old table as removed
  for each statement execute function count_removed_orders();
create trigger order_list_changed after update on order_list referencing new table as added old table as removed
  for each statement execute function count_changed_orders();

-- The version of the code that filled a projection. If it is another version, or missing, the projection is rebuilt.
create table projections (
  name text primary key,
  version integer not null,
  built_at timestamptz not null default now()
);
-- Without orders nothing needs a rebuild.
insert into projections (name, version) select 'order_list', 1 where not exists (select from orders);

insert into order_list
select orders.seq, orders.id, orders.app, orders.solver_id, source.chain, destination.chain,
  coalesce(nullif(orders.source_owner, ''), source.user_address, ''), orders.destination_owner,
  'created', orders.deadline, extract(epoch from orders.created_at)::bigint, 0, 0
from orders
  join swaps as source on source.order_id = orders.id and source.leg = 'source'
  join swaps as destination on destination.order_id = orders.id and destination.leg = 'destination'
where orders.app is not null;
