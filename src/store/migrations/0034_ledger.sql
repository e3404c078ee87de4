-- The ledger: one row for each completed order, what it was worth, and what affiliates earn by it. A row comes with the completion and goes if a reorg
-- undoes that. Once both sides of the order are final, the row stays for ever, and its shares are added to the totals of the affiliates.

create function is_completed(status text) returns boolean language sql immutable as $$
  select status in ('redeem_detected', 'redeemed', 'counterparty_redeemed')
$$;

create table ledger (
  order_id text primary key references orders (id),
  -- That of the order.
  seq bigint not null unique,
  app text not null,
  solver_id text not null,
  from_chain text not null,
  to_chain text not null,
  created_at bigint not null,
  -- In millionths of a dollar at the prices of the order's creation, for what was filled: the source amount, and the source less the destination amount.
  volume bigint not null,
  fees bigint not null,
  final boolean not null default false
);
create index ledger_by_time on ledger (created_at) include (from_chain, to_chain, volume, fees);

create table ledger_shares (
  order_id text not null references ledger (order_id) on delete cascade,
  -- In the order's list of affiliate fees, from 1.
  position integer not null,
  affiliate text not null,
  asset text not null,
  amount numeric(78, 0) not null,
  usd bigint not null,
  primary key (order_id, position)
);

-- The shares of final rows. A claim of an affiliate is the sum over all apps: it never decreases.
create table affiliate_totals (
  app text not null,
  affiliate text not null,
  asset text not null,
  orders bigint not null,
  amount numeric(78, 0) not null,
  usd numeric(40, 0) not null,
  primary key (app, affiliate, asset)
);
create index affiliate_totals_by_affiliate on affiliate_totals (affiliate, asset) include (amount);

-- Append-only, so that concurrent orders do not wait for each other's locks. Folded into order_volumes from time to time.
create table ledger_changes (
  from_chain text not null,
  to_chain text not null,
  period bigint not null,
  orders bigint not null,
  volume numeric(40, 0) not null,
  fees numeric(40, 0) not null
);

-- Adds those of these orders that are completed and not on the ledger yet. What was agreed is scaled to what was filled, and rounded down: affiliates are
-- never owed more than was collected.
create function add_to_ledger(seqs bigint[]) returns void language plpgsql as $$
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

-- Fires for every status that changes, also where a list is corrected.
create function follow_completions() returns trigger language plpgsql as $$
declare
  completed constant bigint[] := array(
    select seq from added join removed using (seq) where is_completed(added.status) and not is_completed(removed.status)
  );
  undone constant bigint[] := array(
    select seq from added join removed using (seq) where not is_completed(added.status) and is_completed(removed.status)
  );
begin
  if cardinality(completed) > 0 then perform add_to_ledger(completed); end if;
  if cardinality(undone) > 0 then
    with gone as (delete from ledger where seq = any(undone) and not final returning *)
    insert into ledger_changes
    select from_chain, to_chain, created_at / 21600, -count(*), -sum(volume), -sum(fees) from gone group by 1, 2, 3;
  end if;
  return null;
end $$;

create trigger order_completed after update on order_list referencing new table as added old table as removed
  for each statement execute function follow_completions();

-- Of orders whose sides are final: once for each, however often it is closed.
create function settle_ledger(order_ids text[]) returns void language plpgsql as $$
begin
  with settled as (
    update ledger set final = true where order_id = any(order_ids) and not final returning order_id, app
  )
  insert into affiliate_totals (app, affiliate, asset, orders, amount, usd)
  select app, affiliate, asset, count(*), sum(amount), sum(usd) from settled join ledger_shares using (order_id)
  -- One order for everyone who locks several of them.
  group by 1, 2, 3 order by 1, 2, 3
  on conflict (app, affiliate, asset) do update set orders = affiliate_totals.orders + excluded.orders,
    amount = affiliate_totals.amount + excluded.amount, usd = affiliate_totals.usd + excluded.usd;
end $$;

-- As before, and settles the ledger of the orders that it closes: their sides are final.
create or replace function close_orders(chains text[], finished json, outliving text[]) returns void language plpgsql as $$
declare
  closed text[];
begin
  perform lock_chains(chains);
  -- In a statement of its own: in one with the update, the deposits of all orders would be counted, not only of these.
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

-- Adds what is missing: after a rebuild of the list, and for orders from before there was a ledger.
create function fill_ledger() returns void language plpgsql as $$
begin
  perform add_to_ledger(array(
    select seq from order_list where is_completed(status) and not exists (select from ledger where ledger.seq = order_list.seq)
  ));
  perform settle_ledger(array(
    select order_id from ledger join orders on orders.id = order_id where not final and closed_at is not null
  ));
end $$;

-- The counters of the list count orders only; volumes and fees are those of the ledger.
alter table order_count_changes drop column period, drop column volume, drop column fees;

create or replace function count_added_orders() returns trigger language plpgsql as $$
begin
  insert into order_count_changes
  select app, status, from_chain, to_chain, solver_id, seq >> 13, count(*) from added group by 1, 2, 3, 4, 5, 6;
  return null;
end $$;

create or replace function count_removed_orders() returns trigger language plpgsql as $$
begin
  insert into order_count_changes
  select app, status, from_chain, to_chain, solver_id, seq >> 13, -count(*) from removed group by 1, 2, 3, 4, 5, 6;
  return null;
end $$;

create or replace function count_changed_orders() returns trigger language plpgsql as $$
begin
  insert into order_count_changes
  select app, status, from_chain, to_chain, solver_id, seq >> 13, sum(n)
  from (select *, 1 as n from added union all select *, -1 as n from removed) as both_sides
  group by 1, 2, 3, 4, 5, 6 having sum(n) <> 0;
  return null;
end $$;

drop index order_list_completed;

select fill_ledger();
delete from ledger_changes;
delete from order_volumes;
insert into order_volumes (from_chain, to_chain, period, orders, volume, fees)
select coalesce(from_chain, '*'), coalesce(to_chain, '*'), created_at / 21600, count(*), sum(volume), sum(fees) from ledger
group by created_at / 21600, cube (from_chain, to_chain);
