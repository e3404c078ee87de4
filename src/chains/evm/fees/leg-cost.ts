/** What an initiation, redeem or refund costs now: gas, and the data fee of rollups. */
import { bytesToHex } from 'viem'
import type { Chain } from '../../../protocol/chain.ts'
import type { LegCost } from '../../port/abilities/leg-cost.ts'
import type { HtlcContract } from '../htlc.ts'
import type { EvmNode } from '../nodes/node.ts'
import { dataFeeOf, dataGasOf } from './data-fee.ts'
import { currentPrice, feeModelOf } from './fees.ts'

/** As measured (`bench/RESULTS.md`), and half as much more for tokens behind proxies and first payments to an account. */
const GAS = {
  token: { initiate: 95_000n, redeem: 70_000n, refund: 70_000n },
  coin: { initiate: 52_000n, redeem: 45_000n, refund: 45_000n },
} as const

const DECIMALS = 18

/** No call of a single swap has more: the selector and seven words. */
const CALLDATA_BYTES = 4 + 7 * 32

export async function legCostOf(node: EvmNode, chain: Chain, { address, token }: HtlcContract): Promise<LegCost> {
  const data = bytesToHex(new Uint8Array(CALLDATA_BYTES).fill(1))
  const [price, dataGas, dataFee] = await Promise.all([
    currentPrice(node, feeModelOf(chain)),
    dataGasOf(node, chain, { to: address, data }),
    dataFeeOf(node, chain, { to: address, data, value: 0n }),
  ])
  const gas = GAS[token === null ? 'coin' : 'token']
  const costOf = (used: bigint) => (used + dataGas) * price + dataFee
  return { decimals: DECIMALS, initiate: costOf(gas.initiate), redeem: costOf(gas.redeem), refund: costOf(gas.refund) }
}
