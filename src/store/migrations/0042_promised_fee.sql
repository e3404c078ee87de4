-- The most that the recipient of a payout bears of its network fee, as it was told; null: nothing was promised.
alter table swaps add column most_fee numeric(78, 0);
