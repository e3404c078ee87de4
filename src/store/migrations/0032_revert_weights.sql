-- How many usual relays the fee of a reverted one would have paid for: an account that burns gas uses up more of the app's budget.
alter table attempts add column reverted_weight smallint not null default 1;
