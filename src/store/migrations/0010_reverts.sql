-- Transactions that reverted at our expense, to limit what we pay for an initiator whose relays revert.

alter table attempts add column reverted_at timestamptz;
create index attempts_reverted on attempts (reverted_at) where reverted_at is not null;
create index swaps_by_initiator on swaps (chain, initiator) where leg = 'source';
-- Finds recent sponsored grants among all grants.
create index grants_sponsored on grants (created_at) where kind = 'initiate' and sponsor is not null;

-- Open orders in sequence: the cost of a scan depends on the open orders only, not on the closed ones.
create index orders_open_by_seq on orders (seq) where closed_at is null;
