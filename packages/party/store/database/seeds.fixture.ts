/** Example rows for each table, inserted right after the migration that makes it. A new table needs a row here. */

const ORDERS = ['user', 'solver'] as const

/** One order of a service with an app, and one order of a solver; both are funded and have signed transactions. */
const orders = ORDERS.map(
  (owner) => `
  insert into orders (id, app, solver_id, nonce, source_owner, destination_owner, secret_hash, deadline, price_expires_at, secret_signed_at)
    values ('order of ${owner}', ${owner === 'user' ? "'shop'" : 'null'}, 'solver', 'n', 'alice', 'bob', 'hash of ${owner}', 1800000000, 1800000000, now());
  insert into swaps (
    order_id, leg, chain, asset, swap_id, initiator, redeemer, amount, agreed_amount, secret_hash, timelock, order_key, payer, required_confirmations
  ) values
    ('order of ${owner}', 'source', 'a', 'a:coin', 'source of ${owner}', 'alice', 'solver', 100, 100, 'hash of ${owner}', 200, 'alice', null, 1),
    ('order of ${owner}', 'destination', 'b', 'b:coin', 'destination of ${owner}', 'solver', 'bob', 99, 99, 'hash of ${owner}', 100, null, 'payer', 1);
  insert into sealed_values values ('order of ${owner}', 'secret', 'sealed');
  insert into grants (order_id, kind, leg, consent, signature) values ('order of ${owner}', 'initiate', 'source', 'signature', 'signed');
  insert into events (chain, tx, index, swap_id, kind, deposit, amount, block_height, block_hash, block_time)
    values ('a', 'tx of ${owner}', '0', 'source of ${owner}', 'initiated', 'deposit', 100, 10, 'a10', 1700000000);
  insert into actions (key, order_id, leg, verb, wanted) values ('redeem of ${owner}', 'order of ${owner}', 'destination', 'redeem', true);
  insert into attempts (action_key, number, chain, sender, tx, raw, slots, nonce, fee_rate)
    values ('redeem of ${owner}', 1, 'b', 'solver', 'redeem of ${owner}', 'raw', '{0x11:7}', 7, 1);`,
)

export const seeds: ReadonlyMap<string, string> = new Map([
  [
    '0001_baseline.sql',
    `insert into database_owner (party, vault_check) values ('service', 'ab');
    insert into release_logs (id) values ('log');
    insert into rollbacks (id, reason, newest_order) values ('rollback', 'an attempt is missing', 2);
    insert into apps (name, id_hash) values ('shop', 'hash of the id');
    insert into operator_tokens (id, name, secret_hash, may_write) values ('token', 'ann', 'hash', false);
    insert into operator_sessions values ('hash', 'token', now());
    ${orders.join('\n')}
    insert into blocks (chain, height, hash, parent_hash, time) values ('a', 10, 'a10', 'a9', 1700000000), ('b', 20, 'b20', 'b19', 1700000000);
    insert into polls values ('a', 'a10', now());
    insert into prefunds values ('order of user', 50, now());
    insert into fills (order_id, deposits, block_hash, destination_amount, signature) values ('order of solver', '{deposit}', 'a10', 99, 'signed');
    insert into refund_proposals (order_id, deposit, amount, pays_to, pays) values ('order of user', 'deposit', 100, 'alice', 99);
    insert into paid_refunds (order_id, chain, owner, app, usd_micros) values ('order of user', 'a', 'alice', 'shop', 1);
    insert into failed_payouts (order_id, chain, recipient, owner, app, weight) values ('order of user', 'b', 'bob', 'alice', 'shop', 1);
    insert into signing_counts values ('order of user', 3, now());
    insert into solver_keys (solver_id, chain, public_key) values ('solver', 'a', 'ab');
    insert into leases (name, holder, until) values ('watcher of a', 'engine', now());
    insert into relay_keys values ('secp256k1', '02ab');
    insert into touched_orders (order_id) values ('order of user');
    insert into order_clocks (order_id, clock, since, until) values ('order of user', 'now', 1, 2);
    insert into order_list select seq, id, app, solver_id, 'a', 'b', source_owner, destination_owner, 'created', deadline, 1700000000, 1000000, 1000
      from orders where app is not null;
    insert into order_counts values ('*', '*', '*', '*', '*', 0, 1);
    insert into order_events (app, order_id, status, at) values ('shop', 'order of user', 'created', now());
    insert into webhooks (id, app, url, secret) values ('hook', 'shop', 'https://shop.example', 'sealed');
    insert into webhook_deliveries (webhook_id, order_id, status, at) values ('hook', 'order of user', 'created', now());
    insert into ledger (order_id, seq, app, solver_id, from_chain, to_chain, created_at, volume, fees)
      values ('order of user', 1, 'shop', 'solver', 'a', 'b', 1700000000, 1000000, 1000);
    insert into ledger_shares values ('order of user', 1, 'affiliate', 'a:coin', 1, 1);
    insert into affiliate_totals values ('shop', 'affiliate', 'a:coin', 1, 1, 1);
    insert into order_volumes values ('*', '*', 0, 1, 1000000, 1000);
    insert into ledger_changes values ('a', 'b', 0, 1, 1000000, 1000);
    insert into solver_payments (solver_id, reference, usd) values ('solver', 'invoice 1', 1);
    insert into signed_claims values ('a', '0x01', 'a:coin', 'affiliate', 2, 1);
    insert into price_records values ('BTC', now(), 1, null, '[]');
    insert into quotes values ('quote', 'a:coin', 'b:coin', 100, 99, 0, 1800000000);
    insert into quote_counts values ('shop', 0, 1, 1);
    insert into commitments (order_id, way) values ('order of solver', 'locked');
    insert into cosigned_redeems (order_id, transaction) values ('order of solver', 'signed by both');
    insert into halts (scope, cause, reason) values ('a', 'operator', 'maintenance');
    insert into order_risks (order_id, app, owner, pair, usd_micros, created_at, deadline)
      values ('order of solver', '', '', 'a:coin->b:coin', 1, 1700000000, 1800000000);
    insert into reservations (order_id, asset, amount) values ('order of solver', 'b:coin', 99);
    insert into inventory_marks (order_id) values ('order of solver');`,
  ],
  [
    '0006_withdrawals.sql',
    `insert into actions (key, order_id, leg, chain, verb, wanted) values ('withdrawal/1', null, null, 'b', 'withdraw', true);
    insert into withdrawals (id, action_key, asset, recipient, amount) values ('1', 'withdrawal/1', 'b:coin', '0x01', 5);`,
  ],
])
