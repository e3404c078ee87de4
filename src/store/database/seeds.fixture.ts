/** Example rows for each table, inserted right after the migration that makes it, in the columns that it has then. A new table needs a row here. */

const ORDERS = ['user', 'solver'] as const

/** One order of a service, with an app, and one of a solver; both are funded and have signed transactions. */
const core = ORDERS.map(
  (owner) => `
  ${owner === 'user' ? "insert into apps (name, id_hash) values ('shop', 'hash of the id');" : ''}
  insert into orders (id, app, solver_id, nonce, source_owner, destination_owner, secret_hash, deadline, secret_released_at, secret_shown_at)
    values ('order of ${owner}', ${owner === 'user' ? "'shop'" : 'null'}, 'solver', 'n', 'alice', 'bob', 'hash of ${owner}', 1800000000, now(), now());
  insert into swaps (order_id, leg, chain, asset, swap_id, initiator, redeemer, amount, secret_hash, timelock, delegate, required_confirmations) values
    ('order of ${owner}', 'source', 'a', 'a:coin', 'source of ${owner}', 'alice', 'solver', 100, 'hash of ${owner}', 200, 'alice', 1),
    ('order of ${owner}', 'destination', 'b', 'b:coin', 'destination of ${owner}', 'solver', 'bob', 99, 'hash of ${owner}', 100, 'payer', 1);
  insert into sealed_values values ('order of ${owner}', 'secret', 'sealed');
  insert into grants (order_id, kind, signature) values ('order of ${owner}', 'initiate', ${owner === 'user' ? "'deposit until 1800000000'" : "'signed'"});
  insert into events (chain, tx, index, swap_id, kind, deposit, amount, block_height, block_hash, block_time)
    values ('a', 'tx of ${owner}', '0', 'source of ${owner}', 'initiated', 'deposit', 100, 10, 'a10', 1700000000);
  insert into actions (key, order_id, leg, verb, wanted) values ('redeem of ${owner}', 'order of ${owner}', 'destination', 'redeem', true);
  insert into attempts (action_key, number, chain, sender, tx, raw, slots, fee_rate)
    values ('redeem of ${owner}', 1, 'b', 'solver', 'redeem of ${owner}', 'raw', '{${owner === 'user' ? '0x1111111111111111111111111111111111111111:7' : 'expires:9'}}', 1);`,
).join('\n')

export const seeds: ReadonlyMap<string, string> = new Map([
  [
    '0001_core.sql',
    `${core}
    insert into blocks (chain, height, hash, parent_hash, time) values ('a', 10, 'a10', 'a9', 1700000000), ('b', 20, 'b20', 'b19', 1700000000);
    insert into leases values ('watcher of a', 'engine', now());`,
  ],
  [
    '0002_solver.sql',
    `insert into quotes values ('quote', 'a:coin', 'b:coin', 100, 99, 0, 1800000000);
    insert into commitments (order_id, way) values ('order of solver', 'locked');`,
  ],
  [
    '0004_order_list.sql',
    `insert into order_counts values ('*', '*', '*', '*', '*', 0, 1);
    insert into order_volumes values ('*', '*', 0, 1, 1000000, 1000);
    insert into projections (name, version) values ('order_list', 1);`,
  ],
  [
    '0007_fills.sql',
    `insert into fills (order_id, deposits, block_hash, destination_amount, signature) values ('order of solver', '{deposit}', 'a10', 99, 'signed');
    insert into cosigned_redeems (order_id, transaction) values ('order of solver', 'signed by both');
    insert into refund_proposals (order_id, deposit, amount, pays_to, pays) values ('order of user', 'deposit', 100, 'alice', 99);`,
  ],
  ['0014_prefunds.sql', "insert into prefunds values ('order of user', 50, now());"],
  ['0018_polls.sql', "insert into polls values ('a', 'a10', now());"],
  ['0020_touched_orders.sql', "insert into order_clocks (order_id, clock, since, until) values ('order of user', 'now', 1, 2);"],
  ['0021_inventory_marks.sql', "insert into inventory_marks (order_id) values ('order of solver');"],
  ['0028_signing_counts.sql', "insert into signing_counts values ('order of user', 3, now());"],
  ['0033_risk.sql', "insert into halts (scope, cause, reason) values ('a', 'operator', 'maintenance');"],
  [
    '0034_ledger.sql',
    `insert into ledger (order_id, seq, app, solver_id, from_chain, to_chain, created_at, volume, fees)
      values ('order of user', 1, 'shop', 'solver', 'a', 'b', 1700000000, 1000000, 1000);
    insert into ledger_shares values ('order of user', 1, 'affiliate', 'a:coin', 1, 1);
    insert into affiliate_totals values ('shop', 'affiliate', 'a:coin', 1, 1, 1);
    insert into ledger_changes values ('a', 'b', 0, 1, 1000000, 1000);
    insert into order_volumes values ('*', '*', 0, 1, 1000000, 1000) on conflict do nothing;`,
  ],
  ['0035_price_records.sql', "insert into price_records values ('BTC', now(), 1, null, '[]');"],
  [
    '0036_paid_refunds.sql',
    "insert into paid_refunds (order_id, chain, owner, app, usd_micros) values ('order of user', 'a', 'alice', 'shop', 1);",
  ],
  [
    '0037_failed_payouts.sql',
    "insert into failed_payouts (order_id, chain, recipient, owner, app, weight) values ('order of user', 'b', 'bob', 'alice', 'shop', 1);",
  ],
  ['0039_customers.sql', "insert into quote_counts values ('shop', 0, 1, 1);"],
  [
    '0040_order_events.sql',
    `insert into status_changes (app, order_id, status) values ('shop', 'order of user', 'created');
    insert into order_events (app, order_id, status, at) values ('shop', 'order of user', 'created', now());`,
  ],
  [
    '0041_webhooks.sql',
    `insert into webhooks (id, app, url, secret) values ('hook', 'shop', 'https://shop.example', 'sealed');
    insert into webhook_deliveries (webhook_id, order_id, status, at) values ('hook', 'order of user', 'created', now());`,
  ],
  [
    '0045_rollbacks.sql',
    `insert into release_logs (id) values ('log');
    insert into rollbacks (id, reason, newest_order) values ('rollback', 'an attempt is missing', 2);`,
  ],
  [
    '0046_operators.sql',
    `insert into operator_tokens (id, name, secret_hash, may_write) values ('token', 'ann', 'hash', false);
    insert into operator_sessions values ('hash', 'token', now());`,
  ],
  ['0048_engine_reports.sql', `insert into relay_keys values ('secp256k1', '02ab');`],
  [
    '0052_paid_in_shares.sql',
    `insert into solver_payments (solver_id, reference, usd) values ('solver', 'invoice 1', 1);
    insert into signed_claims values ('a', '0x01', 'a:coin', 'affiliate', 2, 1);`,
  ],
  ['0049_solver_keys.sql', `insert into solver_keys (solver_id, chain, public_key) values ('solver', 'a', 'ab');`],
  ['0057_database_owner.sql', `insert into database_owner (party, vault_check) values ('service', 'ab');`],
])
