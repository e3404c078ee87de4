-- Settings of each app. The database checks their bounds too, whoever writes the row.

alter table apps
  add column permissions text[] not null default '{read,trade}',
  -- null: the operator's default.
  add column rate_limit_per_minute integer,
  add constraint apps_name check (name ~ '^[a-z0-9._-]{1,64}$'),
  add constraint apps_slippage check (default_slippage_bips between 0 and 500),
  add constraint apps_permissions check (permissions <@ array['read', 'trade'] and cardinality(permissions) > 0),
  add constraint apps_rate_limit check (rate_limit_per_minute between 1 and 1000000);
