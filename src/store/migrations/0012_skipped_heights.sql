-- Where heights may skip: which block of the chain it is, counted without gaps. Confirmations are counted in blocks, not in heights.
alter table blocks add column ordinal bigint;
alter table events add column block_ordinal bigint;
