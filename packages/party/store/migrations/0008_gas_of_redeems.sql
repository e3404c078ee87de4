-- The redeem also offers its recipient the gas of the order, so that the record does not show as given what another redeem was without.
alter table attempts add column offers_gas boolean not null default false;
