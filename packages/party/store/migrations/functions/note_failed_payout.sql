-- Records a payout that failed because of its recipient. An order counts with its highest weight, from its last failure on.
create or replace function note_failed_payout(failed text, failed_weight integer) returns void language sql as $$
  insert into failed_payouts (order_id, chain, recipient, owner, app, weight)
  select orders.id, swaps.chain, orders.destination_owner, orders.source_owner, coalesce(orders.app, ''), failed_weight
  from orders join swaps on swaps.order_id = orders.id and swaps.leg = 'destination'
  where orders.id = failed
  on conflict (order_id) do update set weight = greatest(failed_payouts.weight, excluded.weight), at = now()
$$;
