-- Terms of orders, chain events, grants of users, and the outbox. Status is derived and never stored, except in a projection.

create table apps (
  name text primary key,
  -- SHA-256 of the app id: the id itself is shown once and never stored.
  id_hash text not null unique,
  default_slippage_bips integer not null default 0,
  gas_sponsorship boolean not null default true,
  allowed_origins text[] not null default '{}',
  disabled boolean not null default false,
  created_at timestamptz not null default now()
);

create table orders (
  id text primary key,
  -- Null in a solver's database: only the service has apps.
  app text references apps (name),
  solver_id text not null,
  nonce text not null,
  source_owner text not null,
  destination_owner text not null,
  -- With the same secret hash in two orders, the secret of one also redeems the other.
  secret_hash text not null unique,
  created_at timestamptz not null default now(),
  deadline bigint not null,
  slippage_bips integer not null default 0,
  affiliate_fees jsonb not null default '[]',
  idempotency_key text,
  request_hash text not null default '',
  token_hash text,
  -- A redeem that shows the secret is signed and recorded.
  secret_released_at timestamptz,
  -- A node may have the secret: it accepted the redeem, or did not answer.
  secret_shown_at timestamptz,
  seen_secret text,
  -- Set when nothing can happen to the order any more; only open orders are watched.
  closed_at timestamptz,
  unique (app, source_owner, destination_owner, nonce),
  unique (app, idempotency_key)
);
create index orders_open on orders (created_at) where closed_at is null;

create table swaps (
  order_id text not null references orders (id),
  leg text not null check (leg in ('source', 'destination')),
  chain text not null,
  asset text not null,
  swap_id text not null,
  initiator text not null,
  redeemer text not null,
  amount numeric(78, 0) not null,
  secret_hash text not null,
  timelock bigint not null,
  user_address text,
  delegate text,
  required_confirmations integer not null check (required_confirmations > 0),
  -- US dollars per whole coin times 10^8, at creation.
  asset_price numeric(40, 0) not null default 0,
  primary key (order_id, leg),
  unique (chain, swap_id)
);

-- Secrets and per-order keys, sealed with the operator's key.
create table sealed_values (
  order_id text not null references orders (id),
  purpose text not null check (purpose in ('secret', 'source-key', 'destination-key')),
  sealed bytea not null,
  primary key (order_id, purpose)
);

create table grants (
  order_id text not null references orders (id),
  kind text not null check (kind in ('initiate')),
  signature text not null,
  created_at timestamptz not null default now(),
  primary key (order_id, kind)
);

-- The newest blocks of each chain that the watcher has read: the last one is the cursor, earlier ones find the fork after a reorg.
create table blocks (
  chain text not null,
  height bigint not null,
  hash text not null,
  parent_hash text not null,
  time bigint not null,
  primary key (chain, height)
);

create table events (
  chain text not null,
  tx text not null,
  index text not null,
  swap_id text not null,
  kind text not null check (kind in ('initiated', 'redeemed', 'refunded')),
  deposit text not null,
  amount numeric(78, 0),
  secret text,
  block_height bigint,
  block_hash text,
  block_time bigint,
  seen_at timestamptz not null default now(),
  primary key (chain, tx, index),
  check ((block_height is null) = (block_hash is null) and (block_height is null) = (block_time is null))
);
create index events_by_swap on events (chain, swap_id);
create index events_by_height on events (chain, block_height);

-- The outbox: the actions that the playbook wants, one row for each order, leg and verb.
create table actions (
  key text primary key,
  order_id text not null references orders (id),
  leg text not null,
  verb text not null,
  wanted boolean not null,
  -- No longer wanted, but a signed transaction may still be mined: to be cancelled where the chain allows it.
  cancelling boolean not null default false,
  due_at timestamptz not null default now(),
  lease_holder text,
  lease_until timestamptz,
  -- Fencing token: grows with every lease. A holder whose lease was taken over cannot record anything.
  fence bigint not null default 0,
  failures integer not null default 0,
  last_error text,
  last_tx text,
  updated_at timestamptz not null default now()
);
create index actions_due on actions (due_at) where wanted or cancelling;
create index actions_by_order on actions (order_id);

-- Every transaction ever signed, written before it is broadcast.
create table attempts (
  action_key text not null references actions (key),
  number integer not null,
  chain text not null,
  sender text not null,
  tx text not null,
  raw text not null,
  slots text[] not null,
  fee_rate numeric(78, 0) not null,
  at timestamptz not null default now(),
  primary key (action_key, number)
);
create index attempts_by_sender on attempts (chain, sender, at);

-- Exclusive work that is not an action: one watcher for each chain.
create table leases (
  name text primary key,
  holder text not null,
  until timestamptz not null
);
