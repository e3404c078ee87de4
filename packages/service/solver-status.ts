/** Solvers are asked whether they answer, and for their balances. */
import { TandemError } from '@tandem/protocol/error.ts'
import { type LiquidityRecord, liquidityToWire } from '@tandem/protocol/wire/liquidity.ts'
import { createTtlCache } from '@tandem/runtime/ttl-cache.ts'
import type { ServiceContext } from './context.ts'
import { type SolverClient, SolverFailure } from './solver-client.ts'

/** A reading costs every solver one request per chain. */
const LIQUIDITY_CACHE_MS = 5_000
const HEALTH_CACHE_MS = 1_000

export interface SolverStatus {
  /** Only solvers that answer are listed. */
  liquidity(): Promise<LiquidityRecord[]>
  anyOnline(): Promise<boolean>
}

export function createSolverStatus(context: ServiceContext): SolverStatus {
  const liquidity = createTtlCache<LiquidityRecord[]>({ keepMs: LIQUIDITY_CACHE_MS, maxEntries: 1 })
  const online = createTtlCache<boolean>({ keepMs: HEALTH_CACHE_MS, maxEntries: 1 })

  /** A solver that fails often is not asked, because it would delay the answer. */
  const asked = () => {
    const { waitedFor, trials } = context.pool.toAsk()
    return [...waitedFor, ...trials]
  }

  async function readAll(): Promise<LiquidityRecord[]> {
    const answers = await Promise.allSettled(asked().map(({ client }) => readLiquidity(context, client)))
    return answers.flatMap((answer) => {
      if (answer.status === 'fulfilled') return [answer.value]
      logSilence(answer.reason)
      return []
    })
  }

  async function isAnyOnline(): Promise<boolean> {
    try {
      await Promise.any(asked().map(({ client }) => client.health()))
      return true
    } catch (error) {
      if (!(error instanceof AggregateError)) throw error
      error.errors.forEach(logSilence)
      return false
    }
  }

  function logSilence(error: unknown): void {
    if (!(error instanceof SolverFailure || error instanceof TandemError)) throw error
    context.log.warn({ err: error }, 'a solver does not answer')
  }

  return {
    liquidity: () => liquidity.get('', readAll),
    anyOnline: () => online.get('', isAnyOnline),
  }
}

/** Assets that this service does not know are left out. */
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
