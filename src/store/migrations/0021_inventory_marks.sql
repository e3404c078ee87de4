-- Which orders of a solver may reserve inventory. A quote derives only these, so dust and unfunded orders cost it nothing.

-- Rows are only inserted and deleted, so that writers never wait for each other. An order may have several; a new one says that the order
-- has changed.
create table inventory_marks (
  id bigint generated always as identity primary key,
  order_id text not null
) with (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);

-- The largest deposit of a swap, without reading the others.
create index events_by_amount on events (chain, swap_id, amount desc) where kind = 'initiated';

-- At most five deposits count, and they add up to at least 5/6 of the amount: without one of at least a sixth nothing is reserved.
create function is_funded(source swaps) returns boolean language sql stable
  return exists (
    select from events
    where events.chain = source.chain and events.swap_id = source.swap_id and events.kind = 'initiated' and events.amount >= source.amount / 6
  );

create function mark_orders_of_events() returns trigger language plpgsql as $$
begin
  insert into inventory_marks (order_id)
  select distinct source.order_id
  from (select distinct chain, swap_id from changed) as changed
    join swaps as either_leg on either_leg.chain = changed.chain and either_leg.swap_id = changed.swap_id
    join swaps as source on source.order_id = either_leg.order_id and source.leg = 'source'
    join orders on orders.id = source.order_id
  -- Only a solver has orders without an app.
  where orders.app is null and is_funded(source);
  return null;
end $$;

create trigger events_inserted_mark after insert on events referencing new table as changed for each statement execute function mark_orders_of_events();
create trigger events_updated_mark after update on events referencing new table as changed for each statement execute function mark_orders_of_events();
create trigger events_deleted_mark after delete on events referencing old table as changed for each statement execute function mark_orders_of_events();

create function mark_orders() returns trigger language plpgsql as $$
begin
  insert into inventory_marks (order_id)
  select distinct changed.order_id from changed join orders on orders.id = changed.order_id where orders.app is null;
  return null;
end $$;

create trigger fills_inserted_mark after insert on fills referencing new table as changed for each statement execute function mark_orders();
create trigger grants_inserted_mark after insert on grants referencing new table as changed for each statement execute function mark_orders();
create trigger grants_updated_mark after update on grants referencing new table as changed for each statement execute function mark_orders();

create function mark_order() returns trigger language plpgsql as $$
begin
  insert into inventory_marks (order_id) values (new.id);
  return null;
end $$;

create trigger order_declined_mark after update of declined on orders for each row
  when (new.app is null and old.declined is distinct from new.declined) execute function mark_order();

insert into inventory_marks (order_id)
select orders.id from orders join swaps as source on source.order_id = orders.id and source.leg = 'source'
where orders.app is null and orders.closed_at is null and is_funded(source);
