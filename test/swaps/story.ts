/** Sets the stage for a story: a whole local stack of its own, and a user who swaps through the public interface only. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ApiClient, type CreatedOrder, createApiClient, type OrderRecord } from '../../demo/client/api-client.ts'
import { type BitcoinWallet, createBitcoinWallet } from '../../demo/client/bitcoin-wallet.ts'
import { createEvmWallet, type EvmWallet } from '../../demo/client/evm-wallet.ts'
import type { EvmChainName, LocalMining } from '../../src/local/local-network.ts'
import { type LocalStack, startLocalStack } from '../../src/local/stack.ts'
import { createLogger } from '../../src/log.ts'
import { openDatabase } from '../../src/store/database.ts'
import { findOrder } from '../../src/store/orders.ts'
import { createTestDatabase } from '../database.ts'

export interface Story {
  readonly stack: LocalStack
  readonly api: ApiClient
  readonly bitcoin: BitcoinWallet
  readonly evm: Readonly<Record<EvmChainName, EvmWallet>>
  /** The token contract of an asset. */
  tokenOf(asset: string): string
  /** Quotes and creates in one go, as the user of the first wallet. */
  order(from: string, to: string, fromAmount: bigint): Promise<CreatedOrder>
  /** Polls the public record until it says so; fails with the whole record after a while. */
  until(orderId: string, what: string, isTrue: (order: OrderRecord) => boolean): Promise<OrderRecord>
  untilStatus(orderId: string, ...statuses: readonly string[]): Promise<OrderRecord>
  /** Money the user has, by asset: the native coin where there is no token. */
  balance(asset: string): Promise<bigint>
  /** Has the service's copy of the secret ever been allowed out? */
  secretReleased(orderId: string): Promise<boolean>
  /** Transactions a party has signed for an order so far: `redeem destination` → hashes. */
  signed(party: 'service' | 'solver', orderId: string): Promise<ReadonlyMap<string, readonly string[]>>
  /** What a party has seen in blocks: `destination initiated`, `source redeemed`, … */
  seen(party: 'service' | 'solver', orderId: string): Promise<ReadonlySet<string>>
  /** Polls anything else until it is true. */
  eventually(what: string, isTrue: () => Promise<boolean>): Promise<void>
  /** Moves an EVM chain's clock. */
  passTime(chain: EvmChainName, seconds: number): Promise<void>
  close(): Promise<void>
}

const PATIENCE_MS = 45_000

/** Blocks come at once, so that a story takes no longer than what it tells. */
const INSTANT: LocalMining = { bitcoin: { mode: 'instant' }, evm: { kind: 'instant' } }

export async function openStory(options: { readonly mining?: LocalMining } = {}): Promise<Story> {
  const folder = await mkdtemp(join(tmpdir(), 'tandem-story-'))
  const [serviceDatabase, solverDatabase] = await Promise.all([createTestDatabase(), createTestDatabase()])
  const log = createLogger({ name: 'story', level: process.env.TANDEM_STORY_LOG === undefined ? 'silent' : 'info' })
  const stack = await startLocalStack({
    folder,
    port: 0,
    log,
    mining: options.mining ?? INSTANT,
    databases: { serviceUrl: serviceDatabase.url, solverUrl: solverDatabase.url, close: async () => undefined },
  })
  const { info } = stack
  const databases = { service: await openDatabase(serviceDatabase.url), solver: await openDatabase(solverDatabase.url) }
  const api = createApiClient({ baseUrl: info.base_url, appId: info.app_id })
  const walletKey = (family: string) => info.wallets.find((wallet) => wallet.family === family)?.private_key ?? ''
  const chainInfo = (id: string) => info.chains[id] ?? fail(`no chain ${id}`)
  const evmWallet = (id: EvmChainName) =>
    createEvmWallet({ rpcUrl: chainInfo(id).rpc_url, chainId: chainInfo(id).chain_id ?? 0, privateKey: walletKey('evm') })
  const bitcoin = createBitcoinWallet({ esploraUrl: chainInfo('bitcoin_regtest').esplora_url ?? '', privateKey: walletKey('bitcoin') })
  const evm = { ethereum_localnet: evmWallet('ethereum_localnet'), arbitrum_localnet: evmWallet('arbitrum_localnet') }
  const chainOf = (asset: string) => asset.split(':')[0] ?? ''
  const isBitcoin = (asset: string) => chainOf(asset) === 'bitcoin_regtest'
  const ownerOn = (asset: string) => (isBitcoin(asset) ? bitcoin.address : evm[chainOf(asset) as EvmChainName].address)
  const tokenOf = (asset: string) => chainInfo(chainOf(asset)).assets[asset]?.token ?? fail(`${asset} has no token`)

  async function eventually(what: string, isTrue: () => Promise<boolean>): Promise<void> {
    const end = Date.now() + PATIENCE_MS
    while (!(await isTrue())) {
      if (Date.now() > end) throw new Error(`waited in vain for ${what}`)
      await sleep(50)
    }
  }

  async function until(orderId: string, what: string, isTrue: (order: OrderRecord) => boolean): Promise<OrderRecord> {
    const end = Date.now() + PATIENCE_MS
    for (;;) {
      const order = await api.order(orderId)
      if (isTrue(order)) return order
      if (Date.now() > end) throw new Error(`waited in vain for ${what}; the order is ${JSON.stringify(order, null, 2)}`)
      await sleep(50)
    }
  }

  return {
    stack,
    api,
    bitcoin,
    evm,
    tokenOf,
    async order(from, to, fromAmount) {
      const quote = await api.quote({ from, to, from_amount: fromAmount.toString() })
      return api.createOrder({
        source: { asset: from, owner: ownerOn(from), amount: quote.source.amount },
        destination: { asset: to, owner: ownerOn(to), amount: quote.destination.amount },
      })
    },
    until,
    untilStatus: (orderId, ...statuses) => until(orderId, statuses.join(' or '), (order) => statuses.includes(order.status)),
    balance(asset) {
      if (isBitcoin(asset)) return bitcoin.balance(bitcoin.address)
      const wallet = evm[chainOf(asset) as EvmChainName]
      return wallet.balance(wallet.address, chainInfo(chainOf(asset)).assets[asset]?.token)
    },
    eventually,
    async secretReleased(orderId) {
      return (await findOrder(databases.service, orderId))?.secretReleased ?? false
    },
    async seen(party, orderId) {
      const rows = await databases[party]
        .selectFrom('events')
        .innerJoin('swaps', (join) => join.onRef('swaps.chain', '=', 'events.chain').onRef('swaps.swap_id', '=', 'events.swap_id'))
        .select(['swaps.leg', 'events.kind'])
        .where('swaps.order_id', '=', orderId)
        .where('events.block_height', 'is not', null)
        .execute()
      return new Set(rows.map(({ leg, kind }) => `${leg} ${kind}`))
    },
    async signed(party, orderId) {
      const rows = await databases[party]
        .selectFrom('attempts')
        .innerJoin('actions', 'actions.key', 'attempts.action_key')
        .select(['actions.verb', 'actions.leg', 'attempts.tx'])
        .where('actions.order_id', '=', orderId)
        .orderBy('attempts.number')
        .execute()
      const signed = new Map<string, string[]>()
      for (const { verb, leg, tx } of rows) signed.set(`${verb} ${leg}`, [...(signed.get(`${verb} ${leg}`) ?? []), tx])
      return signed
    },
    async passTime(chain, seconds) {
      await stack.network.evm[chain].request({ method: 'evm_increaseTime', params: [`0x${seconds.toString(16)}`] })
      await stack.network.evm[chain].request({ method: 'evm_mine', params: [] })
    },
    async close() {
      await stack.stop()
      await Promise.all([databases.service.destroy(), databases.solver.destroy()])
      await Promise.all([serviceDatabase.drop(), solverDatabase.drop()])
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function fail(message: string): never {
  throw new Error(message)
}
