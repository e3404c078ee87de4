-- Instant refunds whose network fee the service pays: what they cost, to limit it per owner and app.
create table paid_refunds (
  order_id text primary key references orders (id) on delete cascade,
  chain text not null,
  owner text not null,
  app text,
  usd_micros bigint not null check (usd_micros > 0),
  created_at timestamptz not null default now()
);
create index paid_refunds_by_owner on paid_refunds (chain, owner, created_at);
create index paid_refunds_by_app on paid_refunds (app, created_at);
