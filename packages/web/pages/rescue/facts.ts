/** Assets as people read them, by the bundled registry: the saved copy has no service to ask. */
import { signal } from '@preact/signals'
import { type AssetFacts, assetFacts } from '@tandem/sdk'
import { formatAmount } from '../../shared/amount.ts'
import { explain, type Told } from '../../shared/explain.ts'
import { rescue as texts } from '../../texts.ts'

const known = signal<readonly AssetFacts[]>([])

/** Those that are not known yet. */
export async function learnAssets(ids: readonly string[]): Promise<void> {
  const missing = [...new Set(ids)].filter((id) => factsOf(id) === null)
  const found = await Promise.all(missing.map(assetFacts))
  known.value = [...known.value, ...found.flatMap((facts) => facts ?? [])]
}

export function factsOf(asset: string): AssetFacts | null {
  return known.value.find(({ id }) => id === asset) ?? null
}

export function amountText(asset: string, amount: string | bigint): string {
  const facts = factsOf(asset)
  return facts === null ? texts.unknownAmount(asset) : `${formatAmount(BigInt(amount), facts.decimals)} ${facts.symbol}`
}

/** Of any asset of the chain that is known. */
export function factsOn(chain: string): AssetFacts | null {
  return known.value.find((facts) => facts.chain === chain) ?? null
}

export function chainName(chain: string): string {
  return factsOn(chain)?.chainName ?? chain
}

/** Errors in words, with assets and chains by their names. */
export function tell(error: unknown): Told {
  return explain(error, { symbol: (id) => factsOf(id)?.symbol ?? '', amount: amountText, chain: chainName })
}
