/** Sends the native coin or a token to an address. */
import { createNonceTransfers } from '@tandem/chain-kit/contract/transfer.ts'
import type { Transfer } from '@tandem/chain-kit/port/abilities/transfer.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { AssetId } from '@tandem/protocol/asset.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import type { Address } from 'viem'
import { accountOf } from '../terms/address.ts'
import type { Contracts } from '../terms/htlc.ts'
import { tokenOf, transferCall } from '../terms/transfer-call.ts'
import { isCallAccepted } from './approval.ts'
import { gasFor } from './fees/gas.ts'
import { transferCost } from './fees/leg-cost.ts'
import type { EvmNode } from './nodes/node.ts'
import { type EvmTypes, openLane } from './send/lane.ts'
import { readAttempt } from './send/transaction.ts'

export function createTransfer(chain: Chain, node: EvmNode, contracts: Contracts): Transfer {
  const tokenOfAsset = (asset: AssetId) => tokenOf(chain, contracts, asset)
  const transfers = createNonceTransfers<EvmTypes>({
    openLane: (outbox) => openLane(node, chain, outbox, { isObligatory: false }),
    read: readAttempt,
    callOf: ({ asset, recipient, amount }) => transferCall(tokenOfAsset(asset), recipient.toLowerCase() as Address, amount),
    isSameCall: (a, b) => a.to === b.to && a.data === b.data && a.value === b.value,
    senderOf: ({ key }) => accountOf(key),
    async estimate(call, sender) {
      if (!(await isCallAccepted(node, call, sender as Address, 'transfer')))
        throw new ChainFailure(
          'would-fail',
          `the transfer from ${sender} would revert: is the balance enough, and may the recipient have it?`,
        )
      return gasFor(node, chain, { ...call, from: sender as Address }, 'transfer')
    },
    estimateNoop: (call, sender) => gasFor(node, chain, { ...call, from: sender as Address }, 'cancel'),
    outcome: ({ tx }) => node.outcome(tx),
    minedAt: (tx) => node.minedAt(tx),
    nextNonce: (sender) => node.transactionCount(sender as Address),
  })
  return { ...transfers, fee: ({ asset }) => transferCost(node, chain, tokenOfAsset(asset)) }
}
