/** Suggests which inventory to move where. The functions are pure. */
import { formatUnits } from '@tandem/protocol/amount.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { ChainId } from '@tandem/protocol/chain-id.ts'

export type Stock = {
  readonly asset: AssetId
  readonly chain: ChainId
  readonly symbol: string
  readonly decimals: number
  readonly balance: bigint
  /** The amount that the operator wants to hold; null means an equal share on each chain. */
  readonly target: bigint | null
}

/** An asset is low below half of its target. Amounts above a target may be moved. */
const LOW_DIVISOR = 2n
const DIGITS = 18

type Level = Stock & { readonly has: bigint; readonly wants: bigint }

/** Returns one line for each asset that runs low: how much of the same money to move from which chain, or to buy. */
export function rebalancingHints(stocks: readonly Stock[]): readonly string[] {
  const symbols = new Set(stocks.map(({ symbol }) => symbol.toLowerCase()))
  return [...symbols].flatMap((symbol) => hintsOf(stocks.filter((stock) => stock.symbol.toLowerCase() === symbol)))
}

function hintsOf(group: readonly Stock[]): readonly string[] {
  const scaled = (amount: bigint, decimals: number) => amount * 10n ** BigInt(DIGITS - decimals)
  const total = group.reduce((sum, { balance, decimals }) => sum + scaled(balance, decimals), 0n)
  const levels = group.map(
    (stock): Level => ({
      ...stock,
      has: scaled(stock.balance, stock.decimals),
      wants: stock.target === null ? total / BigInt(group.length) : scaled(stock.target, stock.decimals),
    }),
  )
  const spare = new Map(levels.map(({ asset, has, wants }) => [asset, has > wants ? has - wants : 0n]))
  return levels
    .filter(({ has, wants }) => has * LOW_DIVISOR < wants)
    .flatMap((low) => {
      const [donor] = levels
        .filter(({ asset }) => (spare.get(asset) ?? 0n) > 0n)
        .sort((a, b) => ((spare.get(a.asset) ?? 0n) > (spare.get(b.asset) ?? 0n) ? -1 : 1))
      const missing = low.wants - low.has
      const text = `${low.asset} runs low: ${formatUnits(low.balance, low.decimals)}`
      if (donor === undefined) return [`${text}; buy ${formatUnits(missing, DIGITS)}`]
      const left = spare.get(donor.asset) ?? 0n
      const moved = left < missing ? left : missing
      spare.set(donor.asset, left - moved)
      return [`${text}; move ${formatUnits(moved, DIGITS)} from ${donor.chain}`]
    })
}
