-- Up to which height the chain itself called its blocks final when we had listened up to this one; null where nobody says so.
alter table blocks add column final_height bigint;
