-- Notes the database transaction that changed a swap: see swaps.watched_in.
create or replace function swap_changed() returns trigger language plpgsql as $$
begin
  new.watched_in := pg_current_xact_id()::text::bigint;
  return new;
end $$;

create or replace trigger swap_changed before update on swaps for each row execute function swap_changed();
