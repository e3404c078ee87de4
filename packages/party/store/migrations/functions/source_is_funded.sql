-- Marks both swaps of an order as funded when its source is initiated. Only the source counts, so no two chains write the rows of one order at once.
-- A reorg does not take the mark back: it only decides which swaps a node is asked about first.
create or replace function source_is_funded() returns trigger language plpgsql as $$
begin
  update swaps set funded = true
  from swaps as source
  where source.chain = new.chain and source.swap_id = new.swap_id and source.leg = 'source' and not source.funded
    and swaps.order_id = source.order_id;
  return null;
end $$;

create or replace trigger events_source_is_funded after insert on events
  for each row when (new.kind = 'initiated') execute function source_is_funded();
