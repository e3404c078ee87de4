-- The chain's final height when this block was recorded; null on chains without a finality tag.
alter table blocks add column final_height bigint;
