-- The public keys with which solvers take part in HTLCs, on chains where parties are keys. Nothing is ever deleted: a user who has nothing but a rescue
-- phrase finds a deposit by the key that its solver had then.
create table solver_keys (
  solver_id text not null,
  chain text not null,
  public_key text not null,
  first_seen timestamptz not null default now(),
  primary key (solver_id, chain, public_key)
);
