/** The transaction kind that funds a swap. The user's wallet adds sender and gas. */

import type { FundingRequest } from '@tandem/chain-kit/port/client.ts'
import type { Funding } from '@tandem/protocol/funding/funding.ts'
import { parseAddress } from '../terms/address.ts'
import { SUI_TYPE } from '../terms/coin-type.ts'
import { initiateCallOf, transactionWith } from '../terms/send/call.ts'
import type { Deployed } from './deployments.ts'
import type { NodeCoin, SuiNode } from './nodes/node.ts'
import { chooseCoins } from './send/coins.ts'

/**
 * All objects are named with their versions, so that wallets need no node to read it. SUI is split from the gas. Other coins are the payer's own, as few as
 * are enough.
 */
export async function fundingOf(
  node: Pick<SuiNode, 'coins'>,
  deployed: Deployed,
  { terms, deadline, payer }: FundingRequest,
): Promise<Funding> {
  const coins = deployed.coinType === SUI_TYPE ? [] : await coinsOf(node, deployed, payer ?? terms.initiator, terms.amount)
  const tx = transactionWith(initiateCallOf(deployed, terms, deadline * 1000n), coins)
  return { kind: 'programmableTransaction', bytes: await tx.build({ onlyTransactionKind: true }) }
}

/** If they are not enough, none: the coins of the order may come later, and GET /orders/{order_id}/funding then names them. */
async function coinsOf(node: Pick<SuiNode, 'coins'>, { coinType }: Deployed, payer: string, amount: bigint): Promise<readonly NodeCoin[]> {
  const coins = await node.coins(parseAddress(payer), coinType)
  return chooseCoins(coins, amount, coins.length)?.coins ?? []
}
