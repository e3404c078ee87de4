/** Sends STRK or another token to an address. */
import { createNonceTransfers } from '@tandem/chain-kit/contract/transfer.ts'
import type { Transfer } from '@tandem/chain-kit/port/abilities/transfer.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { feltOf } from '../terms/address.ts'
import { starknetDataOf } from '../terms/chain-data.ts'
import type { Contracts } from '../terms/htlc.ts'
import { tokenOf, transferCallOf } from '../terms/transfer-call.ts'
import { accountOf } from './account.ts'
import type { ContractState } from './contract-state.ts'
import { transferCost } from './fees/fees.ts'
import { estimateCalls, withMargin } from './fees/gas.ts'
import type { StarknetNode } from './nodes/node.ts'
import { asChainFailure } from './refusal.ts'
import { createLanes, type StarknetTypes } from './send/lane.ts'
import { isSameCall, type Multicall, readAttempt } from './send/transaction.ts'

export function createTransfer(options: {
  readonly chain: Chain
  readonly node: StarknetNode
  readonly state: ContractState
  readonly contracts: Contracts
  readonly onTrouble?: (what: string) => void
}): Transfer {
  const { chain, node, state, contracts, onTrouble = () => undefined } = options
  const { accountClass } = starknetDataOf(chain)
  const openLane = createLanes(node, chain, state, onTrouble)

  async function estimate(call: Multicall, sender: string) {
    try {
      return withMargin(await estimateCalls(node, feltOf(sender), call))
    } catch (error) {
      throw asChainFailure(error, 'transfer')
    }
  }

  const transfers = createNonceTransfers<StarknetTypes>({
    openLane: (outbox) => openLane(outbox, { isObligatory: false }),
    read: readAttempt,
    callOf: (transfer) => ({ calls: [transferCallOf(chain, contracts, transfer)] }),
    isSameCall,
    senderOf: ({ key }) => accountOf(key, accountClass),
    estimate,
    estimateNoop: estimate,
    // A transaction that the sequencer rejected is not mined, so it may be sent again.
    async outcome({ tx }) {
      const outcome = await node.outcome(tx)
      if (outcome?.kind === 'succeeded') return 'success'
      return outcome?.kind === 'reverted' ? 'reverted' : null
    },
    nextNonce: (sender) => node.nonce(feltOf(sender)),
  })

  return {
    ...transfers,
    async send(transfer, outbox) {
      if (outbox.attempts.length === 0) {
        const sender = accountOf(outbox.key, accountClass)
        const held = await state.tokenBalance(tokenOf(chain, contracts, transfer.asset), feltOf(sender))
        if (held < transfer.amount)
          throw new ChainFailure('would-fail', `transfer: ${sender} holds ${held} of ${transfer.asset}, needs ${transfer.amount}`)
      }
      return transfers.send(transfer, outbox)
    },
    fee: () => transferCost(node),
  }
}
