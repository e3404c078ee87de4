-- Locks chains in the order of their names, so that two transactions cannot deadlock.
create or replace function lock_chains(chains text[]) returns void language plpgsql as $$
begin
  perform lock_chain(chain) from (select distinct chain from unnest(chains) as chain order by chain) as sorted;
end $$;
