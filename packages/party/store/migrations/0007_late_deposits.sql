-- What is paid too late, or twice, is looked for first where money was seen: a swap counts as funded from then on, too. No stranger makes many of these for nothing.
drop index swaps_taking_deposits;
create index swaps_with_deposits on swaps (chain, order_id) where deposit_address is not null and open and funded;

-- Expired orders without money are free to make, and are read by their age.
drop index order_list_taking_deposits;
create index order_list_taking_deposits on order_list (from_chain, deadline, seq)
  where takes_deposits and status in ('created', 'initiate_detected', 'expired');
