-- Which orders to derive again: those that something was recorded about, and those that may have changed by time alone.

-- Engines share the orders that are due by their shards. The number of shards is fixed: see SHARDS in the code.
create function shard_of(order_id text) returns smallint language sql immutable strict parallel safe
  return (hashtextextended(order_id, 0) & 31)::smallint;

-- Rows are only inserted and deleted, so that writers never wait for each other. An order may have several.
create table touched_orders (
  id bigint generated always as identity primary key,
  order_id text not null
) with (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0);

-- While every clock of an order is in its range, since <= value < until, its state stays as it was derived.
create table order_clocks (
  order_id text not null,
  -- 'now', 'recheck', or '<chain> height', '<chain> time', '<chain> final', '<chain> age'.
  clock text not null,
  since bigint,
  until bigint,
  shard smallint not null generated always as (shard_of(order_id)) stored,
  primary key (order_id, clock)
);
create index order_clocks_until on order_clocks (clock, until) include (order_id, shard) where until is not null;
create index order_clocks_since on order_clocks (clock, since) include (order_id, shard) where since is not null;

create function touch_orders() returns trigger language plpgsql as $$
begin
  insert into touched_orders (order_id) select distinct order_id from changed;
  return null;
end $$;

create function touch_orders_of_events() returns trigger language plpgsql as $$
begin
  insert into touched_orders (order_id)
  select distinct swaps.order_id from changed join swaps on swaps.chain = changed.chain and swaps.swap_id = changed.swap_id;
  return null;
end $$;

create trigger events_inserted after insert on events referencing new table as changed for each statement execute function touch_orders_of_events();
create trigger events_updated after update on events referencing new table as changed for each statement execute function touch_orders_of_events();
create trigger events_deleted after delete on events referencing old table as changed for each statement execute function touch_orders_of_events();
create trigger grants_inserted after insert on grants referencing new table as changed for each statement execute function touch_orders();
create trigger grants_updated after update on grants referencing new table as changed for each statement execute function touch_orders();
create trigger grants_deleted after delete on grants referencing old table as changed for each statement execute function touch_orders();
create trigger fills_inserted after insert on fills referencing new table as changed for each statement execute function touch_orders();
create trigger fills_updated after update on fills referencing new table as changed for each statement execute function touch_orders();
create trigger fills_deleted after delete on fills referencing old table as changed for each statement execute function touch_orders();
create trigger prefunds_inserted after insert on prefunds referencing new table as changed for each statement execute function touch_orders();
create trigger prefunds_updated after update on prefunds referencing new table as changed for each statement execute function touch_orders();

-- Only some columns matter here, and triggers by column have no transition tables.
create function touch_order() returns trigger language plpgsql as $$
begin
  insert into touched_orders (order_id) values (case tg_table_name when 'orders' then to_jsonb(new) ->> 'id' else to_jsonb(new) ->> 'order_id' end);
  return null;
end $$;

-- A new order is not touched: without an event, a grant or a prefund nothing can be wanted.
create trigger order_touched after update of declined, secret_signed_at, seen_secret, closed_at on orders for each row
  when (old.declined is distinct from new.declined or (old.secret_signed_at is null) <> (new.secret_signed_at is null)
    or old.seen_secret is distinct from new.seen_secret or (old.closed_at is not null and new.closed_at is null))
  execute function touch_order();
create trigger swap_touched after update of user_address, amount, swap_id on swaps for each row
  when (old.user_address is distinct from new.user_address or old.amount <> new.amount or old.swap_id <> new.swap_id)
  execute function touch_order();
-- An unmined transaction that is being cancelled keeps its order open.
create trigger action_touched after update of cancelling on actions for each row
  when (old.cancelling and not new.cancelling and not new.wanted) execute function touch_order();

-- Whether the secret counts as shown follows from the attempts that contain it.
create function touch_order_of_attempt() returns trigger language plpgsql as $$
begin
  insert into touched_orders (order_id) select order_id from actions where key = new.action_key;
  return null;
end $$;
create trigger attempt_inserted after insert on attempts for each row when (new.holds_secret) execute function touch_order_of_attempt();
create trigger attempt_refused after update of refused_at on attempts for each row
  when (new.holds_secret and (old.refused_at is null) <> (new.refused_at is null)) execute function touch_order_of_attempt();

insert into touched_orders (order_id) select id from orders where closed_at is null;
