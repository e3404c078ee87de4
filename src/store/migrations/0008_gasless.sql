-- Gasless initiations: the approval an app asks for, its daily budget, and the outcome of relayed transactions.

alter table apps
  add column approval text not null default 'exact',
  -- Null: no limit, by choice of the operator.
  add column sponsored_per_day integer default 200,
  add constraint apps_approval check (approval in ('exact', 'unlimited')),
  add constraint apps_sponsored_per_day check (sponsored_per_day between 1 and 1000000);

-- The app whose budget pays for the initiation; null if it costs no budget.
alter table grants add column sponsor text references apps (name);
update grants set sponsor = orders.app from orders where orders.id = grants.order_id and grants.kind = 'initiate';
create index grants_by_sponsor on grants (sponsor, created_at) where sponsor is not null;

alter table actions
  -- The transaction that was mined and reverted; null again once another is sent.
  add column reverted_tx text,
  -- Why it cannot be done, as a text for the user, if the user can fix it.
  add column refusal text;
