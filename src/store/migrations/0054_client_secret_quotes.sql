-- Quotes whose price includes that the client may keep the secret of the order.
alter table quotes add column client_secret boolean not null default false;
