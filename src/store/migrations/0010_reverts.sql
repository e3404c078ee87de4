-- What failed on a chain at our expense, so that whoever makes that happen is not paid for without end.

alter table attempts add column reverted_at timestamptz;
create index attempts_reverted on attempts (reverted_at) where reverted_at is not null;
create index swaps_by_initiator on swaps (chain, initiator) where leg = 'source';

-- Nobody has chosen to be without a limit by choosing nothing.
alter table apps alter column sponsored_per_day set default 200;
update apps set sponsored_per_day = 200 where sponsored_per_day is null;
