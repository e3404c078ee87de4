/** Errors in the words of this page, with its assets and chains by their names. */
import { formatAmount } from '../../shared/amount.ts'
import { explain, type Told } from '../../shared/explain.ts'
import { findAsset, findChain } from './catalog.ts'

export function tell(error: unknown): Told {
  return explain(error, {
    symbol: (id) => findAsset(id)?.symbol ?? '',
    amount(id, units) {
      const asset = findAsset(id)
      return asset === null ? '' : `${formatAmount(units, asset.decimals)} ${asset.symbol}`
    },
    chain: (id) => findChain(id)?.display ?? id,
  })
}
