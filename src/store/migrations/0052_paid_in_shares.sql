-- A share of an affiliate can be claimed once the solver that collected it has paid it in. Until then it is earned and waits: a solver that never pays could else swap
-- with itself, name itself as the affiliate, and be paid from what other solvers paid in.

alter table ledger add column paid_in boolean not null default false;
create index ledger_waiting on ledger (solver_id, seq) where final and not paid_in;

-- The part of `amount` that was paid in. It never decreases.
alter table affiliate_totals add column paid_in numeric(78, 0) not null default 0;

-- What the operator got from solvers for affiliates.
create table solver_payments (
  solver_id text not null,
  -- Of the payment: the same one counts once.
  reference text not null,
  -- Millionths of a dollar.
  usd bigint not null check (usd > 0),
  at timestamptz not null default now(),
  primary key (solver_id, reference)
);

-- The highest total that was signed for each affiliate. Whoever has the signature can claim it at any time.
create table signed_claims (
  chain text not null,
  contract text not null,
  asset text not null,
  affiliate text not null,
  total numeric(78, 0) not null,
  -- What the contract had paid when it was read last.
  paid numeric(78, 0) not null default 0,
  primary key (chain, contract, asset, affiliate)
);
create index signed_claims_open on signed_claims (chain, contract) where total > paid;

-- Once for each order.
create function mark_paid_in(order_ids text[]) returns void language plpgsql as $$
begin
  with marked as (
    update ledger set paid_in = true where order_id = any(order_ids) and final and not paid_in returning order_id, app
  ), summed as (
    select app, affiliate, asset, sum(amount) as amount from marked join ledger_shares using (order_id) group by 1, 2, 3
  ), locked as (
    -- One order for everyone who locks several of them.
    select app, affiliate, asset from affiliate_totals join summed using (app, affiliate, asset) order by 1, 2, 3 for update of affiliate_totals
  )
  update affiliate_totals as totals set paid_in = totals.paid_in + summed.amount
  from summed join locked using (app, affiliate, asset)
  where totals.app = summed.app and totals.affiliate = summed.affiliate and totals.asset = summed.asset;
end $$;
