/** Reads prices from contracts on a chain, one for each market, which others keep up to date. */
import type { Oracle } from '@tandem/chain-kit/port/abilities/reading.ts'
import { type PriceSource, problemOf, type SourceAnswer } from './source.ts'

export type OracleOptions = {
  readonly name: string
  readonly read: Oracle
  readonly contracts: Readonly<Record<string, string>>
  readonly maxAgeMs: number
}

const DECIMALS = 8

export function createOracleSource(wanted: readonly string[], { name, read, contracts, maxAgeMs }: OracleOptions): PriceSource {
  const known = Object.entries(contracts).filter(([market]) => wanted.includes(market))

  async function ask([market, contract]: readonly [string, string]): Promise<SourceAnswer> {
    try {
      const { answer, decimals, updatedAt } = await read(contract)
      if (answer <= 0n) throw new Error(`its price is ${answer < 0n ? 'negative' : '0'}`)
      const price = decimals >= DECIMALS ? answer / 10n ** BigInt(decimals - DECIMALS) : answer * 10n ** BigInt(DECIMALS - decimals)
      if (price === 0n) throw new Error('its price is 0')
      return { market, price, at: Number(updatedAt) * 1000, problem: null }
    } catch (error) {
      return { market, price: null, problem: problemOf(error) }
    }
  }

  return { name, markets: known.map(([market]) => market), maxAgeMs, read: () => Promise.all(known.map(ask)) }
}
