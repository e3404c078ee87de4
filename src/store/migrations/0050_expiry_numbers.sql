-- Attempts whose only slot is their expiry have it as their nonce too, by which they are found. Nobody reads older ones than two days.
update attempts set nonce = split_part(slots[1], ':', 2)::bigint
where nonce is null and array_length(slots, 1) = 1 and slots[1] ~ '^expires:[0-9]{1,18}$' and at > now() - interval '2 days';
