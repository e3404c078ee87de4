-- When an initiation expires, on the clock of its chain. Null for older events: their expiry follows from the terms of the swap.
alter table events add column expires_at bigint;
