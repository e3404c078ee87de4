// Reads and makes coins: `Coin<T>` is an id and a balance.
import { bcs } from '@mysten/sui/bcs'
import type { MoveData, SuiObject } from './object.ts'
import { coinOf, coinTypeOf } from './types.ts'

const CoinContents = bcs.struct('Coin', { id: bcs.Address, balance: bcs.u64() })

export const MAX_U64 = 2n ** 64n - 1n

export function coinData(id: string, coinType: string, balance: bigint): MoveData {
  return { kind: 'move', type: coinOf(coinType), hasPublicTransfer: true, contents: coinContents(id, balance) }
}

export function coinContents(id: string, balance: bigint): Uint8Array {
  return CoinContents.serialize({ id, balance }).toBytes()
}

export function balanceIn(contents: Uint8Array): bigint {
  return BigInt(CoinContents.parse(contents).balance)
}

export function readCoin({ data }: SuiObject): { readonly coinType: string; readonly balance: bigint } | null {
  if (data.kind !== 'move') return null
  const coinType = coinTypeOf(data.type)
  return coinType === null ? null : { coinType, balance: balanceIn(data.contents) }
}
