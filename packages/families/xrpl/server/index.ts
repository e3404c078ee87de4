/** The XRPL family: native escrows of XRP with a PREIMAGE-SHA-256 condition. */

import { assertPayee } from '@tandem/chain-kit/contract/action.ts'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import type { ChainFamily, ConnectOptions } from '@tandem/chain-kit/port/family.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { TandemError } from '@tandem/protocol/error.ts'
import { accountOf, partyOf } from '../terms/address.ts'
import { xrplFacts } from '../terms/facts.ts'
import { fundingOf } from '../terms/funding.ts'
import { swapIdOf } from '../terms/htlc.ts'
import { chainProblem } from '../terms/nodes/chain-problem.ts'
import { textFormsOf } from '../terms/text-forms.ts'
import { spendableOf } from './balances.ts'
import { obstacleToPaying } from './check-recipient.ts'
import { readEvents } from './events.ts'
import { assertPayable, createExecutor } from './execute.ts'
import { legCostOf } from './leg-cost.ts'
import { connectNode } from './nodes/connect-node.ts'
import { inspectXrplProviders } from './nodes/inspect-providers.ts'
import { newLedgersOf } from './nodes/new-ledgers.ts'
import type { XrplNode } from './nodes/node.ts'
import { newestOf } from './nodes/shared-node.ts'
import { readHtlc } from './read-htlc.ts'

export const xrpl: ChainFamily = {
  ...xrplFacts,
  connect: (chain, options) => createXrplClient(chain, options, connectNode(chain, options)),
}

/** `node` is closed with the client. */
function createXrplClient(chain: Chain, options: ConnectOptions, node: XrplNode): ChainClient {
  const executor = createExecutor(chain, node)
  const { glimpse } = node

  function assertCoin(asset: string): void {
    if (asset !== chain.nativeAsset)
      throw new TandemError('unsupported_pair', `${asset} cannot be locked on ${chain.id}: its escrows hold XRP`)
  }

  return {
    chain,
    curve: xrpl.curve,
    text: textFormsOf(chain),
    identityOf: accountOf,
    addressOf: accountOf,
    swapId(terms) {
      assertCoin(terms.asset)
      return swapIdOf(chain.id, terms)
    },

    async verifyNode() {
      const problem = await chainProblem(chain, node)
      if (problem !== null) throw new ChainFailure('would-fail', `${chain.id}: the node ${problem}`)
    },
    tip: () => newestOf(node),
    ...(glimpse !== undefined && { glimpse }),
    headers: node.blocks,
    events: (watched, from, to) => readEvents(node, watched, from, to),
    readHtlc: (terms, deposits) => readHtlc(node, chain, terms, deposits),
    async balance(asset, owner) {
      assertCoin(asset)
      return spendableOf(node, partyOf(owner).account)
    },
    async funding(request) {
      assertCoin(request.terms.asset)
      return fundingOf(request)
    },
    async verifyPayout(terms, to) {
      assertPayee(to, terms.redeemer)
      await assertPayable(node, terms, null)
    },

    initiate: executor.initiate,
    async redeem(terms, { deposits, to, secret }, outbox) {
      assertPayee(to, terms.redeemer)
      return executor.redeem(terms, deposits, secret, outbox)
    },
    async refund(terms, { deposits, to }, outbox) {
      assertPayee(to, terms.initiator)
      return executor.refund(terms, deposits, outbox)
    },

    cancel: executor.cancelUnmined,
    async legCost(asset) {
      assertCoin(asset)
      return legCostOf(node)
    },
    checkRecipient: (address) => obstacleToPaying(node, address),
    inspectProviders: () => inspectXrplProviders(chain, options),
    newBlocks: newLedgersOf(options.endpoints.ws ?? []),
    async close() {
      node.close()
    },
  }
}
