-- What a solver has in flight: orders that it reserved inventory for and that are not closed. Their redeems must be payable, and their sources may be unfinal.

alter table order_risks
  -- Inventory was granted to it, at some time.
  add column reserved boolean not null default false,
  -- The network fees of its redeem, and the limits of what is at risk at once, allowed it.
  add column admitted boolean not null default false;

update order_risks set reserved = true from reservations where reservations.order_id = order_risks.order_id;
update order_risks set admitted = true from commitments where commitments.order_id = order_risks.order_id and way = 'locked';
create index order_risks_in_flight on order_risks (order_id) where reserved and not closed;
