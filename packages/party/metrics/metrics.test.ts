/** Tests that metrics, dashboard and labels are complete and bounded. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { localAssets, localChains } from '@tandem/families/registry.ts'
import { createRegistry } from '@tandem/protocol/registry/registry.ts'
import { createLogger } from '@tandem/runtime/log.ts'
import { PACKAGE_ROOT } from '@tandem/runtime/package-root.ts'
import { sharedService } from '@tandem/service/testing/service.fixture.ts'
import { createSolverMetrics } from '@tandem/solver/metrics.ts'
import { expect, test } from 'vitest'
import { createOperatorToken } from '../store/operators/tokens.ts'
import { startMetricsServer } from './metrics-server.ts'
import type { PartyMetrics } from './party-metrics.ts'

const service = sharedService()

const problems = { warn: 2, error: 0, fatal: 0 }

function solverMetrics(inventory: () => Promise<never[]> = async () => []): { metrics: PartyMetrics; logged: string[] } {
  const logged: string[] = []
  const log = createLogger({ name: 'test', pretty: false, destination: { write: (line) => void logged.push(line) } })
  const registry = createRegistry({ chains: localChains, assets: localAssets, deployments: {}, served: new Set() })
  const metrics = createSolverMetrics({
    db: service.db,
    log,
    problems,
    registry,
    chains: localChains,
    chainStatus: () => null,
    nodes: {},
    now: () => 1_800_000_000n,
    inventory: { list: inventory },
    feeFunds: { list: () => [] },
    exposure: { unfinal: () => [], unrevealed: () => 0n },
  })
  return { metrics, logged }
}

const namesIn = (text: string) => new Set([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '']) => name))

async function serviceText(): Promise<string> {
  const token = await createOperatorToken(service.db, `scraper${performance.now()}`, false)
  return (await service.raw('/metrics', { authorization: `Bearer ${token}` })).body.toString()
}

test('every metric of the dashboard exists, and every metric is on it', async () => {
  const dashboard = await readFile(join(PACKAGE_ROOT, 'docs/grafana/tandem.json'), 'utf8')
  const expressions: string[] = JSON.parse(dashboard).panels.flatMap((panel: { targets?: { expr: string }[] }) =>
    (panel.targets ?? []).map(({ expr }) => expr),
  )
  const shown = new Set(
    expressions.flatMap((expr) => expr.match(/tandem_[a-z_]+/g) ?? []).map((name) => name.replace(/_(bucket|count)$/, '')),
  )
  const exist = new Set([...namesIn(await serviceText()), ...namesIn(await solverMetrics().metrics.render())])
  expect([...shown].filter((name) => !exist.has(name))).toEqual([])
  expect([...exist].filter((name) => !shown.has(name))).toEqual([])
})

test('labels are few and bounded: no order, address or URL is one', async () => {
  const text = `${await serviceText()}${await solverMetrics().metrics.render()}`
  const labels = new Set([...text.matchAll(/([a-z_]+)="/g)].map(([, label]) => label))
  const known = [
    'chain',
    'provider',
    'outcome',
    'verb',
    'leg',
    'state',
    'level',
    'quantile',
    'status',
    'method',
    'route',
    'solver',
    'from',
    'to',
    'what',
  ]
  expect([...labels].filter((label) => ![...known, 'asset', 'app', 'scope', 'cause', 'pair', 'le'].includes(label ?? ''))).toEqual([])
  const { body } = await service.call('GET', '/v2/orders/not-an-order')
  expect(body.status).toBe('Error')
  const after = await serviceText()
  expect(after).toMatch(/route="\/v2\/orders\/:[a-z_]+"/)
  expect(after).not.toContain('not-an-order')
})

test('a figure that cannot be read leaves out its metric only, and is logged', async () => {
  const { metrics, logged } = solverMetrics(() => Promise.reject(new Error('no chain answers')))
  const text = await metrics.render()
  expect(text).not.toMatch(/^tandem_solver_balance\{/m)
  expect(text).toContain('tandem_problems_total{level="warn"} 2')
  expect(logged.join()).toContain('no chain answers')
})

test('actions are counted by how they ended', async () => {
  const { metrics } = solverMetrics()
  metrics.onAction({ verb: 'redeem', leg: 'source' }, 'sent', 300)
  expect(await metrics.render()).toContain('tandem_action_seconds_bucket{le="0.5",verb="redeem",leg="source",outcome="sent"} 1')
})

test('on an address of its own there is nothing but metrics', async () => {
  const { metrics } = solverMetrics()
  const server = await startMetricsServer({ host: '127.0.0.1', port: 0 }, metrics.render)
  try {
    const answer = await fetch(server.url)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
    expect(await answer.text()).toContain('tandem_process_resident_bytes')
    expect((await fetch(server.url.replace('/metrics', '/'))).status).toBe(404)
    expect((await fetch(server.url, { method: 'POST' })).status).toBe(404)
  } finally {
    await server.close()
  }
})

test('where nothing else serves health, the address of the metrics does', async () => {
  let problem: string | null = null
  const server = await startMetricsServer({ host: '127.0.0.1', port: 0 }, solverMetrics().metrics.render, async () => problem)
  const ask = async (path: string) => {
    const answer = await fetch(server.url.replace('/metrics', path))
    return [answer.status, await answer.text()]
  }
  try {
    expect([await ask('/livez'), await ask('/readyz')]).toEqual([
      [200, 'ok\n'],
      [200, 'ok\n'],
    ])
    problem = 'no chain can be reached'
    expect([await ask('/livez'), await ask('/readyz')]).toEqual([
      [200, 'ok\n'],
      [503, 'no chain can be reached\n'],
    ])
    expect((await ask('/'))[0]).toBe(404)
  } finally {
    await server.close()
  }
})
