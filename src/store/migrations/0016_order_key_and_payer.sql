-- `delegate` was either the order key (the user's party in the terms) or the account that pays in the owner's place.
alter table swaps add column order_key text, add column payer text;
update swaps set order_key = delegate where delegate = case leg when 'source' then initiator else redeemer end;
update swaps set payer = delegate where order_key is null;
alter table swaps drop column delegate;
