-- The redeem also gives the user this much of the chain's coin, in the smallest unit. It is sealed with the row.
alter table swaps add column gas numeric;
