-- Makes ledger rows final, and adds their shares to the totals of affiliates. Each order counts once, however often it is closed.
create or replace function settle_ledger(order_ids text[]) returns void language plpgsql as $$
begin
  with settled as (
    update ledger set final = true where order_id = any(order_ids) and not final returning order_id, app
  )
  insert into affiliate_totals (app, affiliate, asset, orders, amount, usd)
  select app, affiliate, asset, count(*), sum(amount), sum(usd) from settled join ledger_shares using (order_id)
  -- All code locks several of these rows in the same order.
  group by 1, 2, 3 order by 1, 2, 3
  on conflict (app, affiliate, asset) do update set orders = affiliate_totals.orders + excluded.orders,
    amount = affiliate_totals.amount + excluded.amount, usd = affiliate_totals.usd + excluded.usd;
end $$;
