/** Fills a database with orders whose deposit addresses the blocks of the fixture pay to, and with others that nobody ever funded. */

import { hashOf, taprootScript } from '@tandem/bitcoin/server/blocks/block.fixture.ts'
import { taprootAddressAt } from '@tandem/bitcoin/server/script/taproot-address.ts'
import { networkOf } from '@tandem/bitcoin/terms/networks.ts'
import { localChains } from '@tandem/families/registry.ts'
import { createSecp256k1Key } from '@tandem/keys/secp256k1.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import { insertOrders, type OrderToWrite } from '@tandem/party/store/orders/insert-orders.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { Swap } from '@tandem/protocol/order.ts'
import { sql } from 'kysely'
import { plainOrder } from './plain-order.ts'
import { swapKey } from './watch.fixture.ts'

/** Nine of ten orders are complete. */
const OPEN_EVERY = 10
const BATCH = 1000
const NOW = 1_700_000_000n

export function watchedChain(): Chain {
  const chain = localChains.find(({ id }) => id === 'bitcoin_regtest')
  if (chain === undefined) throw new Error('the local registry has no bitcoin_regtest')
  return chain
}

export async function seedWatched(db: Database, orders: number): Promise<void> {
  const identities = ['01', '02'].map((n) => identity(n))
  for (let from = 0; from < orders; from += BATCH) {
    await insertOrders(
      db,
      Array.from({ length: BATCH }, (_, i) => seededOrder(from + i, identities)),
    )
  }
  await sql`update orders set closed_at = now() where nonce::int % ${OPEN_EVERY} <> 0`.execute(db)
  await sql`analyze`.execute(db)
}

function identity(key: string): string {
  const { publicKey } = createSecp256k1Key(key.padStart(64, '0'))
  return Buffer.from(publicKey).toString('hex').slice(2)
}

function seededOrder(n: number, [initiator = '', redeemer = '']: readonly string[]): OrderToWrite {
  const chain = watchedChain()
  const terms = { initiator, redeemer, amount: 100_000n, secretHash: hashOf(-1 - n), timelock: 200n }
  const rest = {
    userAddress: null,
    orderKey: null,
    payer: null,
    clientKey: false,
    agreedAmount: 100_000n,
    requiredConfirmations: 1,
    mostFee: null,
  }
  const source: Swap = {
    ...rest,
    chain: chain.id,
    swapId: taprootAddressAt(taprootScript(swapKey(n)), networkOf(chain.reference)) ?? '',
    terms: { ...terms, asset: chain.nativeAsset },
  }
  const destination: Swap = {
    ...rest,
    chain: 'ethereum_localnet',
    swapId: hashOf(-1e9 - n),
    terms: { ...terms, asset: 'ethereum_localnet:wbtc' },
  }
  return {
    input: plainOrder(
      { id: hashOf(-2e9 - n), solverId: 'solver', createdAt: NOW, deadline: NOW, priceExpiresAt: NOW, source, destination },
      String(n),
    ),
    sealed: [],
  }
}

/** Orders that were closed without a deposit, in the last year. */
export async function seedClosed(db: Database, orders: number): Promise<void> {
  const { id: chain, nativeAsset } = watchedChain()
  const id = sql`md5('closed ' || n) || md5(n || ' closed')`
  await sql`insert into orders (id, app, solver_id, nonce, source_owner, destination_owner, secret_hash, deadline, price_expires_at, closed_at)
    select ${id}, app, 'solver', 'closed ' || n, source_owner, destination_owner, md5(n::text) || md5('hash ' || n), ${NOW}, ${NOW}, now()
    from generate_series(1, ${orders}::integer) as n, (select * from orders limit 1) as example`.execute(db)
  await sql`insert into swaps (order_id, leg, chain, asset, swap_id, initiator, redeemer, amount, agreed_amount, secret_hash, timelock, required_confirmations, open)
    select ${id}, 'source', ${chain}, ${nativeAsset}, 'bcrt1p' || md5('address ' || n) || md5(n || ' address'), initiator, redeemer, amount, amount,
      md5(n::text) || md5('hash ' || n), timelock, 1, false
    from generate_series(1, ${orders}::integer) as n, (select * from swaps where leg = 'source' limit 1) as example`.execute(db)
  await sql`analyze`.execute(db)
}
