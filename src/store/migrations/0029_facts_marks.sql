-- A number that follows from what is on record about an order. When the order is derived, it is stored as the clock 'facts'. Another number
-- later says that something was recorded and the order was not derived again. Computed alike in facts-mark.ts.
create function facts_mark(of_order text) returns bigint language sql stable as $$
  select ((
    select coalesce(sum(events.mark * case leg when 'source' then 31 else 1 end), 0)
    from swaps cross join lateral (
      select case when count(*) > 300 then -1 else coalesce(sum(1 + coalesce(block_height, 0)), 0) end as mark
      from (select block_height from events where events.chain = swaps.chain and events.swap_id = swaps.swap_id limit 301) as few
    ) as events
    where swaps.order_id = of_order
  ) * 512
  + case when exists (select from prefunds where prefunds.order_id = of_order and amount > 0) then 256 else 0 end
  + (select least(count(*), 7) from grants where grants.order_id = of_order) * 32
  + coalesce((select case when signature is null then 8 else 16 end from fills where fills.order_id = of_order), 0)
  + (
    select case when declined is null then 0 else 4 end + case when secret_signed_at is null then 0 else 2 end
      + case when seen_secret is null then 0 else 1 end
    from orders where orders.id = of_order
  ))::bigint
$$;
