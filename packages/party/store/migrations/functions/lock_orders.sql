-- Only one transaction at a time derives an order. It sees all that was written before, so no older state is written after it.
create or replace function lock_orders(order_ids text[]) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(7206020, key) from (select distinct hashtext(id) as key from unnest(order_ids) as id order by key) as sorted;
end $$;
