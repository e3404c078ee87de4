-- When an initiation expires, on the clock of its chain. Null for events from before: they expire by the terms of their swap.
alter table events add column expires_at bigint;
