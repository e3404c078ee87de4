/** Swaps run at a fixed rate, and they and the processes that serve them are measured. */
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@tandem/local/free-port.ts'
import { ApiError } from '../../demo/client/api-client.ts'
import { chainOf } from '../../demo/client/local-client.ts'
import type { Child } from '../api/child.ts'
import type { Size } from '../bench.ts'
import { cpuSecondsBelow } from '../processes.ts'
import { createAccounts, createEvmUsers } from './evm-users.ts'
import type { PartyInput, PartyReport } from './party-child.ts'
import { createQuickApi } from './quick-api.ts'
import { withProcesses } from './stack-processes.ts'
import { figuresOf, type SwapFigures } from './swap-figures.ts'
import type { Route, Swap, Users } from './users.ts'
import { createWalletUsers } from './wallet-users.ts'

export type LoadPlan = {
  /** The routes are one EVM route, or all families. */
  readonly routes: 'one' | 'mixed'
  readonly perSecond: number
  readonly seconds: number
  /** Each party has this many processes on one database. */
  readonly engines: number
  /** The solver has its keys in a signer, which is one more process. */
  readonly hasSigner?: true
}

type Pace = { readonly perSecond: number; readonly swaps: number }

export type LoadFigures = LoadPlan &
  SwapFigures & {
    /** The parties refused these quotes or orders, for example because they were overloaded. */
    readonly refused: number
    readonly requestsPerSwap: number
    /** The signer made these of them. */
    readonly signerRequestsPerSwap: number
    readonly statementsPerSwap: { readonly service: number; readonly solver: number }
    readonly loopDelayMs: { readonly service: number; readonly solver: number }
    /** The values are milliseconds of processor time per swap. */
    readonly cpu: {
      readonly service: number
      readonly solver: number
      readonly signer: number
      readonly chains: number
      readonly postgres: number | null
      /** The users run in this process. */
      readonly users: number
    }
  }

export const ROUTE: Route = { from: 'ethereum_localnet:eth', to: 'arbitrum_localnet:usdc', amount: 10_000_000_000_000_000n }
/** Every family is a source and a destination. */
const MIXED: readonly Route[] = [
  ROUTE,
  { from: 'bitcoin_regtest:btc', to: 'ethereum_localnet:wbtc', amount: 30_000n },
  { from: 'arbitrum_localnet:usdc', to: 'bitcoin_regtest:btc', amount: 50_000_000n },
  { from: 'litecoin_regtest:ltc', to: 'tron_localnet:usdt', amount: 20_000_000n },
  { from: 'tron_localnet:usdt', to: 'hypercore_localnet:purr', amount: 40_000_000n },
  { from: 'hypercore_localnet:purr', to: 'arbitrum_localnet:usdc', amount: 2_000_000n },
  { from: 'ethereum_localnet:wbtc', to: 'litecoin_regtest:ltc', amount: 30_000n },
  { from: 'arbitrum_localnet:eth', to: 'solana_localnet:usdc', amount: 10_000_000_000_000_000n },
  { from: 'solana_localnet:sol', to: 'ethereum_localnet:wbtc', amount: 200_000_000n },
  { from: 'arbitrum_localnet:usdc', to: 'starknet_localnet:wbtc', amount: 50_000_000n },
  { from: 'starknet_localnet:wbtc', to: 'bitcoin_regtest:btc', amount: 30_000n },
  { from: 'ethereum_localnet:eth', to: 'sui_localnet:sui', amount: 10_000_000_000_000_000n },
  { from: 'sui_localnet:sui', to: 'arbitrum_localnet:usdc', amount: 10_000_000_000n },
  { from: 'arbitrum_localnet:eth', to: 'xrpl_localnet:xrp', amount: 10_000_000_000_000_000n },
  { from: 'xrpl_localnet:xrp', to: 'ethereum_localnet:wbtc', amount: 20_000_000n },
]
/** The smallest size starts few chains. */
export const MIXED_OF: Readonly<Record<Size, readonly Route[]>> = { full: MIXED, smallest: MIXED.slice(0, 2) }
export const ACCOUNTS = 40
const WEALTH = 10n ** 19n
const POLL_MS = 20
const PROGRESS_MS = 1000
/** A process that has just started compiles its code while it runs, for about a minute, so these swaps warm it up. */
export const WARM_UP = { full: { swaps: 240, perSecond: 6 }, smallest: { swaps: 0, perSecond: 1 } } satisfies Record<Size, Pace>
const DRAIN_MS = 15_000
/** Users may take this long to order and fund after that: a run that hangs must say where. */
const FUNDING_LIMIT_MS = 120_000

export function measureLoad(plan: LoadPlan, size: Size, onProgress: (what: string) => void): Promise<LoadFigures> {
  return withProcesses(async ({ startChains, startParty }) => {
    onProgress('chains and database')
    const accounts = plan.routes === 'one' ? createAccounts(ACCOUNTS) : []
    const gifts = accounts.map(({ address }) => ({ asset: ROUTE.from, address, amount: WEALTH.toString() }))
    const routes = plan.routes === 'one' ? [ROUTE] : MIXED_OF[size]
    const names = new Set(routes.flatMap(({ from, to }) => [chainOf(from), chainOf(to)]))
    const chains = await startChains({ chains: [...names], gifts, hasSigner: plan.hasSigner === true })
    const { info, serviceFile, solverFile, signerFile } = chains.ready
    const nodeHosts = Object.values(info.chains).map(({ rpc_url, ws_url }) => new URL(String(rpc_url ?? ws_url)).host)
    onProgress('solver and service')
    const parties: { readonly party: PartyInput['party']; readonly child: Child<{ readonly url: string }> }[] = []
    if (signerFile !== null)
      parties.push({ party: 'signer', child: await startParty({ party: 'signer', configFile: signerFile, nodeHosts }) })
    for (const [party, file] of [['solver', solverFile] as const, ['service', serviceFile] as const])
      for (let engine = 0; engine < plan.engines; engine += 1) {
        const configFile = engine === 0 ? file : await withOtherPort(file)
        parties.push({ party, child: await startParty({ party, configFile, nodeHosts }) })
      }
    const api = createQuickApi({ baseUrl: info.base_url, appId: info.app_id })
    const users = plan.routes === 'one' ? await createEvmUsers(info, api, accounts, ROUTE) : createWalletUsers(info, routes)
    const report = async () =>
      Promise.all(parties.map(async ({ party, child }) => ({ party, ...(await child.ask<PartyReport>('report')) })))
    const chainsCpu = async () => (await chains.ask<{ readonly cpuMicros: number }>('cpu')).cpuMicros / 1e6

    onProgress('warming up')
    await run(users, WARM_UP[size], () => undefined)
    const measure = async () => ({
      parties: await report(),
      chains: await chainsCpu(),
      postgres: await cpuSecondsBelow(chains.pid),
      users: process.cpuUsage(),
    })
    const before = await measure()
    const { swaps, refused } = await run(users, { perSecond: plan.perSecond, swaps: Math.ceil(plan.perSecond * plan.seconds) }, onProgress)
    const after = await measure()
    users.close()

    const of = (party: PartyInput['party']) =>
      after.parties.map((now, index) => ({ now, earlier: before.parties[index] })).filter(({ now }) => now.party === party)
    const cpuOf = (party: PartyInput['party']) =>
      of(party).reduce((sum, { now, earlier }) => sum + (now.cpuMicros - (earlier?.cpuMicros ?? 0)) / 1e3, 0) / swaps.length
    const requestsOf = (some: typeof after.parties) => some.reduce((sum, { nodeRequests }) => sum + nodeRequests, 0) / swaps.length
    const statementsOf = (party: PartyInput['party']) => of(party).reduce((sum, { now }) => sum + now.statements, 0) / swaps.length
    const delayOf = (party: PartyInput['party']) => Math.max(...of(party).map(({ now }) => now.loopDelayP99Ms))
    return {
      ...plan,
      ...figuresOf(swaps, plan.seconds),
      refused,
      requestsPerSwap: requestsOf(after.parties),
      signerRequestsPerSwap: requestsOf(after.parties.filter(({ party }) => party === 'signer')),
      statementsPerSwap: { service: statementsOf('service'), solver: statementsOf('solver') },
      loopDelayMs: { service: delayOf('service'), solver: delayOf('solver') },
      cpu: {
        service: cpuOf('service'),
        solver: cpuOf('solver'),
        signer: cpuOf('signer'),
        chains: ((after.chains - before.chains) * 1e3) / swaps.length,
        postgres: after.postgres === null || before.postgres === null ? null : ((after.postgres - before.postgres) * 1e3) / swaps.length,
        users: (after.users.user + after.users.system - before.users.user - before.users.system) / 1e3 / swaps.length,
      },
    }
  })
}

/** Swaps start at the rate, whatever the earlier ones do. Resolves to the swaps of this run when they have ended. */
async function run(
  users: Users,
  { perSecond, swaps }: Pace,
  onProgress: (what: string) => void,
): Promise<{ readonly swaps: readonly Swap[]; readonly refused: number }> {
  const first = users.swaps.length
  const started: Promise<void>[] = []
  const startedAt = performance.now()
  const failures: unknown[] = []
  let lastSwapAt = startedAt
  let reportedAt = Number.NEGATIVE_INFINITY
  for (let running = true; running; ) {
    const now = performance.now()
    while (started.length < swaps && now - startedAt >= (started.length * 1000) / perSecond) {
      lastSwapAt = now
      started.push(users.swap(started.length).catch((error: unknown) => void failures.push(error)))
    }
    users.assertListening()
    const paid = users.swaps.slice(first).filter(({ paidAt }) => paidAt !== null).length
    if (now - reportedAt >= PROGRESS_MS) {
      reportedAt = now
      onProgress(`${started.length} of ${swaps} swaps started, ${paid} paid`)
    }
    running = started.length < swaps || (paid + failures.length < swaps && now - lastSwapAt < DRAIN_MS)
    await sleep(POLL_MS)
  }
  await withinLimit(Promise.all(started), FUNDING_LIMIT_MS, `${started.length} swaps were started, and some are neither funded nor refused`)
  const broken = failures.find((error) => !(error instanceof ApiError))
  if (broken !== undefined) throw broken
  return { swaps: users.swaps.slice(first), refused: failures.length }
}

async function withinLimit(work: Promise<unknown>, limitMs: number, problem: string): Promise<void> {
  const late = sleep(limitMs, undefined, { ref: false }).then(() => {
    throw new Error(`${problem} after ${limitMs / 1000} s`)
  })
  await Promise.race([work, late])
}

/** The copy of the configuration has its own port. It is beside the original, so that paths of keys stay valid. */
async function withOtherPort(configFile: string): Promise<string> {
  const config = JSON.parse(await readFile(configFile, 'utf8')) as { readonly listen: { readonly host: string } }
  const copy = join(dirname(configFile), `second-${Math.random().toString(36).slice(2)}.json`)
  await writeFile(copy, JSON.stringify({ ...config, listen: { ...config.listen, port: await freePort() } }), { mode: 0o600 })
  return copy
}
