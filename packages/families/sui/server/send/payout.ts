/** Checks whether a payout can succeed. The check neither needs nor shows the secret. */
import { Transaction } from '@mysten/sui/transactions'
import { payoutRefused } from '@tandem/chain-kit/port/failure.ts'
import { type Address, parseAddress } from '../../terms/address.ts'
import { type CoinType, SUI_TYPE } from '../../terms/coin-type.ts'
import type { SuiNode } from '../nodes/node.ts'
import { reasonOf } from './failure.ts'
import { simulateCommands } from './simulate.ts'

/**
 * Every address can receive SUI. Another coin's issuer may have paused it or blocked an address, so a simulation sends a worthless coin.
 */
export async function tryPayout(
  node: Pick<SuiNode, 'simulate' | 'epoch'>,
  coinType: CoinType,
  redeemer: string,
  sender: Address,
): Promise<void> {
  const payee = parseAddress(redeemer)
  if (coinType === SUI_TYPE) return
  const tx = new Transaction()
  tx.transferObjects([tx.moveCall({ target: '0x2::coin::zero', typeArguments: [coinType] })], payee)
  const { failure } = await simulateCommands(node, sender, tx)
  if (failure !== null) throw payoutRefused(`paying ${payee} out of the HTLC: ${reasonOf(failure, '')}`)
}
