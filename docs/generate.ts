/** Writes the generated pages. With `--check` it writes nothing and fails if a page is out of date. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ExampleOrder, factsOf, normalTimes } from '@tandem/protocol/example-order.fixture.ts'
import type { ActionVerb } from '@tandem/protocol/order.ts'
import { awaitsClientSecret, mayRefundInstantly, playbook } from '@tandem/protocol/playbook.ts'
import { deriveOrder, type OrderStatus, orderStatuses, statusTable } from '@tandem/protocol/state.ts'
import { type Phase, phaseMeanings, phases } from '@tandem/protocol/swap-state.ts'
import { configurationPage } from './configuration-page.ts'
import { solverDocument } from './solver-openapi.ts'

type Move = { readonly cause: string; readonly to: ExampleOrder }

const legs = ['source', 'destination'] as const
/** A reclaim moves nothing of an HTLC. */
const afterVerb: Partial<Record<ActionVerb, Phase>> = { initiate: 'seen', redeem: 'redeeming', refund: 'refunding' }
const afterBlock: Partial<Record<Phase, Phase>> = { seen: 'initiated', redeeming: 'redeemed', refunding: 'refunded' }

/** Every possible next event: the user funds, a party follows the playbook, a block is mined, time passes. */
function movesFrom(now: ExampleOrder): readonly Move[] {
  const moves: Move[] = []
  const set = (cause: string, change: Partial<ExampleOrder>) => moves.push({ cause, to: { ...now, ...change } })
  const state = deriveOrder(factsOf(now))
  if (now.source === 'waiting') {
    for (const source of ['seen', 'mismatched'] as const) set('user initiates', { source, fundedLate: now.deadlinePassed })
  }
  for (const rule of playbook.filter((r) => r.holds(state))) {
    const phase = afterVerb[rule.verb]
    if (phase !== undefined && now[rule.leg] !== phase) set(`${rule.who} ${rule.verb}s`, { [rule.leg]: phase })
  }
  if (awaitsClientSecret(state)) set('user reveals', { secretGranted: true })
  const isRefundable =
    now.source !== 'waiting' && now.source !== 'redeemed' && now.source !== 'refunded' && mayRefundInstantly(state, 'deposit')
  if (isRefundable && !now.instantRefundSigned) set('user gets an instant refund', { instantRefundSigned: true })
  for (const leg of legs) {
    const next = afterBlock[now[leg]]
    if (next !== undefined) set('confirmed', { [leg]: next })
  }
  if (!now.deadlinePassed) set('deadline', { deadlinePassed: true })
  else if (!now.destinationExpired) set('timelock', { destinationExpired: true })
  else if (!now.sourceExpired) set('timelock', { sourceExpired: true })
  return moves
}

/** Every change of status that any sequence of moves reaches, with its causes. */
function statusChanges(): ReadonlyMap<string, ReadonlySet<string>> {
  const changes = new Map<string, Set<string>>()
  const statusOf = (example: ExampleOrder): OrderStatus => deriveOrder(factsOf(example)).status
  const start = normalTimes('waiting', 'waiting')
  const starts = [start, { ...start, clientSecret: true }]
  const known = new Set(starts.map((example) => JSON.stringify(example)))
  for (const queue = [...starts]; queue.length > 0; ) {
    const now = queue.pop() ?? start
    for (const { cause, to } of movesFrom(now)) {
      const [before, after] = [statusOf(now), statusOf(to)]
      const change = `${before} --> ${after}`
      if (before !== after) changes.set(change, (changes.get(change) ?? new Set()).add(cause))
      if (known.has(JSON.stringify(to))) continue
      known.add(JSON.stringify(to))
      queue.push(to)
    }
  }
  return changes
}

function diagram(): string {
  const rank = (change: string) => orderStatuses.findIndex((status) => change.startsWith(`${status} `))
  const changes = [...statusChanges()].toSorted(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1))
  const lines = changes.map(([change, causes]) => `  ${change}: ${[...causes].toSorted().join(' / ')}`)
  return ['```mermaid', 'stateDiagram-v2', '  [*] --> created', ...lines, '```'].join('\n')
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

function lifecycle(): string {
  return `<!-- Written by \`npm run docs\` from packages/protocol. Do not edit. -->

# The life of an order

An order is two swaps under one secret hash: the user initiates the **source**, the solver the **destination**.
No status is stored. Chain events give the phase of each swap, the two phases and the clock give the status, and the
playbook says what happens next. A reorg removes events, and phase and status are derived again without them.

## Who does what

The whole protocol. An action is wanted while its condition holds.

${table(
  ['who', 'does', 'on the', 'when'],
  playbook.map((rule) => [rule.who, `**${rule.verb}**`, rule.leg, rule.when]),
)}

## Phases of a swap

${table(
  ['phase', 'meaning'],
  phases.map((phase) => [`\`${phase}\``, phaseMeanings[phase]]),
)}

## Status of an order

The first row that holds.

${table(
  ['status', 'when'],
  statusTable.map((row) => [`\`${row.status}\``, row.when]),
)}

## How the status changes

Found by playing the playbook through every phase and time, without reorgs. Chains that show no unmined transactions skip the \`…_detected\` steps.

${diagram()}
`
}

const pages = [
  { name: 'lifecycle.md', text: lifecycle(), source: 'packages/protocol' },
  { name: 'configuration.md', text: configurationPage(), source: 'the configuration schemas' },
  { name: 'solver-openapi.json', text: solverDocument(), source: 'packages/protocol/wire' },
]
for (const { name, text, source } of pages) {
  const path = join(import.meta.dirname, name)
  if (!process.argv.includes('--check')) {
    await writeFile(path, text)
  } else if ((await readFile(path, 'utf8').catch(() => null)) !== text) {
    process.stderr.write(`docs/${name} does not match ${source}: run \`npm run docs\` and commit the result\n`)
    process.exitCode = 1
  }
}
