-- Tables of solvers only: quotes, and for each order the commitment to pay or to refund.

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

-- One commitment per order: the solver must never both initiate the destination and sign a refund.
create table commitments (
  order_id text primary key references orders (id),
  way text not null check (way in ('locked', 'refund_signed')),
  at timestamptz not null default now()
);
