/** Which solvers answer, and their balances. */
import { TandemError } from '@tandem/protocol/error.ts'
import { type LiquidityRecord, liquidityToWire } from '@tandem/protocol/wire/liquidity.ts'
import { createTtlCache } from '@tandem/runtime/ttl-cache.ts'
import type { ServiceContext } from './context.ts'
import { type SolverClient, SolverFailure } from './solver-client.ts'

/** Each request costs every solver one request per chain. */
const LIQUIDITY_KEEP_MS = 5_000
const HEALTH_KEEP_MS = 1_000

export interface SolverStatus {
  /** Only solvers that answer. */
  liquidity(): Promise<LiquidityRecord[]>
  anyOnline(): Promise<boolean>
}

export function createSolverStatus(context: ServiceContext): SolverStatus {
  const liquidity = createTtlCache<LiquidityRecord[]>({ keepMs: LIQUIDITY_KEEP_MS, maxEntries: 1 })
  const online = createTtlCache<boolean>({ keepMs: HEALTH_KEEP_MS, maxEntries: 1 })

  /** One that fails often is not asked: it would make all others wait. */
  const asked = () => {
    const { waitedFor, trials } = context.pool.toAsk()
    return [...waitedFor, ...trials]
  }

  async function readAll(): Promise<LiquidityRecord[]> {
    const answers = await Promise.allSettled(asked().map(({ client }) => readLiquidity(context, client)))
    return answers.flatMap((answer) => {
      if (answer.status === 'fulfilled') return [answer.value]
      noteSilence(answer.reason)
      return []
    })
  }

  /** Does not wait for the others. */
  async function isAnyOnline(): Promise<boolean> {
    try {
      await Promise.any(asked().map(({ client }) => client.health()))
      return true
    } catch (error) {
      if (!(error instanceof AggregateError)) throw error
      error.errors.forEach(noteSilence)
      return false
    }
  }

  function noteSilence(error: unknown): void {
    if (!(error instanceof SolverFailure || error instanceof TandemError)) throw error
    context.log.warn({ err: error }, 'a solver does not answer')
  }

  return {
    liquidity: () => liquidity.get('', readAll),
    anyOnline: () => online.get('', isAnyOnline),
  }
}

/** Leaves out assets that this service does not know. */
async function readLiquidity({ registry, prices }: ServiceContext, solver: SolverClient): Promise<LiquidityRecord> {
  const { holdings } = await solver.liquidity()
  const listed = new Map<string, (typeof registry.assets)[number]>(registry.assets.map((asset) => [asset.id, asset]))
  return liquidityToWire(
    solver.id,
    holdings.flatMap((holding) => {
      const asset = listed.get(holding.asset)
      if (asset === undefined) return []
      const price = prices.find(asset.id) ?? 0n
      return [{ asset, address: holding.address, balance: BigInt(holding.balance), available: BigInt(holding.available), price }]
    }),
  )
}
