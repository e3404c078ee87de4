/** The Starknet family: our Cairo HTLC, one for each ERC-20. Every account is a contract. */

import { assertPayee } from '@tandem/chain-kit/contract/action.ts'
import { readContractHtlc } from '@tandem/chain-kit/contract/read-htlc.ts'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { ChainFamily, ConnectOptions } from '@tandem/chain-kit/port/family.ts'
import type { PublicKey } from '@tandem/keys/key.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { htlcClass } from '../contract/artifacts/htlc.ts'
import { feltOf } from '../terms/address.ts'
import { starknetDataOf } from '../terms/chain-data.ts'
import { starknetFacts } from '../terms/facts.ts'
import { fundingOf } from '../terms/funding.ts'
import { createContracts, swapIdOf } from '../terms/htlc.ts'
import { textForms } from '../terms/text-forms.ts'
import { accountOf } from './account.ts'
import { balanceOf } from './balances.ts'
import { blocksOf } from './blocks.ts'
import { checkRecipient } from './check-recipient.ts'
import { createContractState } from './contract-state.ts'
import { deployHtlc } from './deploy/deploy.ts'
import { deployAccount } from './deploy/deploy-account.ts'
import { createEventReader } from './events.ts'
import { createExecutor } from './execute.ts'
import { legCostOf } from './fees/leg-cost.ts'
import { createGasless } from './gasless.ts'
import { connectNode } from './nodes/connect-node.ts'
import { inspectStarknetProviders } from './nodes/inspect-providers.ts'
import { newHeadsOf } from './nodes/new-heads.ts'
import type { StarknetNode } from './nodes/node.ts'
import { verifyNode } from './nodes/verify-node.ts'
import { findSenderProblem } from './send/lane.ts'
import { tryPayout } from './send/payout.ts'

export const starknet: ChainFamily = {
  ...starknetFacts,
  connect: (chain, options) => createStarknetClient(chain, options, connectNode(chain, options)),
  deployHtlc,
  deployAccount,
}

/** `node` is closed with the client. */
function createStarknetClient(chain: Chain, options: ConnectOptions, node: StarknetNode): ChainClient {
  const { accountClass } = starknetDataOf(chain)
  const contracts = createContracts(chain, options.assets)
  const state = createContractState(node)
  const reader = createEventReader(node, contracts, chain)
  const executor = createExecutor(chain, node, state, options.onTrouble)
  const accountOfKey = (key: PublicKey) => accountOf(key, accountClass)
  const relay = options.relay === undefined ? null : accountOfKey(options.relay(starknet.curve))

  return {
    chain,
    curve: starknet.curve,
    text: textForms,
    identityOf: accountOfKey,
    addressOf: accountOfKey,
    swapId: (terms) => swapIdOf(contracts.of(terms.asset), terms),

    verifyNode: () => verifyNode(chain, node, state, contracts, htlcClass.classHash),
    ...blocksOf(node, chain),
    events: reader.read,
    branchEvents: reader.readBranch,
    readHtlc(terms) {
      const contract = contracts.of(terms.asset)
      return readContractHtlc(chain.id, swapIdOf(contract, terms), terms, () => state.htlc(contract, terms))
    },
    balance: (asset, owner) => balanceOf(state, chain, contracts, asset, owner),
    funding: (request) => fundingOf(state, contracts.of(request.terms.asset), request),
    async verifyPayout(terms, to) {
      assertPayee(to, terms.redeemer)
      // The initiator's account exists, since it has initiated; but it may say what it likes about the calls that it makes.
      await tryPayout(node, state, contracts.of(terms.asset), terms, feltOf(relay ?? terms.initiator))
    },

    initiate: (terms, outbox) => executor.initiate(contracts.of(terms.asset), terms, outbox),
    async redeem(terms, { to, secret }, outbox) {
      assertPayee(to, terms.redeemer)
      return executor.redeem(contracts.of(terms.asset), terms, secret, outbox)
    },
    async refund(terms, { to }, outbox) {
      assertPayee(to, terms.initiator)
      return executor.refund(contracts.of(terms.asset), terms, outbox)
    },

    cancel: executor.cancelUnmined,
    async legCost(asset) {
      contracts.of(asset)
      return legCostOf(node)
    },
    gasless: createGasless({ node, state, contracts, executor, relay, accountClass }),
    checkRecipient: (address) => checkRecipient(node, chain, contracts, htlcClass.classHash, address),
    checkSender: (address) => findSenderProblem(node, chain, address),
    inspectProviders: () => inspectStarknetProviders(chain, options),
    ...(options.endpoints.ws !== undefined && { newBlocks: newHeadsOf(options.endpoints.ws) }),
    async close() {
      node.close()
    },
  }
}
