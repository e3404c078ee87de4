-- The source can be funded by a plain transfer to this address. It is sealed with the row, and follows from the terms and the deadline.
alter table swaps add column deposit_address text;
create index swaps_by_deposit_address on swaps (deposit_address) where deposit_address is not null;
-- What is paid too late, or twice, is looked for at the addresses of open orders.
create index swaps_taking_deposits on swaps (chain, order_id) where deposit_address is not null and open;

-- Only orders with an address are read while they wait for money. All others cost nothing.
alter table order_list add column takes_deposits boolean not null default false;
create index order_list_taking_deposits on order_list (from_chain, deadline, seq)
  where takes_deposits and status in ('created', 'initiate_detected');
