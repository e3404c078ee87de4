-- What failed on a chain at our expense, so that whoever makes that happen is not paid for without end.

alter table attempts add column reverted_at timestamptz;
create index attempts_reverted on attempts (reverted_at) where reverted_at is not null;
create index swaps_by_initiator on swaps (chain, initiator) where leg = 'source';
-- What was promised lately, among all that ever was.
create index grants_sponsored on grants (created_at) where kind = 'initiate' and sponsor is not null;

-- Open orders in sequence: however many are closed, a round through them costs what the open ones cost.
create index orders_open_by_seq on orders (seq) where closed_at is null;
