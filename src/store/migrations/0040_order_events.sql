-- Live events: one row for each change of an order's derived status, kept for some days.

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

create function note_new_orders() returns trigger language plpgsql as $$
begin
  -- Other statuses are inserted by a rebuild of the list only: nothing changed.
  insert into status_changes (app, order_id, status) select app, order_id, status from added where status = 'created';
  return null;
end $$;

create function note_status_changes() returns trigger language plpgsql as $$
begin
  insert into status_changes (app, order_id, status)
  select added.app, added.order_id, added.status from added join removed using (seq) where added.status <> removed.status;
  return null;
end $$;

create trigger order_noted after insert on order_list referencing new table as added
  for each statement execute function note_new_orders();
create trigger status_noted after update on order_list referencing new table as added old table as removed
  for each statement execute function note_status_changes();

-- Numbers the changes that are committed. One transaction at a time does so, and only committed rows have numbers that others see: hence the order above.
-- True if there are more.
create function number_order_events(most integer) returns boolean language plpgsql as $$
declare
  moved integer;
begin
  if not exists (select from status_changes) then return false; end if;
  perform pg_advisory_xact_lock(7206039);
  -- A number that a client has seen must not be used again after a crash.
  perform set_config('synchronous_commit', 'on', true);
  with taken as (
    delete from status_changes where id in (select id from status_changes order by id limit most) returning *
  )
  insert into order_events (app, order_id, status, at) select app, order_id, status, at from taken order by id;
  get diagnostics moved = row_count;
  return moved >= most;
end $$;

-- The newest number; 0 before the first. Pruning never removes the newest row.
create function newest_order_event() returns bigint language sql stable as $$
  select coalesce((select id from order_events order by id desc limit 1), 0)
$$;

-- Numbers what is new, and returns what follows `after`: one message serves all listeners of a process.
create function read_order_events(after bigint, most integer) returns setof order_events language plpgsql as $$
begin
  perform number_order_events(most);
  return query select * from order_events where id > after order by id limit most;
end $$;
