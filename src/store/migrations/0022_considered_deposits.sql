-- Very many deposits to one swap: only the considered ones are read.
create index events_by_deposit on events (chain, deposit);
