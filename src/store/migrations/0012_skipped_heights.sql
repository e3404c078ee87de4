-- On chains that skip heights: the number of the block, counted without gaps. Confirmations count blocks, not heights.
alter table blocks add column ordinal bigint;
alter table events add column block_ordinal bigint;
