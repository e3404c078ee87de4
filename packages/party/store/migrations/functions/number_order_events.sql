-- Numbers the committed status changes, and makes their webhook deliveries. One transaction at a time numbers them, and others see only committed numbers, so
-- numbers become visible in their order. Returns whether there may be more.
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
