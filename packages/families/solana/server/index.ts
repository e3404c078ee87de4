/** Declares the Solana family: our program locks SOL and tokens of the classic Token program. Heights are slots. */

import { contractClient } from '@tandem/chain-kit/contract/client.ts'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { ChainFamily, ConnectOptions } from '@tandem/chain-kit/port/family.ts'
import { overJsonRpc, subscribeToBlocks } from '@tandem/chain-kit/providers/block-subscription.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { accountOf, textForms } from '../terms/address.ts'
import { solanaFacts } from '../terms/facts.ts'
import { fundingOf } from '../terms/funding.ts'
import { createContracts, swapIdOf } from '../terms/htlc.ts'
import { blocksOf } from './blocks.ts'
import { checkRecipient } from './check-recipient.ts'
import { balanceOf, readHtlcState } from './contract-state.ts'
import { deployHtlc } from './deploy/deploy.ts'
import { createDeposits } from './deposits.ts'
import { createEventReader } from './events.ts'
import { createExecutor } from './execute.ts'
import { legCostOf } from './fees/funds.ts'
import { createGasless } from './gasless.ts'
import { createInstantRefund } from './instant-refund.ts'
import { connectNode, inspectNodes } from './nodes/connect-node.ts'
import type { SolanaNode } from './nodes/node.ts'
import { verifyNode } from './nodes/verify-node.ts'
import { createPermit } from './permit.ts'
import { createRent } from './rent.ts'
import { verifyPayout } from './send/payout.ts'
import { payoutGas } from './send/payout-gas.ts'
import { signingFacts } from './signing-facts.ts'
import { createTransfer } from './transfer.ts'

/** Nodes report a slot when its block is processed, a moment before it is confirmed. */
const newSlots = overJsonRpc({ method: 'slotSubscribe', params: [] }, 'slotNotification')

export const solana: ChainFamily = {
  ...solanaFacts,
  signingFacts,
  connect: (chain, options) => createSolanaClient(chain, options, connectNode(chain, options)),
  deployHtlc,
}

/** The client closes `node`. */
function createSolanaClient(chain: Chain, options: ConnectOptions, node: SolanaNode): ChainClient {
  const contracts = createContracts(chain, options.assets)
  const reader = createEventReader(node, contracts)
  const executor = createExecutor(node)
  const relay = options.relay === undefined ? null : accountOf(options.relay(solana.curve))

  return {
    chain,
    curve: solana.curve,
    text: textForms,
    identityOf: accountOf,
    addressOf: accountOf,
    ...contractClient({
      chain,
      contracts,
      swapIdOf,
      stateOf: (contract, terms) => readHtlcState(node, contract, terms),
      tryPayout: (contract, terms) => verifyPayout(node, contract, terms),
      executor,
    }),

    permitSigning: createPermit(chain, contracts),
    verifyNode: () => verifyNode(chain, node, contracts),
    ...blocksOf(node),
    events: reader.read,
    branchEvents: reader.readBranch,
    balance: (asset, owner) => balanceOf(node, chain, contracts, asset, owner),
    funding: (request) => fundingOf(node, contracts.of(request.terms.asset), relay, request),
    legCost: async (asset) => legCostOf(node, contracts.of(asset).mint !== null),
    instantRefund: createInstantRefund(node, contracts, executor),
    gasless: createGasless(node, contracts, executor, relay),
    prefund: createDeposits(node, contracts, executor),
    checkRecipient: (address, asset, payout) => checkRecipient(node, contracts.of(asset), address, payout),
    rent: createRent(node, contracts),
    transfer: createTransfer(chain, node, contracts),
    ...(contracts.all.some(({ mint }) => mint !== null) && { payoutGas }),
    inspectProviders: () => inspectNodes(chain, options),
    ...(options.endpoints.ws !== undefined && { newBlocks: subscribeToBlocks(options.endpoints.ws, newSlots) }),
    async close() {
      node.close()
    },
  }
}
