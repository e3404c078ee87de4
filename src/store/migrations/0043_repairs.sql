-- Some migrations were edited or taken back after they had landed. A database from before gets here what it lacks, and loses what it has too much; a new one
-- stays as it is.

-- 0008 and 0010.
alter table apps alter column sponsored_per_day set default 200;
create index if not exists grants_sponsored on grants (created_at) where kind = 'initiate' and sponsor is not null;
create index if not exists orders_open_by_seq on orders (seq) where closed_at is null;

-- 0007, 0020, 0024 and 0033.
alter table refund_proposals add column if not exists at timestamptz not null default now();
alter table touched_orders drop column if exists shard;
create index if not exists cosigned_redeems_by_transaction on cosigned_redeems using hash (transaction);
create index if not exists order_risks_created on order_risks (created_at);

-- Of a migration that was taken back.
drop function if exists facts_mark(text);
