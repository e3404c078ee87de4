-- Where a key is the user's party, an order is searched by that key and by the address that its money goes to.
create index swaps_by_order_key on swaps (order_key) where order_key is not null;
create index swaps_by_user_address on swaps (user_address) where order_key is not null or client_key;
