-- The prefunded amount at each order's own address, as last read.

create table prefunds (
  order_id text primary key references orders (id),
  amount numeric(78, 0) not null,
  seen_at timestamptz not null
);
