-- Whether anything of a chain is open is asked with every poll, however many swaps are finished.
alter table swaps add column open boolean not null default true;
update swaps set open = false from orders where orders.id = swaps.order_id and orders.closed_at is not null;
create index swaps_open on swaps (chain, watched_in) where open;

create or replace function order_closed_or_opened() returns trigger language plpgsql as $$
begin
  update swaps set watched_in = default, open = new.closed_at is null where order_id = new.id;
  return null;
end $$;
