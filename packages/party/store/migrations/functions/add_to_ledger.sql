-- Puts completed orders on the ledger, unless they are on it. Agreed amounts are scaled to what was filled, and rounded down: affiliates are never
-- owed more than was collected.
create or replace function add_to_ledger(seqs bigint[]) returns void language plpgsql as $$
declare
  most constant numeric := 9223372036854775807;
begin
  with entered as (
    insert into ledger (order_id, seq, app, solver_id, from_chain, to_chain, created_at, volume, fees)
    select order_id, seq, app, listed.solver_id, from_chain, to_chain, listed.created_at,
      least(most, div(volume * filled.amount, agreed_amount)), least(most, div(fee * filled.amount, agreed_amount))
    from order_list as listed join swaps as filled using (order_id)
    where seq = any(seqs) and is_completed(status) and leg = 'destination'
    on conflict do nothing
    returning *
  ), changed as (
    insert into ledger_changes
    select from_chain, to_chain, created_at / 21600, count(*), sum(volume), sum(fees) from entered group by 1, 2, 3
  )
  insert into ledger_shares (order_id, position, affiliate, asset, amount, usd)
  select orders.id, place, fee ->> 'address', fee ->> 'asset', div((fee ->> 'amount')::numeric * filled.amount, agreed_amount),
    div(volume::numeric * (fee ->> 'feeBips')::integer, 10000)
  from entered join orders on orders.id = entered.order_id
    join swaps as filled on filled.order_id = orders.id and leg = 'destination'
    cross join lateral jsonb_array_elements(affiliate_fees) with ordinality as given (fee, place);
end $$;
