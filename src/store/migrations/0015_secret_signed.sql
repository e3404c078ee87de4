-- When a redeem that shows the secret was signed and recorded. `secret_shown_at` is when a node may have received it.
alter table orders rename column secret_released_at to secret_signed_at;
