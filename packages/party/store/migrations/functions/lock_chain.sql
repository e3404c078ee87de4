-- Only one transaction at a time records events of a chain, so it sees everything that was recorded before.
create or replace function lock_chain(chain text) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('listen ' || chain, 0));
end $$;
