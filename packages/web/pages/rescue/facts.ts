/** Names and amounts of assets from the bundled registry: the saved copy may have no service to ask. */
import { signal } from '@preact/signals'
import { type AssetFacts, assetFacts } from '@tandem/sdk'
import { formatAmount } from '../../shared/amount.ts'
import { type Explanation, explain } from '../../shared/explain.ts'
import { rescue as texts } from '../../texts.ts'
import { pinnedRegistry } from './registry.ts'

const known = signal<readonly AssetFacts[]>([])

/** Loads those that are not known yet. */
export async function learnAssets(ids: readonly string[]): Promise<void> {
  const missing = [...new Set(ids)].filter((id) => factsOf(id) === null)
  const found = await Promise.all(missing.map((id) => assetFacts(id, pinnedRegistry())))
  known.value = [...known.value, ...found.flatMap((facts) => facts ?? [])]
}

export function factsOf(asset: string): AssetFacts | null {
  return known.value.find(({ id }) => id === asset) ?? null
}

export function amountText(asset: string, amount: string | bigint): string {
  const facts = factsOf(asset)
  return facts === null ? texts.unknownAmount(asset) : `${formatAmount(BigInt(amount), facts.decimals)} ${facts.symbol}`
}

/** The facts of any known asset of the chain. */
export function factsOn(chain: string): AssetFacts | null {
  return known.value.find((facts) => facts.chain === chain) ?? null
}

export function chainName(chain: string): string {
  return factsOn(chain)?.chainName ?? chain
}

/** Says what is wrong, with the names of assets and chains. */
export function explainError(error: unknown): Explanation {
  return explain(error, { symbol: (id) => factsOf(id)?.symbol ?? '', amount: amountText, chain: chainName })
}
