/** Computes the current cost of an initiation, redeem or refund: gas, and the data fee of rollups. */

import { REDEEMS_KEPT } from '@tandem/chain-kit/contract/funds.ts'
import type { LegCost } from '@tandem/chain-kit/port/abilities/reading.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { type Address, bytesToHex } from 'viem'
import type { HtlcContract } from '../../terms/htlc.ts'
import type { EvmNode } from '../nodes/node.ts'
import { dataFeeOf, dataGasOf } from './data-fee.ts'
import { currentPrice, feeModelOf } from './fees.ts'
import { fallbackGas } from './gas.ts'

/**
 * The numbers are measured (`bench/RESULTS.md`), with half as much more for tokens behind proxies and first payments to an account. Ours is the initiation:
 * it takes 3,000 more than the measured one, because each uses up a part of an allowance.
 */
const GAS = {
  token: { initiate: 105_000n, redeem: 70_000n, refund: 70_000n },
  coin: { initiate: 52_000n, redeem: 45_000n, refund: 45_000n },
} as const

/** Those of the native coin. */
export const DECIMALS = 18

/** Only the length of the data counts, not the recipient. */
const PLACEHOLDER: Address = `0x${'11'.repeat(20)}`

/** No call of a single swap has more than the selector and seven words. */
const CALLDATA_BYTES = 4 + 7 * 32

export async function legCostOf(node: EvmNode, chain: Chain, contract: HtlcContract): Promise<LegCost> {
  const costOf = await costs(node, chain, contract)
  const gas = gasOf(contract)
  return {
    decimals: DECIMALS,
    initiate: costOf(gas.initiate),
    redeem: costOf(gas.redeem),
    refund: costOf(gas.refund),
    // What is kept counts at the highest price of the transaction, about twice the current one.
    leaves: 2n * REDEEMS_KEPT * costOf(fallbackGas.redeem),
  }
}

/** Coins call their recipient: a contract can burn all gas that the transaction is sent with. The code of an account may change with every block. */
export async function maxRefundCost(node: EvmNode, chain: Chain, contract: HtlcContract, initiator: Address): Promise<bigint> {
  const [costOf, code] = await Promise.all([costs(node, chain, contract), contract.token === null ? node.code(initiator) : '0x'])
  return costOf(code === '0x' ? gasOf(contract).refund : fallbackGas.refund)
}

/** A transfer has the data of a token's `transfer` at most. */
export async function transferCost(node: EvmNode, chain: Chain, token: Address | null): Promise<bigint> {
  const costOf = await costs(node, chain, { address: token ?? PLACEHOLDER })
  return costOf(token === null ? GAS.coin.redeem : GAS.token.redeem)
}

const gasOf = ({ token }: HtlcContract) => GAS[token === null ? 'coin' : 'token']

async function costs(node: EvmNode, chain: Chain, { address }: Pick<HtlcContract, 'address'>): Promise<(gas: bigint) => bigint> {
  const data = bytesToHex(new Uint8Array(CALLDATA_BYTES).fill(1))
  const [price, dataGas, dataFee] = await Promise.all([
    currentPrice(node, feeModelOf(chain)),
    dataGasOf(node, chain, { to: address, data }),
    dataFeeOf(node, chain, { to: address, data, value: 0n }),
  ])
  return (gas) => (gas + dataGas) * price + dataFee
}
