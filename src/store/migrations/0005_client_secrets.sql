-- Secrets that clients make and keep, and grants for redeems and instant refunds.

-- The service does not have the secret of such an order until the client grants the redeem.
alter table orders add column client_secret boolean not null default false;

alter table grants drop constraint grants_kind_check;
alter table grants alter column signature drop not null;
-- Instant refunds: each deposit, the amount that its refund pays, and the solver's signature.
alter table grants add column refunds jsonb;
-- The refund transaction that both parties signed; the newest if there were several.
alter table grants add column transaction text;
alter table grants add check (kind in ('initiate', 'redeem', 'instant-refund'));
alter table grants add check ((kind = 'initiate') = (signature is not null));
alter table grants add check ((kind = 'instant-refund') = (refunds is not null));
