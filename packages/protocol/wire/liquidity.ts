/** GET /liquidity shows the balances of the solvers. */
import { type Static, Type } from 'typebox'
import { formatUnits, formatUsd, type UsdPrice, usdMicros } from '../amount.ts'
import type { Asset } from '../asset.ts'

const HoldingRecord = Type.Object(
  {
    asset: Type.String({ description: 'as <chain>:<token>' }),
    address: Type.String({ description: 'where the solver holds it' }),
    balance: Type.String({ description: 'in the smallest unit' }),
    virtual_balance: Type.String({ description: 'the balance less what funded orders are about to take' }),
    readable_balance: Type.String({ description: 'virtual_balance after applying decimal places' }),
    fiat_value: Type.String({ description: 'US dollars that virtual_balance is worth' }),
  },
  { title: 'Holding' },
)

export const LiquidityRecord = Type.Object(
  {
    solver_id: Type.String({ description: 'the solver' }),
    addresses: Type.Array(Type.String(), { description: 'all addresses that it holds assets at' }),
    liquidity: Type.Array(HoldingRecord, { description: 'what it holds, by asset' }),
  },
  { title: 'Liquidity' },
)
export type LiquidityRecord = Static<typeof LiquidityRecord>

export type HoldingFacts = {
  readonly asset: Asset
  readonly address: string
  readonly balance: bigint
  readonly available: bigint
  readonly price: UsdPrice
}

export function liquidityToWire(solverId: string, holdings: readonly HoldingFacts[]): LiquidityRecord {
  return {
    solver_id: solverId,
    addresses: [...new Set(holdings.map(({ address }) => address))],
    liquidity: holdings.map(({ asset, address, balance, available, price }) => ({
      asset: asset.id,
      address,
      balance: balance.toString(),
      virtual_balance: available.toString(),
      readable_balance: formatUnits(available, asset.decimals),
      fiat_value: formatUsd(usdMicros(available, asset.decimals, price)),
    })),
  }
}
