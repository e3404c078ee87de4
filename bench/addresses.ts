/** The requests that orders at unfunded addresses cost: on chains with accounts, where addresses are asked for, against Bitcoin, where blocks are read. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LocalChain } from '@tandem/chain-kit/local/local-chain.ts'
import { loadLocalFamily } from '@tandem/families/local.ts'
import { chooseChains } from '@tandem/local/choose-chains.ts'
import { createLocalKeys } from '@tandem/local/local-keys.ts'
import { startLocalStack } from '@tandem/local/stack.ts'
import { type Database, openDatabase } from '@tandem/party/store/database/database.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'
import { createLogger } from '@tandem/runtime/log.ts'
import { CompiledQuery } from 'kysely'
import { createLocalClient, type LocalClient } from '../demo/client/local-client.ts'
import { type Bench, type Size, withCommas } from './bench.ts'
import { type CountingProxy, startCountingProxy } from './rpc/counting-proxy.ts'
import { withDatabase } from './with-database.ts'

const SIZES = {
  full: { addresses: [1, 100, 1_000, 10_000], seconds: 30 },
  smallest: { addresses: [1, 100], seconds: 1 },
} satisfies Record<Size, { readonly addresses: readonly number[]; readonly seconds: number }>

const BITCOIN = 'bitcoin_regtest'
/** Each has one asset, so all its addresses are read together. */
const SOURCES = [
  { chain: BITCOIN, asset: `${BITCOIN}:btc`, amount: 1_000_000n },
  { chain: 'ethereum_localnet', asset: 'ethereum_localnet:eth', amount: 400_000_000_000_000_000n },
  { chain: 'solana_localnet', asset: 'solana_localnet:sol', amount: 1_000_000_000n },
] as const
const DESTINATION = 'arbitrum_localnet:usdc'

/** On Bitcoin an address costs nothing, because blocks are read whole. Elsewhere all of them together may add this share of all that Bitcoin takes. */
const MAX_ADDED = 1

type Row = {
  readonly chain: ChainId
  readonly addresses: number
  readonly perMinute: number
  /** These ask what lies at addresses. */
  readonly forAddresses: number
}

const ASKING = ['eth_call', 'getMultipleAccounts']

function measureAddresses(size: Size, onProgress: (what: string) => void): Promise<readonly Row[]> {
  return withDatabase('addresses', async ({ createDatabase, atEnd }) => {
    const folder = await mkdtemp(join(tmpdir(), 'tandem-addresses-'))
    atEnd(() => rm(folder, { recursive: true, force: true }))
    onProgress('starting the local stack')
    const proxies = new Map<ChainId, CountingProxy>()
    const runningChains: Record<ChainId, LocalChain> = {}
    const keys = createLocalKeys()
    for (const chain of chooseChains(SOURCES.map((source) => source.chain))) {
      const family = await loadLocalFamily(chain.family)
      const faucetKey = chain.family === 'solana' ? keys.faucet.ed25519 : keys.faucet.secp256k1
      const started = await family.start(chain, { faucetKey, mining: 'instant' })
      const proxy = await startCountingProxy(started.endpoints.rpc ?? '')
      atEnd(proxy.close)
      proxies.set(chain.id, proxy)
      runningChains[chain.id] = { ...started, endpoints: { ...started.endpoints, rpc: proxy.url } }
    }
    const [serviceUrl, solverUrl] = [await createDatabase('service'), await createDatabase('solver')]
    const stack = await startLocalStack({
      folder,
      port: 0,
      log: createLogger({ name: 'addresses', level: 'silent' }),
      chains: [...SOURCES.map((source) => source.chain), 'arbitrum_localnet'],
      mining: 'instant',
      runningChains,
      databases: { serviceUrl, solverUrls: [solverUrl], close: async () => undefined },
    })
    atEnd(stack.stop)
    const db = await openDatabase(serviceUrl)
    atEnd(() => db.destroy())
    const client = createLocalClient(stack.info)
    const made = await Promise.all(SOURCES.map((source) => order(client, source)))

    const { addresses, seconds } = SIZES[size]
    const rows: Row[] = []
    let before = 1
    for (const count of addresses) {
      onProgress(`${withCommas(count)} addresses on each chain`)
      for (const id of made) await copyOrder(db, id, { from: before, to: count - 1 })
      before = count
      // After an order was made, chains are polled faster for a while.
      await sleep(seconds * 1000)
      for (const proxy of proxies.values()) proxy.take()
      await sleep(seconds * 1000)
      for (const { chain } of SOURCES) {
        const { calls = 0, byMethod = new Map<string, number>() } = proxies.get(chain)?.take() ?? {}
        const perMinute = (n: number) => Math.round((n * 60) / seconds)
        const forAddresses = ASKING.reduce((sum, method) => sum + (byMethod.get(method) ?? 0), 0)
        rows.push({ chain, addresses: count, perMinute: perMinute(calls), forAddresses: perMinute(forAddresses) })
      }
    }
    return rows
  })
}

async function order(client: LocalClient, { chain, asset, amount }: (typeof SOURCES)[number]): Promise<string> {
  const quote = await client.api.quote({ from: asset, to: DESTINATION, from_amount: amount.toString() })
  const made = await client.api.createOrder({
    source: { asset, owner: client.ownerOf(asset), amount: quote.source.amount },
    destination: { asset: DESTINATION, owner: client.ownerOf(DESTINATION), amount: quote.destination.amount },
    ...(chain !== BITCOIN && { deposit: 'address' }),
  })
  return made.order_id
}

/** Copies differ in their secret hash, hence in their address. Nobody pays them, so no seal is read. */
async function copyOrder(db: Database, id: string, { from, to }: { readonly from: number; readonly to: number }): Promise<void> {
  const hash = (of: string) => `md5('${of} ${id} ' || n) || md5(n || ' ${id} ${of}')`
  const copy = (table: string, key: string, changed: string) => `
    insert into ${table} overriding system value
    select (jsonb_populate_record(old, jsonb_build_object(${changed}))).* from ${table} as old, generate_series(${from}, ${to}) as n
    where old.${key} = '${id}'`
  const seq = `'seq', (select max(seq) from orders) + n`
  for (const text of [
    copy('orders', 'id', `'id', ${hash('id')}, ${seq}, 'nonce', ${hash('id')}, 'secret_hash', ${hash('secret')}, 'created_at', now()`),
    copy(
      'swaps',
      'order_id',
      `'order_id', ${hash('id')}, 'swap_id', md5(old.leg || n) || md5(n || '${id}'), 'secret_hash', ${hash('secret')}`,
    ),
    copy('order_list', 'order_id', `'order_id', ${hash('id')}, 'seq', (select seq from orders where orders.id = ${hash('id')})`),
    `select setval(pg_get_serial_sequence('orders', 'seq'), (select max(seq) from orders))`,
  ])
    await db.executeQuery(CompiledQuery.raw(text))
}

export const addressesBench: Bench = {
  name: 'addresses',
  about: 'requests to the nodes with up to 10,000 unfunded addresses, against Bitcoin',
  conditions: `A local stack with blocks every second, and ${SIZES.full.seconds} s of counting by a proxy in front of each node; both parties. On each chain one order is made, and copied in the database of the service: each copy has another address, nobody pays any, and the newest are half a minute old. Bitcoin: an address of an order is found in the blocks and the mempool, which are read whole. Ethereum and Solana: the newest 200 addresses and the next older 200 are asked for in each poll, 500 in a call of the HTLC, 100 in a request on Solana; an order is asked for less often the longer it waits. Growth: of all calls, against one address; on a chain that asks for addresses it is more than on Bitcoin, by up to one call a second, or four on Solana. Added: the calls beyond those with one address, whatever they ask, against all calls to the node of Bitcoin in the same time.`,
  async run({ size, onProgress }) {
    const rows = await measureAddresses(size, onProgress)
    const at = (chain: string, addresses: number) => rows.find((row) => row.chain === chain && row.addresses === addresses)
    const growth = ({ chain, perMinute }: Row) => perMinute / (at(chain, 1)?.perMinute ?? 0)
    const added = ({ chain, addresses, perMinute }: Row) =>
      (perMinute - (at(chain, 1)?.perMinute ?? 0)) / (at(BITCOIN, addresses)?.perMinute ?? 0)
    return {
      ok: rows.every((row) => added(row) <= MAX_ADDED),
      table: {
        columns: ['chain', 'unfunded addresses', 'calls a minute', 'growth', 'for addresses', 'added / all of Bitcoin', 'limit'],
        rows: rows.map((row) => [
          row.chain,
          withCommas(row.addresses),
          row.perMinute,
          growth(row).toFixed(2),
          row.forAddresses,
          row.chain === BITCOIN ? '–' : added(row).toFixed(2),
          row.chain === BITCOIN ? '–' : MAX_ADDED,
        ]),
      },
    }
  },
}
