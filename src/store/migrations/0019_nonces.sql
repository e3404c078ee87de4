-- Where a chain has nonces, only attempts from the next nonce on can be unmined: a signer with many mined ones reads only these.
alter table attempts add column nonce bigint;
update attempts set nonce = split_part(slots[1], ':', 2)::bigint where slots[1] ~ '^0x[0-9a-f]{40}:[0-9]{1,18}$';
create index attempts_by_nonce on attempts (chain, sender, nonce) where nonce is not null;
