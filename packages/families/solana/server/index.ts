/** The Solana family: our program locks SOL and tokens of the classic Token program. Heights are slots. */

import { assertPayee } from '@tandem/chain-kit/contract/action.ts'
import { readContractHtlc } from '@tandem/chain-kit/contract/read-htlc.ts'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { ChainFamily, ConnectOptions } from '@tandem/chain-kit/port/family.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { accountOf } from '../terms/address.ts'
import { solanaFacts } from '../terms/facts.ts'
import { fundingOf } from '../terms/funding.ts'
import { createContracts, swapIdOf } from '../terms/htlc.ts'
import { textForms } from '../terms/text-forms.ts'
import { balanceOf } from './balances.ts'
import { blocksOf } from './blocks.ts'
import { checkRecipient } from './check-recipient.ts'
import { readHtlcState } from './contract-state.ts'
import { deployHtlc } from './deploy/deploy.ts'
import { createEventReader } from './events.ts'
import { createExecutor } from './execute.ts'
import { legCostOf } from './fees/leg-cost.ts'
import { createGasless } from './gasless.ts'
import { connectNode } from './nodes/connect-node.ts'
import { inspectSolanaProviders } from './nodes/inspect-providers.ts'
import { newSlotsOf } from './nodes/new-slots.ts'
import type { SolanaNode } from './nodes/node.ts'
import { verifyNode } from './nodes/verify-node.ts'
import { createRent } from './rent.ts'
import { verifyPayout } from './send/payout.ts'

export const solana: ChainFamily = {
  ...solanaFacts,
  connect: (chain, options) => createSolanaClient(chain, options, connectNode(chain, options)),
  deployHtlc,
}

/** `node` is closed with the client. */
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
    swapId: (terms) => swapIdOf(contracts.of(terms.asset), terms),

    verifyNode: () => verifyNode(chain, node, contracts),
    ...blocksOf(node),
    events: reader.read,
    branchEvents: reader.readBranch,
    readHtlc(terms) {
      const contract = contracts.of(terms.asset)
      return readContractHtlc(chain.id, swapIdOf(contract, terms), terms, () => readHtlcState(node, contract, terms))
    },
    balance: (asset, owner) => balanceOf(node, chain, contracts, asset, owner),
    funding: (request) => fundingOf(node, contracts.of(request.terms.asset), relay, request),
    async verifyPayout(terms, to) {
      assertPayee(to, terms.redeemer)
      await verifyPayout(node, contracts.of(terms.asset), terms)
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
    legCost: async (asset) => legCostOf(node, contracts.of(asset).mint !== null),
    gasless: createGasless(node, contracts, executor, relay),
    checkRecipient: (address, asset) => checkRecipient(node, contracts.of(asset), address),
    rent: createRent(node, contracts),
    inspectProviders: () => inspectSolanaProviders(chain, options),
    ...(options.endpoints.ws !== undefined && { newBlocks: newSlotsOf(options.endpoints.ws) }),
    async close() {
      node.close()
    },
  }
}
