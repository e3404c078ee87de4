-- Partial deposits: the fill says which deposits the solver pays for, and how much.

-- The amount agreed at creation; the `amount` of a destination is scaled to the deposits.
alter table swaps add column agreed_amount numeric(78, 0);
update swaps set agreed_amount = amount;
alter table swaps alter column agreed_amount set not null;
-- The user holds the key of this leg.
alter table swaps add column client_key boolean not null default false;

-- After this time the solver may decline a deposit because of the price.
alter table orders add column price_expires_at bigint;
update orders set price_expires_at = deadline;
alter table orders alter column price_expires_at set not null;
-- Why the solver declined the deposits.
alter table orders add column declined text;

-- One for each order. The service stores it before it asks the solver, so that the destination HTLC is watched in time.
create table fills (
  order_id text primary key references orders (id),
  deposits text[] not null,
  block_hash text not null,
  destination_amount numeric(78, 0) not null,
  -- The solver's signature; null while the fill is a proposal.
  signature text,
  at timestamptz not null default now()
);

-- Of solvers only: redeems that the initiators have cosigned, waiting to be sent.
create table cosigned_redeems (
  order_id text primary key references orders (id),
  transaction text not null,
  at timestamptz not null default now()
);

-- Instant refunds proposed to clients that hold their key. A proposal stays the same for a while, so that the signatures match it.
create table refund_proposals (
  order_id text not null references orders (id),
  deposit text not null,
  amount numeric(78, 0) not null,
  pays_to text not null,
  pays numeric(78, 0) not null,
  at timestamptz not null default now(),
  primary key (order_id, deposit)
);
