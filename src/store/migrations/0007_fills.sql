-- Deposits of any amount: which of them the solver pays for, and with how much.

-- What was agreed when the order was made; `amount` of a destination follows what was deposited.
alter table swaps add column agreed_amount numeric(78, 0);
update swaps set agreed_amount = amount;
alter table swaps alter column agreed_amount set not null;
-- The user takes part with a key of their own.
alter table swaps add column client_key boolean not null default false;

-- After it the solver may look at the price of a deposit again.
alter table orders add column price_expires_at bigint;
update orders set price_expires_at = deadline;
alter table orders alter column price_expires_at set not null;
-- Why the solver will not pay for what was deposited.
alter table orders add column declined text;

-- One for each order. In a service's database it is written before the solver is asked, so that what follows from it is watched in time.
create table fills (
  order_id text primary key references orders (id),
  deposits text[] not null,
  block_hash text not null,
  destination_amount numeric(78, 0) not null,
  -- The solver's; null while it is only proposed.
  signature text,
  at timestamptz not null default now()
);

-- A solver's: redeems that the initiators have signed too, waiting to be sent.
create table cosigned_redeems (
  order_id text primary key references orders (id),
  transaction text not null,
  at timestamptz not null default now()
);

-- What a client that kept its key was told to sign for an instant refund: the same for a while, so that its signatures fit.
create table refund_proposals (
  order_id text not null references orders (id),
  deposit text not null,
  amount numeric(78, 0) not null,
  pays_to text not null,
  pays numeric(78, 0) not null,
  at timestamptz not null default now(),
  primary key (order_id, deposit)
);
