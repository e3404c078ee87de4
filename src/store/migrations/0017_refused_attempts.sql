-- Whether a node may have the secret follows from the attempts: one that contains it counts as shown unless every node refused it.
alter table attempts add column holds_secret boolean not null default false;
alter table attempts add column refused_at timestamptz;
-- Older records do not tell a refusal from a crash after the broadcast: all of them count as shown.
update attempts set holds_secret = true
from actions join orders on orders.id = actions.order_id
where actions.key = attempts.action_key and actions.leg = 'destination' and actions.verb = 'redeem' and orders.secret_signed_at is not null;
alter table orders drop column secret_shown_at;
