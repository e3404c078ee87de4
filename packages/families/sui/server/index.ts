/** The Sui family: our Move module locks SUI and any other coin, in one shared registry for each type. Heights are checkpoints. */

import { assertPayee } from '@tandem/chain-kit/contract/action.ts'
import { readContractHtlc } from '@tandem/chain-kit/contract/read-htlc.ts'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import type { ChainFamily, ConnectOptions } from '@tandem/chain-kit/port/family.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { accountOf, parseAddress } from '../terms/address.ts'
import { suiFacts } from '../terms/facts.ts'
import { createContracts, swapIdOf } from '../terms/htlc.ts'
import { textForms } from '../terms/text-forms.ts'
import { balanceOf } from './balances.ts'
import { blocksOf } from './blocks.ts'
import { checkRecipient } from './check-recipient.ts'
import { readHtlcState } from './contract-state.ts'
import { deployHtlc } from './deploy/deploy.ts'
import { createDeployments } from './deployments.ts'
import { createEventReader } from './events.ts'
import { createExecutor } from './execute.ts'
import { legCostOf } from './fees/leg-cost.ts'
import { fundingOf } from './funding.ts'
import { connectNode } from './nodes/connect-node.ts'
import { inspectSuiProviders } from './nodes/inspect-providers.ts'
import type { SuiNode } from './nodes/node.ts'
import { verifyNode } from './nodes/verify-node.ts'
import { tryPayout } from './send/payout.ts'
import { verifyPackage } from './verify-package.ts'

export const sui: ChainFamily = {
  ...suiFacts,
  connect: (chain, options) => createSuiClient(chain, options, connectNode(chain, options)),
  deployHtlc,
}

/** `node` is closed with the client. */
function createSuiClient(chain: Chain, options: ConnectOptions, node: SuiNode): ChainClient {
  const contracts = createContracts(chain, options.assets)
  const deployments = createDeployments(node, (packageId) => verifyPackage(node, packageId))
  const reader = createEventReader(node, contracts, deployments)
  const executor = createExecutor(chain, node, deployments)

  return {
    chain,
    curve: sui.curve,
    text: textForms,
    identityOf: accountOf,
    addressOf: accountOf,
    swapId: (terms) => swapIdOf(contracts.of(terms.asset), terms),

    verifyNode: () => verifyNode(chain, node, contracts, deployments),
    ...blocksOf(node),
    events: reader.read,
    branchEvents: reader.readBranch,
    readHtlc(terms) {
      const contract = contracts.of(terms.asset)
      const read = async () => readHtlcState(node, await deployments.of(contract), terms)
      return readContractHtlc(chain.id, swapIdOf(contract, terms), terms, read)
    },
    balance: (asset, owner) => balanceOf(node, chain, contracts, asset, owner),
    funding: async (request) => fundingOf(node, await deployments.of(contracts.of(request.terms.asset)), request),
    async verifyPayout(terms, to) {
      assertPayee(to, terms.redeemer)
      await tryPayout(node, contracts.of(terms.asset).coinType, terms.redeemer, parseAddress(terms.initiator))
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
    checkRecipient: (address) => checkRecipient(node, address),
    inspectProviders: () => inspectSuiProviders(chain, options),
    async close() {
      node.close()
    },
  }
}
