/** A database is filled with open orders that wait: unfunded, underpaid, or paid on both sides and without the client's secret. */

const DAY = 86_400
/** The height is below the first blocks of the chains in memory. */
const HEIGHT = 1_000

const hash = (words: string) => `md5('${words} ' || n) || md5(n || ' ${words}')`

/** Two of four are unfunded, one is underpaid on a UTXO chain, one waits for its client. No action is wanted for any of them. */
const rows = (orders: number) => `
  create temporary table seeded on commit drop as
  select n, ${hash('open order')} as id, ${hash('open secret')} as secret_hash, n % 4 as kind,
    case when n % 4 = 3 then 'bitcoin_regtest' else 'ethereum_localnet' end as from_chain, 'arbitrum_localnet' as to_chain
  from generate_series(1, ${orders}) as n`

const swaps = (leg: 'source' | 'destination', days: number) => `
  insert into swaps (
    order_id, leg, chain, asset, swap_id, initiator, redeemer, amount, agreed_amount, secret_hash, timelock, required_confirmations
  ) select id, '${leg}', ${leg === 'source' ? 'from' : 'to'}_chain, ${leg === 'source' ? 'from' : 'to'}_chain || ':coin', ${hash(`open ${leg}`)},
    'initiator', 'redeemer', 1000000, 1000000, secret_hash, ${days * DAY}, 1
  from seeded`

const deposits = (leg: 'source' | 'destination', now: bigint, where: string, amount: number) => `
  insert into events (chain, tx, index, swap_id, kind, deposit, amount, block_height, block_hash, block_time)
  select ${leg === 'source' ? 'from' : 'to'}_chain, ${hash(`open ${leg} tx`)}, 'log:0', ${hash(`open ${leg}`)}, 'initiated', '${leg} ' || n,
    ${amount}, ${HEIGHT}, 'seeded', ${now - 300n}
  from seeded where ${where}`

const fill = (now: bigint, app: string) => [
  `insert into orders (
    id, app, solver_id, nonce, source_owner, destination_owner, secret_hash, deadline, price_expires_at, client_secret
  ) select id, '${app}', 'solver', id, 'from ' || n, 'to ' || n, secret_hash, ${now} + ${DAY}, ${now} + ${DAY}, true from seeded`,
  swaps('source', 60),
  swaps('destination', 7),
  deposits('source', now, 'kind = 3', 500_000),
  deposits('source', now, 'kind = 2', 1_000_000),
  deposits('destination', now, 'kind = 2', 1_000_000),
  `insert into order_list select orders.seq, seeded.id, '${app}', 'solver', from_chain, to_chain, 'from ' || n, 'to ' || n, 'created',
    ${now} + ${DAY}, ${now}, 1, 1 from seeded join orders using (id)`,
  `insert into touched_orders (order_id) select id from seeded where kind in (2, 3)`,
]

/** This runs within `seedOrders`, while the tables have no triggers. */
export async function seedOpenOrders(
  run: (text: string) => Promise<unknown>,
  seed: { readonly orders: number; readonly now: bigint; readonly app: string },
): Promise<void> {
  await run('begin')
  await run(rows(seed.orders))
  for (const text of fill(seed.now, seed.app)) await run(text)
  await run('commit')
}
