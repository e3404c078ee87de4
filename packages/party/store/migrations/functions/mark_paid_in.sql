-- Marks final ledger rows as paid in by their solver, and adds their shares to the totals. Each order counts once.
create or replace function mark_paid_in(order_ids text[]) returns void language plpgsql as $$
begin
  with marked as (
    update ledger set paid_in = true where order_id = any(order_ids) and final and not paid_in returning order_id, app
  ), summed as (
    select app, affiliate, asset, sum(amount) as amount from marked join ledger_shares using (order_id) group by 1, 2, 3
  ), locked as (
    -- All code locks several of these rows in the same order.
    select app, affiliate, asset from affiliate_totals join summed using (app, affiliate, asset) order by 1, 2, 3 for update of affiliate_totals
  )
  update affiliate_totals as totals set paid_in = totals.paid_in + summed.amount
  from summed join locked using (app, affiliate, asset)
  where totals.app = summed.app and totals.affiliate = summed.affiliate and totals.asset = summed.asset;
end $$;
