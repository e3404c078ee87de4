/** `tandem solver status` shows halts, inventory, open orders, exposure, profit by pair, apps, and what to move where. */
import { setTimeout as sleep } from 'node:timers/promises'
import { readPublicKeyring } from '@tandem/party/config/keyring.ts'
import { loadConfig } from '@tandem/party/config/load-config.ts'
import { networkSettings } from '@tandem/party/config/network-settings.ts'
import { SolverConfig } from '@tandem/party/config/schema.ts'
import { connectNetwork } from '@tandem/party/engine/network.ts'
import { createStaticFeed } from '@tandem/party/prices/static-feed.ts'
import { openDatabase } from '@tandem/party/store/database/database.ts'
import { readReleaseStatus } from '@tandem/party/store/database/rollbacks.ts'
import { type CustomerRecord, type QuoteRecord, readCustomers, readQuoteCounts } from '@tandem/party/store/solver/customers.ts'
import { type Halt, readHalts } from '@tandem/party/store/solver/halts.ts'
import { readInFlight } from '@tandem/party/store/solver/in-flight.ts'
import { judgeOrderRisks } from '@tandem/party/store/solver/order-risks.ts'
import { type PairStatus, readPairStatus } from '@tandem/party/store/solver/pair-status.ts'
import { formatUnits, formatUsd } from '@tandem/protocol/amount.ts'
import type { Registry } from '@tandem/protocol/registry/registry.ts'
import { createInventory } from '@tandem/solver/inventory.ts'
import { createLegCosts } from '@tandem/solver/pricing/leg-costs.ts'
import { readUnfinal } from '@tandem/solver/risk/exposure-watch.ts'
import { createFeeFunds, type FeeFunds, missing, REDEEMS_AHEAD } from '@tandem/solver/risk/fee-funds.ts'
import { readFeeFunds } from '@tandem/solver/risk/fee-funds-watch.ts'
import { rebalancingHints } from '@tandem/solver/risk/rebalance.ts'
import { riskSettings } from '@tandem/solver/risk/settings.ts'
import { solverConfigPath } from './config-path.ts'
import { formatTable, type Terminal } from './terminal.ts'

export type StatusOptions = { readonly config?: string; readonly json?: boolean; readonly watch?: boolean; readonly days?: string }

type Status = {
  /** For this reason the operator must confirm that the database was restored from a backup. It is null if nothing waits. */
  readonly restore_to_confirm: string | null
  readonly halts: readonly Halt[]
  readonly inventory: readonly { readonly asset: string; readonly balance: string; readonly reserved: string; readonly available: string }[]
  /** These coins pay network fees, even if they are not swapped here. */
  readonly fees: readonly FeeRow[]
  /** By source chain, these amounts are paid or promised against deposits that are not final. */
  readonly unfinal: readonly { readonly chain: string; readonly usd: string; readonly most_usd: string | null }[]
  readonly pairs: readonly {
    readonly pair: string
    readonly open_orders: number
    readonly exposure_usd: string
    readonly completed: number
    readonly failed: number
    readonly profit_usd: string
  }[]
  readonly apps: readonly CustomerRow[]
  /** These owners left or withheld something. Those that gained most come first. */
  readonly owners: readonly CustomerRow[]
  readonly hints: readonly string[]
}

type FeeRow = {
  readonly asset: string
  readonly address: string
  readonly balance: string
  readonly needed: string
  /** Without this missing amount no swap from the chain starts. It is 0 if nothing is missing. */
  readonly top_up: string
}

type CustomerRow = {
  readonly app: string
  readonly owner?: string
  readonly quotes?: number
  readonly quoted_usd?: string
  readonly completed: number
  readonly completed_usd: string
  readonly abandoned: number
  readonly abandoned_usd: string
  /** Prices changed by this much in favour of the users before they funded. */
  readonly gained_usd: string
  readonly withheld: number
  readonly withheld_usd: string
}

const DAY_SECONDS = 86_400
const WATCH_MS = 2000
const MAX_CUSTOMERS = 10

export async function statusCommand(options: StatusOptions, terminal: Terminal): Promise<void> {
  const days = options.days ?? '30'
  if (!/^[1-9][0-9]{0,3}$/.test(days)) throw new Error(`--days takes a whole number from 1 to 9999, got "${days}"`)
  const loaded = await loadConfig(SolverConfig, solverConfigPath(options.config))
  const keys = await readPublicKeyring(loaded.config.private_key, loaded)
  const network = await connectNetwork(await networkSettings(loaded), (chain) => terminal.note(`the node of ${chain} does not answer`))
  const db = await openDatabase(await loaded.readSecret(loaded.config.database_url))
  const now = () => BigInt(Math.floor(Date.now() / 1000))
  const inventory = createInventory({ db, registry: network.registry, clients: network.clients, keys, now })
  const { clients, registry } = network
  const limits = riskSettings(loaded.config.risk)
  const legCosts = createLegCosts({
    registry,
    clients,
    prices: createStaticFeed({}),
    onError: (asset) => terminal.note(`the network fees of ${asset} cannot be read`),
  })
  const feeFunds = createFeeFunds({ registry, clients, keys, legCosts, peakFactor: limits.feePeakFactor })
  const targets: Readonly<Record<string, string>> = loaded.config.pricing?.inventory_targets ?? {}

  async function read(): Promise<Status> {
    await judgeOrderRisks(db, now())
    const since = now() - BigInt(Number(days) * DAY_SECONDS)
    const [{ hold }, halts, holdings, fees, unfinal, pairs, customers, quotes] = await Promise.all([
      readReleaseStatus(db, []),
      readHalts(db),
      inventory.list(),
      readInFlight(db).then((flights) => readFeeFunds(feeFunds, flights)),
      readUnfinal(db, registry.chains, limits.unfinalCap),
      readPairStatus(db, since),
      readCustomers(db, { now: now(), since }),
      readQuoteCounts(db, since),
    ])
    const assets = holdings.map((holding) => ({ ...network.registry.asset(holding.asset), ...holding }))
    return {
      restore_to_confirm: hold?.reason ?? null,
      halts,
      inventory: assets.map(({ asset, decimals, balance, available }) => ({
        asset,
        balance: formatUnits(balance, decimals),
        reserved: formatUnits(balance - available, decimals),
        available: formatUnits(available, decimals),
      })),
      fees: fees.map(feeRow),
      unfinal: unfinal
        .filter(({ usdMicros }) => usdMicros > 0n)
        .map(({ chain, usdMicros, cap }) => ({ chain, usd: formatUsd(usdMicros), most_usd: cap === null ? null : formatUsd(cap) })),
      pairs: pairs.map((pair) => pairRow(network.registry, pair)),
      apps: customers
        .filter(({ owner }) => owner === null)
        .slice(0, MAX_CUSTOMERS)
        .map(({ app, record }) => ({ app, ...quoteColumns(quotes.get(app)), ...columnsOf(record) })),
      owners: customers
        .flatMap(({ app, owner, record }) => (owner === null ? [] : [{ app, owner, ...columnsOf(record) }]))
        .slice(0, MAX_CUSTOMERS),
      hints: rebalancingHints(
        assets.map((asset) => ({ ...asset, target: targets[asset.id] === undefined ? null : BigInt(targets[asset.id] ?? 0) })),
      ),
    }
  }

  try {
    do {
      const status = await read()
      if (options.json) terminal.answer(JSON.stringify(status, (_, value) => (typeof value === 'bigint' ? Number(value) : value), 2))
      else if (options.watch) (terminal.redraw ?? terminal.answer)(`${new Date().toISOString()}\n\n${textOf(status, days)}\n`)
      else terminal.answer(textOf(status, days))
      if (options.watch) await sleep(WATCH_MS)
    } while (options.watch)
  } finally {
    await db.destroy()
    await network.close()
  }
}

function feeRow(funds: FeeFunds): FeeRow {
  const { asset, address, decimals, balance, needed, perRedeem } = funds
  const format = (amount: bigint) => formatUnits(amount, decimals)
  return {
    asset,
    address,
    balance: format(balance),
    needed: format(needed),
    top_up: format(missing(funds, REDEEMS_AHEAD * perRedeem)),
  }
}

/** The profit is the amount taken minus the amount paid, at the prices of each order, before network fees. */
function pairRow(
  registry: Registry,
  { pair, openOrders, openUsdMicros, completed, failed, taken, paid }: PairStatus,
): Status['pairs'][number] {
  const [from = '', to = ''] = pair.split('->')
  const decimalsOf = (id: string) => registry.assets.find((asset) => asset.id === id)?.decimals ?? 0
  const micros = (worth: bigint, id: string) => worth / 10n ** BigInt(decimalsOf(id) + 2)
  const profit = micros(taken, from) - micros(paid, to)
  return { pair, open_orders: openOrders, exposure_usd: formatUsd(openUsdMicros), completed, failed, profit_usd: formatSigned(profit) }
}

function formatSigned(usdMicros: bigint): string {
  return `${usdMicros < 0n ? '-' : ''}${formatUsd(usdMicros < 0n ? -usdMicros : usdMicros)}`
}

function columnsOf(record: CustomerRecord) {
  return {
    completed: record.completed,
    completed_usd: formatUsd(record.completedUsd),
    abandoned: record.abandoned,
    abandoned_usd: formatUsd(record.abandonedUsd),
    gained_usd: formatSigned(record.gainedUsd),
    withheld: record.withheld,
    withheld_usd: formatUsd(record.withheldUsd),
  }
}

function quoteColumns({ quotes, quotedUsd }: QuoteRecord = { quotes: 0, quotedUsd: 0n }) {
  return { quotes, quoted_usd: formatUsd(quotedUsd) }
}

const CUSTOMER_HEADINGS = ['completed ($)', 'never funded ($)', 'gained by waiting $', 'secret withheld ($)'] as const
const OWNER_CHARACTERS = 16

const named = (app: string) => (app === '' ? '(not named)' : app)

function cellsOf(row: CustomerRow): readonly string[] {
  return [
    `${row.completed} (${row.completed_usd})`,
    `${row.abandoned} (${row.abandoned_usd})`,
    row.gained_usd,
    `${row.withheld} (${row.withheld_usd})`,
  ]
}

function textOf(status: Status, days: string): string {
  const section = (title: string, empty: string, rows: readonly (readonly string[])[], headings: readonly string[]) =>
    rows.length === 0 ? `${title}: ${empty}` : `${title}\n${formatTable([headings, ...rows])}`
  const timeOf = (seconds: bigint) => new Date(Number(seconds) * 1000).toISOString()
  const { restore_to_confirm: restored } = status
  return [
    ...(restored === null ? [] : [`Restored backup: nothing is paid for older orders until \`tandem confirm-restore\`: ${restored}`]),
    section(
      'Halted',
      'nothing',
      status.halts.map(({ scope, cause, reason, since, until }) => [
        scope === '*' ? 'everything' : scope,
        cause,
        timeOf(since),
        until === null ? '' : timeOf(until),
        reason,
      ]),
      ['what', 'by', 'since', 'until', 'reason'],
    ),
    section(
      'Inventory',
      'no chain answers',
      status.inventory.map(({ asset, balance, reserved, available }) => [asset, balance, reserved, available]),
      ['asset', 'balance', 'reserved', 'available'],
    ),
    section(
      'Coins for network fees',
      'none needed',
      status.fees.map(({ asset, address, balance, needed, top_up }) => [
        asset,
        balance,
        needed,
        top_up === '0' ? '' : `send ${top_up} to ${address}`,
      ]),
      ['coin', 'balance', 'for orders in flight', 'missing'],
    ),
    section(
      'Paid against deposits that are not final',
      'nothing',
      status.unfinal.map(({ chain, usd, most_usd }) => [chain, usd, most_usd ?? 'no limit']),
      ['from', 'now $', 'at most $'],
    ),
    section(
      `Orders of the last ${days} days`,
      'none',
      status.pairs.map((row) => [
        row.pair,
        String(row.open_orders),
        row.exposure_usd,
        String(row.completed),
        String(row.failed),
        row.profit_usd,
      ]),
      ['pair', 'open', 'exposure $', 'completed', 'failed', 'profit $'],
    ),
    section(
      'Apps',
      'none',
      status.apps.map((row) => [named(row.app), `${row.quotes} (${row.quoted_usd})`, ...cellsOf(row)]),
      ['app', 'quotes ($)', ...CUSTOMER_HEADINGS],
    ),
    section(
      'Owners that left orders unfunded, or kept secrets',
      'none',
      status.owners.map((row) => [named(row.app), (row.owner ?? '').slice(0, OWNER_CHARACTERS), ...cellsOf(row)]),
      ['app', 'owner', ...CUSTOMER_HEADINGS],
    ),
    status.hints.length === 0 ? 'Rebalancing: not needed' : `Rebalancing\n${status.hints.join('\n')}`,
  ].join('\n\n')
}
