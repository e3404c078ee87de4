-- Secrets that clients make and keep, and what users ask for besides an initiation.

-- The service never had the secret of such an order unless it is granted.
alter table orders add column client_secret boolean not null default false;

alter table grants drop constraint grants_kind_check;
alter table grants alter column signature drop not null;
-- Deposits that both parties send back at once: what each pays, and the solver's signature.
alter table grants add column refunds jsonb;
-- The transaction that does so, signed by both; the newest if there were several.
alter table grants add column transaction text;
alter table grants add check (kind in ('initiate', 'redeem', 'instant-refund'));
alter table grants add check ((kind = 'initiate') = (signature is not null));
alter table grants add check ((kind = 'instant-refund') = (refunds is not null));
