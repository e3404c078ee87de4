-- Closes orders without wanted actions, if nothing was recorded about them since they were derived as finished: a closed order is not derived again.
-- The locks of their chains keep watchers from recording meanwhile. Both sides of these orders are final, so their ledger rows are settled too.
-- `finished`: each order, with the number of deposits that it had when it was derived. `outliving`: verbs whose actions do not keep an order open.
create or replace function close_orders(chains text[], finished json, outliving text[]) returns void language plpgsql as $$
declare
  closed text[];
begin
  perform lock_chains(chains);
  -- This is a statement of its own: in one with the update, the deposits of all orders would be counted, not only of these.
  closed := array(
    select given.id from json_to_recordset(finished) as given (id text, deposits integer)
    where not exists (select from actions where order_id = given.id and verb <> all (outliving) and (wanted or cancelling))
      and not exists (select from touched_orders where touched_orders.order_id = given.id)
      and given.deposits = (
        select count(*) from swaps join events on events.chain = swaps.chain and events.swap_id = swaps.swap_id
        where swaps.order_id = given.id and events.kind = 'initiated'
      )
  );
  update orders set closed_at = now() where id = any(closed);
  delete from order_clocks where order_id = any(closed);
  perform settle_ledger(closed);
end $$;
