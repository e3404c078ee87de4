-- What an app's users are asked to approve, how much gas it may have paid for it, and what became of what was sent for them.

alter table apps
  add column approval text not null default 'exact',
  -- null: no limit, which somebody has chosen.
  add column sponsored_per_day integer default 200,
  add constraint apps_approval check (approval in ('exact', 'unlimited')),
  add constraint apps_sponsored_per_day check (sponsored_per_day between 1 and 1000000);

-- The app whose budget pays for what is granted; null where nobody's does.
alter table grants add column sponsor text references apps (name);
update grants set sponsor = orders.app from orders where orders.id = grants.order_id and grants.kind = 'initiate';
create index grants_by_sponsor on grants (sponsor, created_at) where sponsor is not null;

alter table actions
  -- Mined and failed; null again once another is on its way.
  add column reverted_tx text,
  -- Why it cannot be done, in words for the user whose doing that is.
  add column refusal text;
