/** Ten users deposit dust and ask for instant refunds again and again. The bench measures how that slows the others. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { LocalJson } from '@tandem/local/local-json.ts'
import { type ApiClient, createApiClient } from '../demo/client/api-client.ts'
import { createLocalClient } from '../demo/client/local-client.ts'
import { type Bench, percentile, type Size } from './bench.ts'
import { createAccounts, createEvmUsers } from './load/evm-users.ts'
import type { PartyReport } from './load/party-child.ts'
import { withProcesses } from './load/stack-processes.ts'
import { untilAccepted } from './load/users.ts'
import { cpuSecondsBelow } from './processes.ts'

type Plan = {
  readonly orders: number
  readonly deposits: number
  readonly callsPerMinute: number
  readonly seconds: number
  /** Each call but the first comes with a new deposit, so that there is always something to sign. Otherwise all calls but the first are repeats. */
  readonly paysEachCall: boolean
}

const plans: Readonly<Record<Size, readonly Plan[]>> = {
  full: [
    { orders: 0, deposits: 0, callsPerMinute: 0, seconds: 30, paysEachCall: false },
    { orders: 10, deposits: 100, callsPerMinute: 41, seconds: 60, paysEachCall: true },
    { orders: 10, deposits: 100, callsPerMinute: 41, seconds: 60, paysEachCall: false },
  ],
  smallest: [{ orders: 1, deposits: 2, callsPerMinute: 60, seconds: 2, paysEachCall: true }],
}

const QUOTE_LIMIT_MS = 250
const REDEEM_LIMIT_MS = 2_000

const QUOTE_EVERY_MS = 50
const SWAP_EVERY_MS = 1_000
const POLL_MS = 20
const ATTACKED = { from: 'bitcoin_regtest:btc', to: 'ethereum_localnet:wbtc', amount: '1000000' }
const DEPOSIT = '3000'
const OTHERS = { from: 'ethereum_localnet:eth', to: 'arbitrum_localnet:usdc', amount: 10_000_000_000_000_000n }

type Figures = Plan & {
  readonly quotes: readonly number[]
  readonly swaps: readonly number[]
  /** Each reason why calls of others failed is listed once. */
  readonly failed: readonly string[]
  readonly answered: number
  readonly limited: number
  readonly loopDelayMs: { readonly service: number; readonly solver: number }
  readonly load: Load
  readonly measuredSeconds: number
}

/** The parties, their database and their chains work this much per second of the run. CPU is in parts of one core. */
type Load = Readonly<Record<(typeof CPUS)[number] | 'statements' | 'requests', number>>
const CPUS = ['serviceCpu', 'solverCpu', 'postgresCpu', 'chainsCpu'] as const

function measureAttack(plan: Plan, onProgress: (what: string) => void): Promise<Figures> {
  return withProcesses(async ({ startChains, startParty }) => {
    onProgress('chains, solver and service')
    const accounts = createAccounts(10)
    const gifts = accounts.map(({ address }) => ({ asset: OTHERS.from, address, amount: (10n ** 19n).toString() }))
    const chains = await startChains({ chains: ['bitcoin', 'ethereum', 'arbitrum'], gifts })
    const { info, serviceFile, solverFile } = chains.ready
    const nodeHosts = Object.values(info.chains).map(({ rpc_url }) => new URL(String(rpc_url)).host)
    const solver = await startParty({ party: 'solver', configFile: solverFile, nodeHosts })
    const service = await startParty({ party: 'service', configFile: serviceFile, nodeHosts })
    const report = async () => ({
      atMs: performance.now(),
      solver: await solver.ask<PartyReport>('report'),
      service: await service.ask<PartyReport>('report'),
      chainsMicros: (await chains.ask<{ readonly cpuMicros: number }>('cpu')).cpuMicros,
      postgresSeconds: (await cpuSecondsBelow(chains.pid)) ?? 0,
    })
    const api = createApiClient({ baseUrl: info.base_url, appId: info.app_id })
    const users = await createEvmUsers(info, api, accounts, OTHERS)
    await untilAccepted(() => users.swap(0))
    const victims = await prepareOrders(info, createLocalClient(info).api, plan, onProgress)

    const before = await report()
    const endsAt = performance.now() + plan.seconds * 1000
    const first = users.swaps.length
    onProgress('attack')
    const attack = Promise.all(victims.map((victim) => attackOrder(info, api, victim, plan, endsAt)))
    const quoting = repeat(QUOTE_EVERY_MS, endsAt, () =>
      api.quote({ from: OTHERS.from, to: OTHERS.to, from_amount: OTHERS.amount.toString() }),
    )
    const swapping = repeat(SWAP_EVERY_MS, endsAt, (index) => users.swap(index))
    while (performance.now() < endsAt + REDEEM_LIMIT_MS) {
      users.assertListening()
      await sleep(POLL_MS)
    }
    const [attacked, quotes, started] = await Promise.all([attack, quoting, swapping])
    const after = await report()
    const measuredSeconds = (after.atMs - before.atMs) / 1000
    const perSecond = (amount: number) => amount / measuredSeconds
    return {
      ...plan,
      quotes: quotes.times,
      swaps: users.swaps.slice(first).map(({ confirmedAt, paidAt }) => (paidAt ?? Number.POSITIVE_INFINITY) - confirmedAt),
      failed: [...quotes.failed, ...started.failed],
      answered: attacked.reduce((sum, { answered }) => sum + answered, 0),
      limited: attacked.reduce((sum, { limited }) => sum + limited, 0),
      loopDelayMs: { service: after.service.loopDelayP99Ms, solver: after.solver.loopDelayP99Ms },
      measuredSeconds,
      load: {
        serviceCpu: perSecond((after.service.cpuMicros - before.service.cpuMicros) / 1e6),
        solverCpu: perSecond((after.solver.cpuMicros - before.solver.cpuMicros) / 1e6),
        postgresCpu: perSecond(after.postgresSeconds - before.postgresSeconds),
        chainsCpu: perSecond((after.chainsMicros - before.chainsMicros) / 1e6),
        statements: perSecond(after.service.statements + after.solver.statements),
        requests: perSecond(after.service.nodeRequests + after.solver.nodeRequests),
      },
    }
  })
}

type Victim = { readonly orderId: string; readonly token: string; readonly to: string }

async function prepareOrders(info: LocalJson, api: ApiClient, plan: Plan, onProgress: (what: string) => void): Promise<readonly Victim[]> {
  const owner = info.wallets.find(({ chains }) => chains.includes('bitcoin_regtest'))?.address
  if (owner === undefined) throw new Error('local.json names no Bitcoin wallet')
  const victims: Victim[] = []
  for (let index = 0; index < plan.orders; index += 1) {
    const quote = await api.quote({ from: ATTACKED.from, to: ATTACKED.to, from_amount: ATTACKED.amount })
    const order = await api.createOrder({
      source: { asset: ATTACKED.from, owner, amount: quote.source.amount },
      destination: { asset: ATTACKED.to, owner: `0x${'11'.repeat(20)}`, amount: quote.destination.amount },
    })
    const victim = { orderId: order.order_id, token: order.order_token ?? '', to: String(order.to) }
    for (let deposit = 0; deposit < plan.deposits; deposit += 1) {
      onProgress(`order ${index + 1} of ${plan.orders}, deposit ${deposit + 1} of ${plan.deposits}`)
      await pay(info, victim)
    }
    victims.push(victim)
  }
  return victims
}

async function pay(info: LocalJson, { to }: Victim): Promise<void> {
  const request = { asset: ATTACKED.from, address: to, amount: DEPOSIT }
  const answer = await fetch(info.faucet_url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request),
  })
  if (!answer.ok) throw new Error(`the faucet did not pay: ${await answer.text()}`)
}

async function attackOrder(
  info: LocalJson,
  api: ApiClient,
  victim: Victim,
  plan: Plan,
  endsAt: number,
): Promise<{ readonly answered: number; readonly limited: number }> {
  let limited = 0
  const { times } = await repeat(60_000 / plan.callsPerMinute, endsAt, async (index) => {
    if (plan.paysEachCall && index > 0) await pay(info, victim)
    try {
      await api.call(
        'PATCH',
        `/orders/${victim.orderId}?action=instant-refund`,
        { signatures: [] },
        index % 2 === 0 ? { 'order-token': victim.token } : {},
      )
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'rate_limited') limited += 1
    }
  })
  return { answered: times.length, limited }
}

/** A call starts at a fixed pace, whatever the earlier ones do. */
async function repeat(
  everyMs: number,
  endsAt: number,
  call: (index: number) => Promise<unknown>,
): Promise<{ readonly times: readonly number[]; readonly failed: readonly string[] }> {
  const [times, calls]: [number[], Promise<void>[]] = [[], []]
  const failed: string[] = []
  const timed = async (index: number) => {
    const startedAt = performance.now()
    try {
      await call(index)
      times.push(performance.now() - startedAt)
    } catch (error) {
      failed.push(error instanceof Error ? error.message : String(error))
    }
  }
  for (let index = 0; performance.now() < endsAt; index += 1) {
    calls.push(timed(index))
    await sleep(everyMs)
  }
  await Promise.all(calls)
  return { times, failed }
}

/** An attacker's call costs this much beyond the run without attackers. */
function perCall(rows: readonly Figures[], { load, measuredSeconds, answered }: Figures, what: keyof Load, times = 1): string {
  const quiet = rows.find(({ orders }) => orders === 0)
  if (answered === 0 || quiet === undefined) return '–'
  return (((load[what] - quiet.load[what]) * measuredSeconds * times) / answered).toFixed(0)
}

const round = (ms: number) => (Number.isFinite(ms) ? Math.round(ms) : '–')

export const attackBench: Bench = {
  name: 'attack',
  about: `instant refunds of dust, again and again: quotes of others p99 ${QUOTE_LIMIT_MS} ms, redeems within ${REDEEM_LIMIT_MS} ms`,
  conditions: `Attacked orders: ${ATTACKED.from} → ${ATTACKED.to}, each with its deposits before the first call; every further call comes with one more deposit, or is a mere repeat; every second one comes without the order token. Costs of a call: beyond those of the run without attackers, a share of the first signatures and of the blocks of the deposits included. Others: a quote every ${QUOTE_EVERY_MS} ms and a swap ${OTHERS.from} → ${OTHERS.to} every ${SWAP_EVERY_MS} ms, from source confirmed to destination redeemed. Chains (in one process with the embedded database server), service and solver are processes of their own on one machine; blocks are mined at once.`,
  async run({ size, onProgress }) {
    const rows: Figures[] = []
    for (const plan of plans[size]) rows.push(await measureAttack(plan, onProgress))
    return {
      ok: rows.every(
        ({ quotes, swaps, failed }) =>
          failed.length === 0 &&
          quotes.length > 0 &&
          percentile(quotes, 99) <= QUOTE_LIMIT_MS &&
          swaps.length > 0 &&
          Math.max(...swaps) <= REDEEM_LIMIT_MS,
      ),
      table: {
        columns: [
          'attacked orders',
          'deposits each',
          'calls/minute each',
          'attacker calls answered',
          'rate limited',
          'failed for others',
          'quote p50 ms',
          'quote p99 ms',
          'swap slowest ms',
          'loop delay p99 ms service, solver',
          'CPU ms per call service, solver, database, chains',
          'statements per call',
          'node requests per call',
        ],
        rows: rows.map((row) => [
          row.orders,
          row.paysEachCall ? `${row.deposits}, then one a call` : row.deposits,
          row.callsPerMinute,
          row.answered,
          row.limited,
          [row.failed.length, ...new Set(row.failed)].join(': '),
          round(percentile(row.quotes, 50)),
          round(percentile(row.quotes, 99)),
          round(Math.max(...row.swaps)),
          `${row.loopDelayMs.service.toFixed(0)}, ${row.loopDelayMs.solver.toFixed(0)}`,
          CPUS.map((what) => perCall(rows, row, what, 1000)).join(', '),
          perCall(rows, row, 'statements'),
          perCall(rows, row, 'requests'),
        ]),
      },
    }
  },
}
