/** `tandem solver send`, `sweep`, `evacuate` and `withdrawals`: ask the running solver to send inventory, and follow what it does. */
import { setTimeout as sleep } from 'node:timers/promises'
import { livingEngines } from '@tandem/party/store/actions/engines.ts'
import type { Database } from '@tandem/party/store/database/database.ts'
import {
  cancelWithdrawal,
  listWithdrawals,
  readWithdrawal,
  requestWithdrawals,
  stateOf,
  type Withdrawal,
} from '@tandem/party/store/solver/withdrawals.ts'
import { formatUnits, parseUnits } from '@tandem/protocol/amount.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import type { Registry } from '@tandem/protocol/registry/registry.ts'
import { type Planned, planEvacuation, planSend, planSweep } from '@tandem/solver/withdrawals/plan.ts'
import { whyNotAllowed } from '@tandem/solver/withdrawals/settings.ts'
import { formatTable, type Terminal } from './terminal.ts'
import { openWithdrawalPlace, type WithdrawalPlace } from './withdrawal-place.ts'

type Place = { readonly config?: string }
type SendingOptions = Place & { readonly dryRun?: boolean; readonly wait: boolean }
export type SendOptions = SendingOptions & { readonly asset: string; readonly to: string; readonly amount: string }
export type SweepOptions = SendingOptions & { readonly asset?: string }
export type ListOptions = Place & { readonly cancel?: string; readonly json?: boolean }

const POLL_MS = 1000
const LISTED = 50
const GIVE_UP_MS = 60_000

export async function sendCommand(options: SendOptions, terminal: Terminal): Promise<void> {
  await openWithdrawalPlace(options.config, terminal, async (place) => {
    const { registry, clients } = place
    const asset = assetNamed(registry, options.asset)
    const client = clients.get(asset.chain)
    if (client === undefined) throw new Error(`${asset.chain} is not served, or its node does not answer`)
    const recipient = client.text.parseAddress(options.to)
    const amount = parseUnits(options.amount, asset.decimals, '--amount')
    await carryOut(place, [await planSend(place, { asset: asset.id, recipient, amount })], options, terminal)
  })
}

function assetNamed(registry: Registry, text: string) {
  const asset = registry.assets.find(({ id }) => id === text)
  if (asset === undefined) throw new TandemError('bad_request', `--asset: ${text} is not an asset of this environment`)
  return asset
}

export async function sweepCommand(options: SweepOptions, terminal: Terminal): Promise<void> {
  await openWithdrawalPlace(options.config, terminal, async (place) => {
    const only = options.asset === undefined ? null : assetNamed(place.registry, options.asset)
    if (only !== null && place.targets[only.id] === undefined)
      throw new Error(`pricing.inventory_targets has no target of ${only.id}: sweep sends what is above it`)
    if (Object.keys(place.targets).length === 0)
      throw new Error('pricing.inventory_targets of the configuration is empty: sweep sends what is above these targets')
    await carryOut(place, await planSweep(place, only?.id ?? null), options, terminal)
  })
}

export async function evacuateCommand(options: SendingOptions, terminal: Terminal): Promise<void> {
  await openWithdrawalPlace(options.config, terminal, async (place) => {
    await carryOut(place, await planEvacuation(place), options, terminal)
    if (options.dryRun !== true)
      terminal.note(
        'The solver still takes orders with what stays: `tandem solver halt` ends that. Repeat this command for what becomes free.',
      )
  })
}

export async function withdrawalsCommand(options: ListOptions, terminal: Terminal): Promise<void> {
  await openWithdrawalPlace(options.config, terminal, async ({ db, registry }) => {
    if (options.cancel !== undefined) return cancel(db, options.cancel, terminal)
    const all = await listWithdrawals(db, LISTED)
    if (options.json)
      terminal.answer(
        JSON.stringify(
          all.map((one) => jsonOf(registry, one)),
          null,
          2,
        ),
      )
    else if (all.length === 0) terminal.answer('No withdrawal was asked for.')
    else terminal.answer(formatTable([HEADINGS, ...all.map((one) => cellsOf(registry, one))]))
  })
}

async function cancel(db: Database, id: string, terminal: Terminal): Promise<void> {
  const result = await cancelWithdrawal(db, id)
  if (result === 'cancelled') return terminal.note(`${id} is cancelled: it is never signed.`)
  const why = {
    unknown: 'there is no such withdrawal: `tandem solver withdrawals` lists them',
    ended: 'it has ended already',
    signed: 'it is signed, so it may be mined at any time and cannot be cancelled',
  }[result]
  throw new Error(`${id}: ${why}`)
}

/** Asks for what is planned, and follows it together with what was asked for before and is still open. */
async function carryOut(place: WithdrawalPlace, plan: readonly Planned[], options: SendingOptions, terminal: Terminal): Promise<void> {
  const { db, registry, settings } = place
  const wanted = plan.filter(({ amount }) => amount > 0n)
  for (const one of wanted) {
    const why = whyNotAllowed(settings, one)
    if (why !== null) throw new Error(why)
  }
  if (options.dryRun === true) return terminal.answer(planTable(registry, plan))
  const ids = [...plan.flatMap(({ open }) => open), ...(await requestWithdrawals(db, wanted))]
  for (const { asset, recipient, amount } of wanted) terminal.note(`asked for ${amountOf(registry, asset, amount)} to ${recipient}`)
  if (ids.length > 0 && (await livingEngines(db)) === 0)
    terminal.note('No solver runs on this database, so nothing is sent yet. Start it with `tandem solver`: it sends what was asked for.')
  else if (options.wait) await follow(db, registry, ids, terminal)
  const after = await Promise.all(ids.map((id) => readWithdrawal(db, id)))
  const rows = after.flatMap((one) => one ?? [])
  if (rows.length > 0) terminal.answer(formatTable([HEADINGS, ...rows.map((one) => cellsOf(registry, one))]))
  const stays = plan.filter(({ staying }) => staying.length > 0)
  if (stays.length > 0) terminal.answer(`\n${planTable(registry, stays)}`)
  if (rows.length === 0) terminal.note('There is nothing to send.')
  if (rows.some(({ failure }) => failure !== null)) throw new Error('not all was sent: see the table')
}

/** Prints each change until each is in a block, or nothing changes for a minute and the solver says why. Stopping this command stops no withdrawal. */
async function follow(db: Database, registry: Registry, ids: readonly string[], terminal: Terminal): Promise<void> {
  const said = new Map<string, string>()
  let changedAtMs = performance.now()
  for (;;) {
    const all = (await Promise.all(ids.map((id) => readWithdrawal(db, id)))).flatMap((one) => one ?? [])
    for (const one of all) {
      const text = progressOf(one)
      if (said.get(one.id) === text) continue
      terminal.note(`${amountOf(registry, one.asset, one.amount)}: ${text}`)
      said.set(one.id, text)
      changedAtMs = performance.now()
    }
    const left = all.filter((one) => ['requested', 'signed'].includes(stateOf(one)))
    if (left.length === 0) return
    if (left.every(({ lastError }) => lastError !== null) && performance.now() - changedAtMs > GIVE_UP_MS)
      return terminal.note('The solver goes on trying: `tandem solver withdrawals` shows it, and cancels what is not signed.')
    await sleep(POLL_MS)
  }
}

function progressOf(one: Withdrawal): string {
  const state = stateOf(one)
  if (state === 'requested') return one.lastError === null ? 'waits for the solver' : `waits: ${one.lastError}`
  if (state === 'signed')
    return `sent${one.lastTx === null ? '' : ` in ${one.lastTx}`}${one.lastError === null ? '' : `; ${one.lastError}`}`
  if (state === 'failed') return `failed: ${one.failure}`
  if (state === 'cancelled') return 'cancelled'
  return one.failure === null ? `paid in ${one.paidTx}` : `failed, until a reorg changes it: ${one.failure}`
}

const HEADINGS = ['id', 'asset', 'amount', 'to', 'state', 'transaction or reason']

const cellsOf = (registry: Registry, one: Withdrawal): readonly string[] => [
  one.id,
  one.asset,
  unitsOf(registry, one.asset, one.amount),
  one.recipient,
  stateOf(one),
  one.failure ?? one.paidTx ?? one.lastTx ?? one.lastError ?? '',
]

function jsonOf(registry: Registry, one: Withdrawal) {
  return {
    id: one.id,
    chain: one.chain,
    asset: one.asset,
    amount: unitsOf(registry, one.asset, one.amount),
    recipient: one.recipient,
    state: stateOf(one),
    requested_at: one.requestedAt.toISOString(),
    transaction: one.paidTx ?? one.lastTx,
    failure: one.failure,
    last_error: one.lastError,
  }
}

function planTable(registry: Registry, plan: readonly Planned[]): string {
  const rows = plan.map(({ asset, amount, recipient, staying }) => [
    asset,
    unitsOf(registry, asset, amount),
    recipient,
    staying.map(({ amount: stays, why }) => `${unitsOf(registry, asset, stays)} ${why}`).join('; '),
  ])
  return formatTable([['asset', 'to send', 'to', 'stays'], ...rows])
}

const unitsOf = (registry: Registry, asset: Withdrawal['asset'], amount: bigint) =>
  formatUnits(amount, registry.assets.find(({ id }) => id === asset)?.decimals ?? 0)

const amountOf = (registry: Registry, asset: Withdrawal['asset'], amount: bigint) => `${unitsOf(registry, asset, amount)} ${asset}`
