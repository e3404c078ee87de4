-- Watchers read changed swaps only, not the whole list each time.

-- The database transaction that last changed the row. Transactions do not commit in the order of their numbers, but rows that a
-- snapshot does not show yet have numbers at or above its horizon: a read from the horizon on misses none.
alter table swaps add column watched_in bigint not null default pg_current_xact_id()::text::bigint;
create index swaps_by_watch on swaps (chain, watched_in);

create function swap_changed() returns trigger language plpgsql as $$
begin
  new.watched_in := pg_current_xact_id()::text::bigint;
  return new;
end $$;
create trigger swap_changed before update on swaps for each row execute function swap_changed();

-- Whether an order is open decides how its swaps are watched.
create function order_closed_or_opened() returns trigger language plpgsql as $$
begin
  update swaps set watched_in = default where order_id = new.id;
  return null;
end $$;
create trigger order_closed_or_opened after update of closed_at on orders
  for each row when ((old.closed_at is null) <> (new.closed_at is null)) execute function order_closed_or_opened();

-- A cosigned redeem shows no secret, and a refund can show one: read the secret from both kinds of event.
alter table events add check (secret is null or kind <> 'initiated');
alter table orders add column seen_secret_at timestamptz;
update orders set seen_secret_at = now() where seen_secret is not null;
alter table orders add check ((seen_secret is null) = (seen_secret_at is null));
