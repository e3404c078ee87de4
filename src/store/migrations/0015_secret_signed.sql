-- A redeem that holds the secret is signed and recorded. Whether a node may have it is `secret_shown_at`.
alter table orders rename column secret_released_at to secret_signed_at;
