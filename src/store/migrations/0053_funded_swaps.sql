-- Where a node is asked for one address at a time, the swaps of funded orders are asked first: strangers can leave any number of orders unfunded.
alter table swaps add column funded boolean not null default false;
update swaps set funded = true where open and exists (
  select from swaps as source join events on events.chain = source.chain and events.swap_id = source.swap_id
  where source.order_id = swaps.order_id and source.leg = 'source' and events.kind = 'initiated'
);
create index swaps_funded on swaps (chain, watched_in) where open and funded;

-- Only by the source: then no two chains write the rows of one order at once. A reorg does not take it back: it only decides who is asked first.
create function source_is_funded() returns trigger language plpgsql as $$
begin
  update swaps set funded = true
  from swaps as source
  where source.chain = new.chain and source.swap_id = new.swap_id and source.leg = 'source' and not source.funded
    and swaps.order_id = source.order_id;
  return null;
end $$;
create trigger events_source_is_funded after insert on events
  for each row when (new.kind = 'initiated') execute function source_is_funded();
