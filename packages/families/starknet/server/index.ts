/** Declares the Starknet family: our Cairo HTLC, one for each ERC-20. Every account is a contract. */

import { contractClient } from '@tandem/chain-kit/contract/client.ts'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { ChainFamily, ConnectOptions } from '@tandem/chain-kit/port/family.ts'
import { overJsonRpc, subscribeToBlocks } from '@tandem/chain-kit/providers/block-subscription.ts'
import type { PublicKey } from '@tandem/keys/key.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { htlcClass } from '../contract/artifacts/htlc.ts'
import { feltOf, textForms } from '../terms/address.ts'
import { starknetDataOf } from '../terms/chain-data.ts'
import { starknetFacts } from '../terms/facts.ts'
import { fundingOf } from '../terms/funding.ts'
import { createContracts, swapIdOf } from '../terms/htlc.ts'
import { accountOf } from './account.ts'
import { blocksOf } from './blocks.ts'
import { checkRecipient } from './check-recipient.ts'
import { balanceOf, createContractState } from './contract-state.ts'
import { deployHtlc } from './deploy/deploy.ts'
import { deployAccount } from './deploy/deploy-account.ts'
import { createEventReader } from './events.ts'
import { createExecutor } from './execute.ts'
import { DECIMALS, legCostOf } from './fees/fees.ts'
import { createGasless } from './gasless.ts'
import { createInstantRefund } from './instant-refund.ts'
import { connectNode, inspectNodes } from './nodes/connect-node.ts'
import type { StarknetNode } from './nodes/node.ts'
import { verifyNode } from './nodes/verify-node.ts'
import { verifyToken } from './nodes/verify-token.ts'
import { createOutsideExecutions } from './outside-execution/outside-execution.ts'
import { createPermit } from './permit.ts'
import { findSenderProblem } from './send/lane.ts'
import { tryPayout } from './send/payout.ts'
import { signingFacts } from './signing-facts.ts'
import { createTransfer } from './transfer.ts'

/** Nodes report a block when it is accepted on L2. */
const newHeads = overJsonRpc({ method: 'starknet_subscribeNewHeads', params: {} }, 'starknet_subscriptionNewHeads')

export const starknet: ChainFamily = {
  ...starknetFacts,
  signingFacts,
  connect: (chain, options) => createStarknetClient(chain, options, connectNode(chain, options)),
  deployHtlc,
  deployAccount,
}

/** The client closes `node`. */
function createStarknetClient(chain: Chain, options: ConnectOptions, node: StarknetNode): ChainClient {
  const { accountClass } = starknetDataOf(chain)
  const contracts = createContracts(chain, options.assets)
  const state = createContractState(node)
  const reader = createEventReader(node, contracts, chain)
  const executor = createExecutor(chain, node, state, options.onTrouble)
  const accountOfKey = (key: PublicKey) => accountOf(key, accountClass)
  const relay = options.relay === undefined ? null : accountOfKey(options.relay(starknet.curve))
  const outside = createOutsideExecutions({ node, state, relay })

  return {
    chain,
    curve: starknet.curve,
    text: textForms,
    identityOf: accountOfKey,
    addressOf: accountOfKey,
    permitSigning: createPermit(chain, contracts),
    ...contractClient({
      chain,
      contracts,
      swapIdOf,
      stateOf: state.htlc,
      // The initiator's account exists, since it has initiated. But it controls what it answers to the calls that it makes.
      tryPayout: (contract, terms) => tryPayout(node, state, contract, terms, feltOf(relay ?? terms.initiator)),
      executor,
    }),

    async verifyNode() {
      await verifyNode(chain, node, state, contracts, htlcClass.classHash)
      for (const asset of options.assets) await verifyToken(chain, node, asset, contracts.of(asset.id).token)
    },
    ...blocksOf(node, chain),
    events: reader.read,
    branchEvents: reader.readBranch,
    balance: (asset, owner) => balanceOf(state, chain, contracts, asset, owner),
    async funding(request) {
      const { terms, payer, deadline } = request
      const contract = contracts.of(terms.asset)
      const funding = await fundingOf(state, contract, request)
      // Only the initiator can sign, and only until the deadline.
      const isInitiator = payer === null || feltOf(payer) === feltOf(terms.initiator)
      return funding.approvalRequired && isInitiator ? { ...funding, offers: await outside.offersOf(contract, terms, deadline) } : funding
    },
    async legCost(asset) {
      contracts.of(asset)
      return legCostOf(node)
    },
    // An account that is not deployed holds the coin too, and pays for its deployment with it.
    payoutGas: { decimals: DECIMALS, minAmount: 1n },
    instantRefund: createInstantRefund({ node, contracts, executor, accountClass }),
    gasless: createGasless({ node, state, contracts, executor, outside, relay, accountClass }),
    checkRecipient: (address) => checkRecipient(node, chain, contracts, htlcClass.classHash, address),
    checkSender: (address) => findSenderProblem(node, chain, address),
    transfer: createTransfer({
      chain,
      node,
      state,
      contracts,
      ...(options.onTrouble !== undefined && { onTrouble: options.onTrouble }),
    }),
    inspectProviders: () => inspectNodes(chain, options),
    ...(options.endpoints.ws !== undefined && { newBlocks: subscribeToBlocks(options.endpoints.ws, newHeads) }),
    async close() {
      node.close()
    },
  }
}
