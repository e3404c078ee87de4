-- Numbers new status changes, and returns the events that follow `after`. One message serves all listeners of a process.
create or replace function read_order_events(after bigint, most integer) returns setof order_events language plpgsql as $$
begin
  perform number_order_events(most);
  return query select * from order_events where id > after order by id limit most;
end $$;
