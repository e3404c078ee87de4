/** One party's requests to the providers of a public chain with four blocks a second are counted. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { evm } from '@tandem/evm/server/index.ts'
import { environments } from '@tandem/families/registry.ts'
import { createKey, createKeyring } from '@tandem/keys/keyring.ts'
import { startEmbeddedPostgres } from '@tandem/local/embedded/embedded-postgres.ts'
import { startEngine } from '@tandem/party/engine/engine.ts'
import { readCursor } from '@tandem/party/store/chain/events.ts'
import { openDatabase } from '@tandem/party/store/database/database.ts'
import { insertOrder } from '@tandem/party/store/orders/insert-orders.ts'
import { createVault } from '@tandem/party/store/orders/sealed-values.ts'
import { exampleOrder } from '@tandem/party/store/store.fixture.ts'
import { createRegistry } from '@tandem/protocol/registry/registry.ts'
import { createLogger } from '@tandem/runtime/log.ts'
import { createServiceParty } from '@tandem/service/party.ts'
import { type Counted, type CountingProxy, startCountingProxy, sum, times } from './counting-proxy.ts'
import { startFastChain } from './fast-chain.ts'

export const FAST_CHAIN = 'arbitrum'
export const FAST_CHAIN_BLOCKS_A_SECOND = 4

const KEY = '11'.repeat(32)
const HTLC = `0x${'ab'.repeat(20)}`
const TOKEN = `0x${'cd'.repeat(20)}`
const POLL_MS = 20

/** The costs are averages for each provider. */
export type FastChainCost = { readonly idle: Counted; readonly open: Counted; readonly catchUp: Counted }

export type FastChainPlan = {
  readonly seconds: number
  readonly missedBlocks: number
  readonly providers: number
  readonly quorum: number
}

export async function measureFastChain({ seconds, missedBlocks, providers, quorum }: FastChainPlan): Promise<FastChainCost> {
  const folder = await mkdtemp(join(tmpdir(), 'tandem-rpc-'))
  const cleanups: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })]
  try {
    const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres'), fresh: true })
    cleanups.push(postgres.stop)
    const db = await openDatabase(await postgres.createDatabase('rpc'))
    cleanups.push(() => db.destroy())
    const { chains, assets } = environments.mainnet
    const registry = createRegistry({ chains, assets, deployments: {}, served: new Set([FAST_CHAIN]) })
    const chain = registry.chain(FAST_CHAIN)
    const node = await startFastChain(Number(chain.reference.split(':')[1]))
    cleanups.push(node.close)
    const proxies: CountingProxy[] = []
    for (let started = 0; started < providers; started++) proxies.push(await startCountingProxy(node.url))
    for (const proxy of proxies) cleanups.push(proxy.close)
    const take = () => times(sum(proxies.map((proxy) => proxy.take())), 1 / providers)
    const [asset] = registry.assetsOf(FAST_CHAIN)
    if (asset === undefined) throw new Error(`${FAST_CHAIN} has no asset`)
    const deployed = [{ ...asset, deployment: { htlc: HTLC, token: TOKEN } }]
    const client = evm.connect(chain, { assets: deployed, endpoints: { rpc: proxies.map(({ url }) => url) }, quorum })
    cleanups.push(client.close)
    const relay = createKeyring([createKey('secp256k1', KEY)])
    const party = createServiceParty({ db, vault: createVault('42'.repeat(32)), relay, onReconciled: () => new Map() })
    const now = () => BigInt(Math.floor(Date.now() / 1000))
    const log = createLogger({ name: 'rpc', level: 'warn' })
    const engine = startEngine({ db, registry, clients: new Map([[FAST_CHAIN, client]]), party, log, now })
    cleanups.push(engine.stop)
    await engine.ready()

    const watchFor = async () => {
      take()
      await sleep(seconds * 1000)
      return take()
    }
    const idle = await watchFor()
    const deadline = now() + 3600n
    const swap = { chain: FAST_CHAIN, swapId: 'cd'.repeat(32) }
    await insertOrder(db, exampleOrder({ deadline, source: { ...swap }, destination: { chain: 'ethereum' } }))
    engine.wake()
    const open = await watchFor()
    node.jump(missedBlocks)
    const end = (await client.tip()).height
    take()
    while (((await readCursor(db, FAST_CHAIN))?.height ?? 0n) < end) await sleep(POLL_MS)
    return { idle, open, catchUp: take() }
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup()
  }
}
