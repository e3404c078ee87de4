-- The leg of a grant, and for a grant to initiate the kind of consent: a signature or a prefunded amount.

alter table grants
  add column leg text,
  add column consent text,
  -- Unix seconds; only of a prefunded order.
  add column deadline bigint;
alter table grants drop constraint grants_check;

update grants set leg = case kind when 'redeem' then 'destination' else 'source' end;
update grants set consent = 'signature' where kind = 'initiate';
-- Until now the signature column contained this text for prefunded orders.
update grants set consent = 'prefunded', deadline = substring(signature from '[0-9]+$')::bigint, signature = null
  where kind = 'initiate' and signature ~ '^deposit until [0-9]{1,18}$';

alter table grants
  alter column leg set not null,
  drop constraint grants_pkey,
  add primary key (order_id, kind, leg),
  add constraint grants_leg check (leg in ('source', 'destination')),
  add constraint grants_consent check ((kind = 'initiate') = (consent is not null) and consent in ('signature', 'prefunded')),
  add constraint grants_signature check ((consent is not distinct from 'signature') = (signature is not null)),
  add constraint grants_deadline check ((consent is not distinct from 'prefunded') = (deadline is not null));
