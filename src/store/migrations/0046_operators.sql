-- Who may look at the operator page, and who may halt chains there. Tokens and sessions are stored hashed.
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
