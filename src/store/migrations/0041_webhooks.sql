-- Webhooks: each event of an app's orders is delivered to the endpoints of the app.

create table webhooks (
  id text primary key,
  app text not null references apps (name),
  url text not null,
  -- Sealed as other secrets.
  secret bytea not null,
  -- The one before, which signs too until then.
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
  -- Who takes it moves it: if that process dies, another one takes it then.
  due_at timestamptz not null default now(),
  last_error text,
  -- No longer tried.
  dead_at timestamptz
);
create index webhook_deliveries_pending on webhook_deliveries (webhook_id, id) where dead_at is null;
create index webhook_deliveries_of_order on webhook_deliveries (webhook_id, order_id, id) where dead_at is null;
create index webhook_deliveries_dead on webhook_deliveries (webhook_id, id) where dead_at is not null;

-- As before, and makes the deliveries.
create or replace function number_order_events(most integer) returns boolean language plpgsql as $$
declare
  moved integer;
begin
  if not exists (select from status_changes) then return false; end if;
  perform pg_advisory_xact_lock(7206039);
  -- A number that a client has seen must not be used again after a crash.
  perform set_config('synchronous_commit', 'on', true);
  with taken as (
    delete from status_changes where id in (select id from status_changes order by id limit most) returning *
  ), numbered as (
    insert into order_events (app, order_id, status, at) select app, order_id, status, at from taken order by id returning *
  ), delivered as (
    insert into webhook_deliveries (webhook_id, order_id, status, at)
    select webhooks.id, order_id, status, at from numbered join webhooks using (app) order by numbered.id
  )
  select count(*) into moved from numbered;
  return moved >= most;
end $$;
