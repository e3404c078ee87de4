-- What lay at the own addresses of orders beside their HTLCs, each time it was looked at: the newest look of each.

create table prefunds (
  order_id text primary key references orders (id),
  amount numeric(78, 0) not null,
  seen_at timestamptz not null
);
