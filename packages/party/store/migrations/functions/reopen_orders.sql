-- Opens closed orders of these swaps again, for example after a late deposit.
create or replace function reopen_orders(of_chain text, swap_ids text[]) returns void language plpgsql as $$
begin
  update orders set closed_at = null
  where closed_at is not null and id in (select order_id from swaps where chain = of_chain and swap_id = any(swap_ids));
end $$;
