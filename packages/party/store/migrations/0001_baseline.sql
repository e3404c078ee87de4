-- All tables of a service and of a solver. Both have the same tables, and each leaves those of the other empty.
-- We store the terms of orders, chain events, grants of users and the outbox of actions. The status of an order is derived. Only the order list stores it,
-- and that can be rebuilt.

-- The database and its owner

-- One row, written by the first party that starts on this database. A service also records a code that only its vault key gives.
create table database_owner (
  only_row boolean primary key default true check (only_row),
  party text not null check (party in ('service', 'solver')),
  vault_check text
);

-- The logs outside of the database that its processes keep. A log names what was released, and so tells whether the database was restored from an older backup.
create table release_logs (
  id text primary key,
  created_at timestamptz not null default now()
);

create table rollbacks (
  id text primary key,
  reason text not null,
  detected_at timestamptz not null default now(),
  -- The newest order at that time. Nothing is committed for it and older ones before the operator confirms.
  newest_order bigint not null,
  confirmed_at timestamptz
);
create index rollbacks_unconfirmed on rollbacks (detected_at) where confirmed_at is null;

-- Apps and operators

-- The database checks the bounds of the settings too, whoever writes the row.
create table apps (
  name text primary key constraint apps_name check (name ~ '^[a-z0-9._-]{1,64}$'),
  -- SHA-256 of the app id: the id itself is shown once and never stored.
  id_hash text not null unique,
  default_slippage_bips integer not null default 0 constraint apps_slippage check (default_slippage_bips between 0 and 500),
  gas_sponsorship boolean not null default true,
  allowed_origins text[] not null default '{}',
  -- 'explain' shows the parts of quotes: for apps of the operator.
  permissions text[] not null default '{read,trade}'
    constraint apps_permissions check (permissions <@ array['read', 'trade', 'explain'] and cardinality(permissions) > 0),
  -- Null stands for the operator's default.
  rate_limit_per_minute integer constraint apps_rate_limit check (rate_limit_per_minute between 1 and 1000000),
  -- The approval that the app asks its users for, where a token needs one.
  approval text not null default 'exact' constraint apps_approval check (approval in ('exact', 'unlimited')),
  -- Null stands for no limit, by choice of the operator.
  sponsored_per_day integer default 200 constraint apps_sponsored_per_day check (sponsored_per_day between 1 and 1000000),
  disabled boolean not null default false,
  created_at timestamptz not null default now()
);

-- Operators who may look at the operator page, and of these the ones who may halt chains there.
create table operator_tokens (
  id text primary key,
  name text not null unique,
  -- SHA-256 of its secret part: the token itself is shown once and never stored.
  secret_hash text not null,
  may_write boolean not null,
  created_at timestamptz not null default now()
);

create table operator_sessions (
  -- SHA-256 of the cookie.
  hash text primary key,
  token_id text not null references operator_tokens (id) on delete cascade,
  until timestamptz not null
);
create index operator_sessions_by_token on operator_sessions (token_id, until);

-- Orders

create table orders (
  id text primary key,
  -- The position in every list, assigned once. It stays the same when the list is rebuilt.
  seq bigint not null generated always as identity,
  -- Null in a solver's database: only the service has apps.
  app text references apps (name),
  solver_id text not null,
  nonce text not null,
  source_owner text not null,
  destination_owner text not null,
  -- With the same secret hash in two orders, the secret of one would also redeem the other.
  secret_hash text not null unique,
  created_at timestamptz not null default now(),
  deadline bigint not null,
  slippage_bips integer not null default 0,
  affiliate_fees jsonb not null default '[]',
  idempotency_key text,
  request_hash text not null default '',
  token_hash text,
  -- The client made the secret. The service does not have it until the client grants the redeem.
  client_secret boolean not null default false,
  -- After this time the solver may decline a deposit because of the price.
  price_expires_at bigint not null,
  -- Why the solver declined the deposits.
  declined text,
  -- When a redeem that shows the secret was signed and recorded.
  secret_signed_at timestamptz,
  -- A cosigned redeem shows no secret, and a refund can show one: it is read from both kinds of event.
  seen_secret text,
  seen_secret_at timestamptz,
  -- Set when nothing can happen to the order any more. Only open orders are watched.
  closed_at timestamptz,
  unique (app, source_owner, destination_owner, nonce),
  unique (app, idempotency_key),
  constraint orders_seen_secret check ((seen_secret is null) = (seen_secret_at is null))
);
create index orders_open on orders (created_at) where closed_at is null;
-- The cost of a scan depends on the open orders only, not on the closed ones.
create index orders_open_by_seq on orders (seq) where closed_at is null;

create table swaps (
  order_id text not null references orders (id),
  leg text not null check (leg in ('source', 'destination')),
  chain text not null,
  asset text not null,
  swap_id text not null,
  initiator text not null,
  redeemer text not null,
  -- The amount of a destination is scaled to the deposits.
  amount numeric(78, 0) not null,
  -- The amount agreed at creation.
  agreed_amount numeric(78, 0) not null,
  secret_hash text not null,
  timelock bigint not null,
  user_address text,
  -- The key that the service made for this order, if it is the user's party in the terms.
  order_key text,
  -- The account that pays in the owner's place.
  payer text,
  -- The user holds the key of this leg.
  client_key boolean not null default false,
  required_confirmations integer not null check (required_confirmations > 0),
  -- US dollars per whole coin times 10^8, at creation.
  asset_price numeric(40, 0) not null default 0,
  -- The most that the recipient of a payout bears of its network fee, as it was told; null if nothing was promised.
  most_fee numeric(78, 0),
  -- Authenticates the row under the operator's vault key: whoever can write to the database cannot change where its money goes. Null in a solver's
  -- database, whose money goes to its own keys.
  seal text,
  -- The database transaction that last changed the row, so that watchers read changed swaps only. Transactions do not commit in the order of their
  -- numbers, but rows that a snapshot does not show yet have numbers at or above its horizon: a read from the horizon on misses none.
  watched_in bigint not null default pg_current_xact_id()::text::bigint,
  -- The order is open.
  open boolean not null default true,
  -- The source of the order has been initiated. Where a node is asked for one address at a time, it is asked for these first: strangers can leave any
  -- number of orders unfunded.
  funded boolean not null default false,
  primary key (order_id, leg),
  unique (chain, swap_id)
);
create index swaps_by_watch on swaps (chain, watched_in);
-- Whether anything of a chain is open is asked with every poll, however many swaps are finished.
create index swaps_open on swaps (chain, watched_in) where open;
create index swaps_funded on swaps (chain, watched_in) where open and funded;
create index swaps_by_initiator on swaps (chain, initiator) where leg = 'source';

-- Secrets and keys of orders, sealed with the operator's key.
create table sealed_values (
  order_id text not null references orders (id),
  purpose text not null check (purpose in ('secret', 'source-key', 'destination-key')),
  sealed bytea not null,
  primary key (order_id, purpose)
);

create table grants (
  order_id text not null references orders (id),
  kind text not null check (kind in ('initiate', 'redeem', 'instant-refund')),
  leg text not null constraint grants_leg check (leg in ('source', 'destination')),
  -- How the user agreed to an initiation.
  consent text,
  signature text,
  -- Unix seconds, for prefunded orders only.
  deadline bigint,
  -- Instant refunds: each deposit, the amount that its refund pays, and the solver's signature.
  refunds jsonb,
  -- The refund transaction that both parties signed; the newest if there were several.
  transaction text,
  -- The app whose budget pays for the initiation; null if it costs no budget.
  sponsor text references apps (name),
  created_at timestamptz not null default now(),
  primary key (order_id, kind, leg),
  constraint grants_consent check ((kind = 'initiate') = (consent is not null) and consent in ('signature', 'prefunded')),
  constraint grants_signature check ((consent is not distinct from 'signature') = (signature is not null)),
  constraint grants_deadline check ((consent is not distinct from 'prefunded') = (deadline is not null)),
  constraint grants_refunds check ((kind = 'instant-refund') = (refunds is not null))
);
create index grants_by_sponsor on grants (sponsor, created_at) where sponsor is not null;
-- Finds recent sponsored grants among all grants.
create index grants_sponsored on grants (created_at) where kind = 'initiate' and sponsor is not null;

-- The prefunded amount at each order's own address, as last read.
create table prefunds (
  order_id text primary key references orders (id),
  amount numeric(78, 0) not null,
  seen_at timestamptz not null
);

-- The deposits that the solver pays for, and how much; one row for each order. The service stores it before it asks the solver, so that the destination
-- HTLC is watched in time.
create table fills (
  order_id text primary key references orders (id),
  deposits text[] not null,
  block_hash text not null,
  destination_amount numeric(78, 0) not null,
  -- The solver's signature; null while the fill is a proposal.
  signature text,
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

-- What instant refunds cost whose network fee the service pays, to limit it per owner and app.
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

-- Payouts that failed because of their recipient, across orders: a recipient that rejects, an owner or an app with many of them.
create table failed_payouts (
  order_id text primary key references orders (id),
  chain text not null,
  recipient text not null,
  -- The owner of the source; empty if there is none.
  owner text not null,
  app text not null,
  -- 1: refused before anything was sent; 3: mined and reverted, at our expense, with the secret in it.
  weight smallint not null,
  at timestamptz not null default now()
);
create index failed_payouts_at on failed_payouts (at);

-- Signatures that were asked for in the current window, for all processes of a party together.
create table signing_counts (
  name text primary key,
  signings bigint not null,
  ends_at timestamptz not null
);
create index signing_counts_ended on signing_counts (ends_at);

-- The public keys with which solvers take part in HTLCs, on chains where parties are keys. No row is ever deleted: a user who has nothing but a rescue
-- phrase finds a deposit by the key that its solver had then.
create table solver_keys (
  solver_id text not null,
  chain text not null,
  public_key text not null,
  first_seen timestamptz not null default now(),
  primary key (solver_id, chain, public_key)
);

-- Chains

-- The newest blocks of each chain that the watcher has read. The last one is the cursor, and earlier ones find the fork after a reorg.
create table blocks (
  chain text not null,
  height bigint not null,
  hash text not null,
  parent_hash text not null,
  time bigint not null,
  -- On chains that skip heights: the number of the block, counted without gaps. Confirmations count blocks, not heights.
  ordinal bigint,
  -- The chain's final height when this block was recorded; null on chains without a finality tag.
  final_height bigint,
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
  -- When an initiation expires, on the clock of its chain. If it is null, the expiry follows from the terms of the swap.
  expires_at bigint,
  block_height bigint,
  block_hash text,
  block_time bigint,
  block_ordinal bigint,
  seen_at timestamptz not null default now(),
  primary key (chain, tx, index),
  constraint events_block check ((block_height is null) = (block_hash is null) and (block_height is null) = (block_time is null)),
  constraint events_secret check (secret is null or kind <> 'initiated')
);
create index events_by_swap on events (chain, swap_id);
create index events_by_height on events (chain, block_height);
create index events_by_tx on events (tx);
-- Finds the largest deposit of a swap without reading the others.
create index events_by_amount on events (chain, swap_id, amount desc) where kind = 'initiated';
-- One swap may have very many deposits: only the considered ones are read.
create index events_by_deposit on events (chain, deposit);

-- The last poll of each chain that reached its newest block, so that other processes on this database need not poll it themselves.
create table polls (
  chain text primary key,
  -- The newest block: everything up to it is recorded.
  hash text not null,
  -- By the clock of the database, and not later than the poll truly began.
  began_at timestamptz not null
);

-- Engines

-- The outbox: the actions that the playbook wants, one row for each order, leg and verb.
create table actions (
  key text primary key,
  order_id text not null references orders (id),
  leg text not null,
  -- The chain of the swap. Thousands of actions that wait on one chain must not delay those of another.
  chain text not null,
  verb text not null,
  wanted boolean not null,
  -- The action is not wanted, but a signed transaction may still be mined: to be cancelled where the chain allows it.
  cancelling boolean not null default false,
  due_at timestamptz not null default now(),
  lease_holder text,
  lease_until timestamptz,
  -- Fencing token: grows with every lease. A holder whose lease was taken over cannot record anything.
  fence bigint not null default 0,
  failures integer not null default 0,
  last_error text,
  last_tx text,
  -- The transaction that was mined and reverted; null again once another is sent.
  reverted_tx text,
  -- Why it cannot be done, as a text for the user, if the user can fix it.
  refusal text,
  updated_at timestamptz not null default now()
);
create index actions_by_order on actions (order_id);
-- Engines lease the most overdue redeems and the most overdue other actions of each chain. Each list is read from its own index, however long it is.
create index actions_due_redeems on actions (chain, due_at) where (wanted or cancelling) and verb = 'redeem';
create index actions_due_others on actions (chain, due_at) where (wanted or cancelling) and verb <> 'redeem';
-- These may share the transaction of one that is due.
create index actions_unsent_redeems on actions (chain, due_at) where (wanted or cancelling) and verb = 'redeem' and last_tx is null;

-- Every transaction ever signed, written before it is broadcast.
create table attempts (
  action_key text not null references actions (key),
  number integer not null,
  chain text not null,
  sender text not null,
  tx text not null,
  raw text not null,
  slots text[] not null,
  -- The nonce, or the expiry where that is the only slot: only attempts from the next nonce on can be unmined, so a signer reads only these.
  nonce bigint,
  fee_rate numeric(78, 0) not null,
  at timestamptz not null default now(),
  -- Whether a node may have the secret follows from the attempts: one that contains it counts as shown unless every node refused it.
  holds_secret boolean not null default false,
  refused_at timestamptz,
  -- When it reverted at our expense, to limit what we pay for an initiator whose relays revert.
  reverted_at timestamptz,
  -- The number of usual relays that its fee would have paid for: an account that burns gas uses up more of the app's budget.
  reverted_weight smallint not null default 1,
  primary key (action_key, number)
);
create index attempts_by_sender on attempts (chain, sender, at);
create index attempts_by_nonce on attempts (chain, sender, nonce) where nonce is not null;
-- Actions that share a transaction are leased together.
create index attempts_by_tx on attempts (tx);
create index attempts_reverted on attempts (reverted_at) where reverted_at is not null;

-- Exclusive work that is not an action: one watcher for each chain.
create table leases (
  name text primary key,
  holder text not null,
  until timestamptz not null,
  -- The state of an engine and its chains, for processes that run no engine; null while no such process lives.
  report json
);

-- The accounts that pay the fees of relayed initiations, by curve. Only engines have the private keys.
create table relay_keys (
  curve text primary key,
  public_key text not null
);

-- Orders that something was recorded about, to be derived again. Rows are only inserted and deleted, so that writers never wait for each other. An order may
-- have several.
create table touched_orders (
  id bigint generated always as identity primary key,
  order_id text not null
) with (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);

\ir functions/shard_of.sql -- 58497a96fabe21783f7d65eb57827f00c68cfc3a005f2b8da00750c02e3211d4

-- Orders that may change by time alone. While every clock of an order is in its range, since <= value < until, its state stays as it was derived.
create table order_clocks (
  order_id text not null,
  -- 'now', 'settle', 'recheck', 'facts', or '<chain> height', '<chain> time', '<chain> final', '<chain> age'.
  clock text not null,
  since bigint,
  until bigint,
  shard smallint not null generated always as (shard_of(order_id)) stored,
  primary key (order_id, clock)
);
create index order_clocks_until on order_clocks (clock, until) include (order_id, shard) where until is not null;
create index order_clocks_since on order_clocks (clock, since) include (order_id, shard) where since is not null;

-- The order list: search and counts of orders by their derived status. It can be dropped and rebuilt.

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

-- The number of orders of each kind per bucket of 8,192 positions. '*' is the wildcard. Pending changes are in order_count_changes.
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

-- Rows are only appended, so that concurrent orders do not wait for each other's locks. They are folded into order_counts from time to time.
create table order_count_changes (
  app text not null,
  status text not null,
  from_chain text not null,
  to_chain text not null,
  solver_id text not null,
  bucket bigint not null,
  orders bigint not null
);

-- The version of the code that filled a projection. If it is another version, or missing, the projection is rebuilt.
create table projections (
  name text primary key,
  version integer not null,
  built_at timestamptz not null default now()
);
insert into projections (name, version) values ('order_list', 1);

-- Events and webhooks: one row for each change of an order's derived status, kept for some days.

-- Written in the transaction that changes the status. Transactions do not commit in the order of these ids, so nobody reads on from one of them.
-- Rows are only inserted and deleted. Two changes of one order are in order: the second waits for the row of the list that the first has locked.
create table status_changes (
  id bigint generated always as identity primary key,
  app text not null,
  order_id text not null,
  status text not null,
  at timestamptz not null default clock_timestamp()
) with (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);

-- The same changes with numbers that become visible in their order: who has read up to a number has missed nothing below it.
create table order_events (
  id bigint generated always as identity primary key,
  app text not null,
  order_id text not null,
  status text not null,
  at timestamptz not null
);
create index order_events_by_order on order_events (order_id, id);
create index order_events_by_app on order_events (app, id);

-- The endpoints of an app, to which each event of its orders is delivered.
create table webhooks (
  id text primary key,
  app text not null references apps (name),
  url text not null,
  -- Sealed with the operator's key, like the secrets of orders.
  secret bytea not null,
  -- The previous secret signs too, until then.
  old_secret bytea,
  old_secret_until timestamptz,
  -- Failures in a row of all its deliveries. While there are any, one delivery at a time tries it, not before `resume_at`.
  failures integer not null default 0,
  resume_at timestamptz not null default now(),
  created_at timestamptz not null default now()
);
create index webhooks_by_app on webhooks (app);

-- A row is deleted when it is delivered. It has all of its event, which may be deleted meanwhile.
create table webhook_deliveries (
  id bigint generated always as identity primary key,
  webhook_id text not null references webhooks (id) on delete cascade,
  message_id uuid not null default gen_random_uuid(),
  order_id text not null,
  status text not null,
  at timestamptz not null,
  attempts integer not null default 0,
  tried_since timestamptz not null default now(),
  -- A process that takes the delivery moves this time: if the process dies, another one takes the delivery then.
  due_at timestamptz not null default now(),
  last_error text,
  -- When it was given up.
  dead_at timestamptz
);
create index webhook_deliveries_pending on webhook_deliveries (webhook_id, id) where dead_at is null;
-- Messages about orders that somebody has paid are delivered first: they must be found among any number of others.
create index webhook_deliveries_funded on webhook_deliveries (webhook_id, id) where dead_at is null and status not in ('created', 'expired');
create index webhook_deliveries_of_order on webhook_deliveries (webhook_id, order_id, id) where dead_at is null;
create index webhook_deliveries_dead on webhook_deliveries (webhook_id, id) where dead_at is not null;

-- The ledger

-- One row for each completed order: what it was worth. A row comes with the completion, and goes if a reorg undoes that. Once both sides of the order are
-- final, the row stays for ever, and its shares are added to the totals of the affiliates.
create table ledger (
  order_id text primary key references orders (id),
  -- The same as the order's.
  seq bigint not null unique,
  app text not null,
  solver_id text not null,
  from_chain text not null,
  to_chain text not null,
  created_at bigint not null,
  -- In millionths of a dollar at the prices of the order's creation, for what was filled: the source amount, and the source less the destination amount.
  volume bigint not null,
  fees bigint not null,
  final boolean not null default false,
  -- The solver has paid in the shares of affiliates. Until then a share waits: a solver that never pays could else swap with itself, name itself as the
  -- affiliate, and be paid from what other solvers paid in.
  paid_in boolean not null default false
);
create index ledger_by_time on ledger (created_at) include (from_chain, to_chain, volume, fees);
create index ledger_waiting on ledger (solver_id, seq) where final and not paid_in;

-- What affiliates earn by an order.
create table ledger_shares (
  order_id text not null references ledger (order_id) on delete cascade,
  -- The place in the order's list of affiliate fees, from 1.
  position integer not null,
  affiliate text not null,
  asset text not null,
  amount numeric(78, 0) not null,
  usd bigint not null,
  primary key (order_id, position)
);

-- The shares of final rows. A claim of an affiliate is the sum over all apps: it never decreases.
create table affiliate_totals (
  app text not null,
  affiliate text not null,
  asset text not null,
  orders bigint not null,
  amount numeric(78, 0) not null,
  usd numeric(40, 0) not null,
  -- The part of `amount` that was paid in. It never decreases.
  paid_in numeric(78, 0) not null default 0,
  primary key (app, affiliate, asset)
);
create index affiliate_totals_by_affiliate on affiliate_totals (affiliate, asset) include (amount);

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

-- Rows are only appended, so that concurrent orders do not wait for each other's locks. They are folded into order_volumes from time to time.
create table ledger_changes (
  from_chain text not null,
  to_chain text not null,
  period bigint not null,
  orders bigint not null,
  volume numeric(40, 0) not null,
  fees numeric(40, 0) not null
);

-- What the operator got from solvers for affiliates.
create table solver_payments (
  solver_id text not null,
  -- Names the payment: the same one counts once.
  reference text not null,
  -- Millionths of a dollar.
  usd bigint not null check (usd > 0),
  at timestamptz not null default now(),
  primary key (solver_id, reference)
);

-- The highest total that was signed for each affiliate. Whoever has the signature can claim it at any time.
create table signed_claims (
  chain text not null,
  contract text not null,
  asset text not null,
  affiliate text not null,
  total numeric(78, 0) not null,
  -- What the contract had paid when it was read last.
  paid numeric(78, 0) not null default 0,
  primary key (chain, contract, asset, affiliate)
);
create index signed_claims_open on signed_claims (chain, contract) where total > paid;

-- Prices

-- What each source of prices said, and the price that followed: one row a market and minute, for a week.
create table price_records (
  market text not null,
  at timestamptz not null,
  -- US dollars times 10^8; null if no price was fit for use, and `problem` says why.
  price numeric,
  problem text,
  readings jsonb not null,
  primary key (market, at)
);
create index price_records_by_time on price_records (at);

-- Solvers only

create table quotes (
  id text primary key,
  source_asset text not null,
  destination_asset text not null,
  source_amount numeric(78, 0) not null,
  destination_amount numeric(78, 0) not null,
  extra_fee_bips integer not null,
  expires_at bigint not null,
  -- An opaque name from the service.
  app text,
  -- The order that was made at the price of this quote: it covers no other one.
  taken_by text,
  -- The price includes that the client may keep the secret of the order.
  client_secret boolean not null default false
);
create index quotes_by_pair on quotes (source_asset, destination_asset, expires_at);

-- Quotes that an app asked for, by hour: how many, and what they would have paid.
create table quote_counts (
  app text not null,
  -- Unix seconds at which the hour begins.
  hour bigint not null,
  quotes bigint not null,
  usd_micros numeric(78, 0) not null,
  primary key (hour, app)
);

-- One commitment per order: the solver must never both initiate the destination and sign a refund.
create table commitments (
  order_id text primary key references orders (id),
  way text not null check (way in ('locked', 'refund_signed')),
  at timestamptz not null default now()
);

-- Redeems that the initiators have cosigned, waiting to be sent.
create table cosigned_redeems (
  order_id text primary key references orders (id),
  transaction text not null,
  at timestamptz not null default now()
);
create index cosigned_redeems_by_transaction on cosigned_redeems using hash (transaction);

create table halts (
  -- '*' for everything; a chain; or a pair, as `<asset>-><asset>`.
  scope text not null,
  -- 'operator', or the name of a circuit breaker.
  cause text not null,
  reason text not null,
  since timestamptz not null default now(),
  -- Null until it is removed.
  until timestamptz,
  primary key (scope, cause)
);

-- What a solver risks, by order.
create table order_risks (
  order_id text primary key references orders (id),
  -- Opaque names from the service; empty if it gives none.
  app text not null,
  owner text not null,
  pair text not null,
  -- What the solver pays, in millionths of a dollar, at the prices of the order.
  usd_micros bigint not null,
  created_at bigint not null,
  deadline bigint not null,
  -- Set by a trigger when the order is closed.
  closed boolean not null default false,
  -- abandoned: never funded. withheld: the client kept its secret until the solver took its payment back. failed: refunded for another reason.
  outcome text check (outcome in ('completed', 'abandoned', 'withheld', 'failed')),
  -- The service that gave the order.
  service text not null default '',
  -- Unix seconds at which the outcome was found first.
  judged_at bigint,
  -- What the price moved in favour of the user from the order until the solver paid, in millionths of a dollar; negative: against it.
  gained_usd_micros bigint,
  -- Inventory was granted to it, at some time.
  reserved boolean not null default false,
  -- The network fees of its redeem, and the limits of what is at risk at once, allowed it.
  admitted boolean not null default false
);
create index order_risks_past_deadline on order_risks (deadline) where outcome is null;
create index order_risks_closed on order_risks (order_id) where closed and outcome is null;
create index order_risks_created on order_risks (created_at);
create index order_risks_judged on order_risks (judged_at) where outcome is not null;
-- What a solver has in flight. Redeems of these orders must be payable, and their sources may be unfinal.
create index order_risks_in_flight on order_risks (order_id) where reserved and not closed;

-- Inventory that is kept for funded orders. A row is granted once and never changed by another order. It counts while its order may still have to be paid,
-- which is derived.
create table reservations (
  order_id text primary key references orders (id),
  asset text not null,
  amount numeric(78, 0) not null,
  at timestamptz not null default now()
);
create index reservations_at on reservations (at);

-- Orders that may reserve inventory. A quote derives only these, so dust and unfunded orders cost it nothing. Rows are only inserted and deleted, so that writers
-- never wait for each other. An order may have several; a new one says that the order has changed.
create table inventory_marks (
  id bigint generated always as identity primary key,
  order_id text not null
) with (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);

-- Functions and triggers

\ir functions/add_to_ledger.sql -- 2b50458d2c5918d82d9671a916eb385eee00c217aec8d40b36e4ad98e52319d6
\ir functions/close_order_risk.sql -- 8c727444af113d68ee837e8bf1e080b7b348fc4a2fcd3825c7f32e51d8a4df5f
\ir functions/close_orders.sql -- 6f3aea992ade539e18c8245b2337da1fb346b56c6d3cdabe02bbff0e97bcdc4c
\ir functions/count_added_orders.sql -- c60db10eba3da34e6b6f998bdfb4303145f7b907eee5ef4c69ced49025a77cb6
\ir functions/count_changed_orders.sql -- 8ca71f28f33ec8d26b00f92bbebd544e1665bbff54635602430532e9b3f17bd6
\ir functions/count_removed_orders.sql -- d0d40074b0aa8cb98dd113046df6d21472e00c373b24c8b939e469f5a6bcea83
\ir functions/fill_ledger.sql -- 157d1f1826046634d79efca76ce269ef1c802b5f962379c9f6925d03ed34f16c
\ir functions/follow_completions.sql -- 21aa8ae75d8b677d55e17d8ab03542b5f817f1ba6200e3ed843e4b4f750ed0c9
\ir functions/is_completed.sql -- db1be57ad294c18f01e254d3e82bf88ff0bc3d14443e4073f02efefe6dbadab1
\ir functions/is_funded.sql -- deafbd079f5c443c54028491557c00cdadab1bad4c76adb9cc0e593bfc7a4f4c
\ir functions/keep_inventory_marks.sql -- 6aaec7873b48c0946b6bdfd05d63305d6498c42bee6b77d8c1f29b964eee4b85
\ir functions/last_attempt_of.sql -- e7d44e1e44f3ae4f7d62148cccc75d8a345bb1feec501ee1107013e5392d4290
\ir functions/lock_chain.sql -- 22b3cc75979b30cbee6952f026394c60e75897abe1c841e4d25665310bed2d9c
\ir functions/lock_chains.sql -- 7c2485a45c5ff98674b103651314e84e7795dc0a31ad1c2d53e029d8d89491c8
\ir functions/lock_orders.sql -- 1c6abe3d366cfafdb90b1429d08f5f46b18d340b927da507359bffa37188ede6
\ir functions/mark_order.sql -- 303b62779be0e0ee1064ade839784d0e1858829237f72222c31ae7462b1b3eef
\ir functions/mark_orders.sql -- 5bdf1c66ad586f74907ab55b719c3d47da28d9f22f3a55c0d9674cee597959c0
\ir functions/mark_orders_of_events.sql -- 57f7d9fba28785f76f4f99be80b671216a4cb2de08f209dafed6bd4ab280e022
\ir functions/mark_paid_in.sql -- 6445e8b5d26d1d4aeeede64866ee7c0f4a27901cfdd4d5f56fa09fe7fac35d1a
\ir functions/newest_order_event.sql -- de027a455ff8a67b0fd5a91ab2897c28c92d6b589a1956312ec87662f644d40e
\ir functions/note_failed_payout.sql -- 7c0db5b845c066647ac32c4ba53aed36435ca640d7395c2d8e526ce44c93b7aa
\ir functions/note_new_orders.sql -- 70381dc4a184b4484252544dabb9170250c0410f100f2832cd765dc2dceaf798
\ir functions/note_refused_payout.sql -- 40a5278ec88ffd129aa350ada69d23b3851e6f375bd4fe21e4dbba21af9da9e7
\ir functions/note_reverted_payout.sql -- aa6c14c306a9df6a4c7f4de6b0738945db1759a364abdd146c2eb88e17c9d45d
\ir functions/note_status_changes.sql -- f43b2bee17af7ab244fc6b7bd0497d88435de7eed632fe99c8d4fea68a2c796d
\ir functions/note_unredeemed_payout.sql -- 95434124b6a2d136c43f70de0673da1f18c1b8862cc9c20d8a11442cb847e1e4
\ir functions/number_order_events.sql -- 1866cbaf69f2e3fb8a0a9b7582ac7a42df468038c121b62d8b3c87cd8c31be80
\ir functions/order_closed_or_opened.sql -- e7a44e03d7114cc84bafe4c7a65fa1c43ae680d6eb1658dd9d5ca8aa8cac1f6c
\ir functions/read_order_events.sql -- 3f8ddc32eea417d0f79621900a274842426855eb299f1e614d9205ee0b4cd8fd
\ir functions/record_poll.sql -- 54e006509f12910a2037b688a768e2e8ecdbf11ac0262d3d01749e23dcc3a4f3
\ir functions/reopen_orders.sql -- 2a9edc99354d873d7cb7f70a3d05a0e724d653a23fe7e1a5a2fb5227ae126e06
\ir functions/set_chain_of_action.sql -- 48476872bc61edc87568d19969c5d1ff94f610855865e8c6efd91b2a2020d4ab
\ir functions/settle_ledger.sql -- b6be402bcaf05545dc41e8f28329cc3064b43becffa967a1e72745e69997e71e
\ir functions/source_is_funded.sql -- 074384c17a0d9b559ef87bcbc5f034eac0b6e5afe96b145223dc655289ac119d
\ir functions/swap_changed.sql -- 49cc80738888023f150884eb3c2547568317de95cd913b6016c9cedeff9db96e
\ir functions/sync_wanted.sql -- a41ccf7de73e7ac6f2eb4146613efbe5f791536033a31504bfdbb33be6ed4083
\ir functions/take_orders.sql -- 679fa3ec681f4588f54bff86f6f9ddfdb53787c73e0db297d01e6345c1926b4e
\ir functions/touch_order.sql -- 2b530bde05ac4eb17c716aac249a0a0a1e7affc4a277c5b1049bd5ad9a4a9060
\ir functions/touch_order_of_attempt.sql -- 6b2da1a74470d9a24ca3324afcce109622db666d0517e571a8fca8f8d18dddc8
\ir functions/touch_orders.sql -- c4faa9a3752d7e14464280a00b74c0b3fd8076aca44631b8353543274b35bfa1
\ir functions/touch_orders_of_events.sql -- ebba7d2c64a25341f64f23300c7ddd7f39527c27490d35ca160bd6189cd394bf
\ir functions/write_derived.sql -- 29b47075942db096fcfe5add9729546affd431039bda039aa49a84f0609d2c79
