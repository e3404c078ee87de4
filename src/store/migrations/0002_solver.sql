-- What only a solver remembers: the prices it named, and which way it has gone for each order.

create table quotes (
  id text primary key,
  source_asset text not null,
  destination_asset text not null,
  source_amount numeric(78, 0) not null,
  destination_amount numeric(78, 0) not null,
  extra_fee_bips integer not null,
  expires_at bigint not null
);
create index quotes_by_pair on quotes (source_asset, destination_asset, expires_at);

-- One way per order: a destination initiation and a refund signature must never both be released.
create table commitments (
  order_id text primary key references orders (id),
  way text not null check (way in ('locked', 'refund_signed')),
  at timestamptz not null default now()
);
